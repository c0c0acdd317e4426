import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import landpartner.ApiClient;
import landpartner.ApiException;
import landpartner.api.ConsumerApi;
import landpartner.model.AddressQuery;
import landpartner.model.DivideLandBody;
import landpartner.model.LandUnitBody;
import landpartner.model.Problem;

/** From an address to a division, with what openapi-generator makes of the description for Java. */
public class Journey {
  private interface Call {
    void run() throws ApiException;
  }

  private static final Map<String, String> errors = new LinkedHashMap<>();

  public static void main(String[] arguments) throws Exception {
    ConsumerApi api = api(System.getenv("LANDPARTNER_KEY"));
    List<String> ids = api.resolveAddress(new AddressQuery().label(System.getenv("ADDRESS")), "en").getParcelIds();
    var unit = api.landUnitGeojson(new LandUnitBody().parcelIds(ids), "en").getFeatures().get(0).getProperties();
    var division = api.divideLand(
        new DivideLandBody().parcelIds(ids).question("Two lots?"), null, null, UUID.randomUUID().toString(), "en");
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("parcel_ids", ids);
    result.put("valeur_fonciere", unit.getHistory().getDvfSales().get(0).getValeurFonciere());
    result.put("verdict", division.getQuickAssessment().getVerdict());
    result.put("requests", api.usage("en").getRequests());
    fails(() -> api.landUnitGeojson(new LandUnitBody().addParcelIdsItem("x"), "en"));
    fails(() -> api("lp_live_unknown").usage("en"));
    fails(() -> api.landUnitGeojson(new LandUnitBody().addParcelIdsItem("00001000AA9999"), "en"));
    fails(() -> api(System.getenv("LANDPARTNER_EMPTY_KEY")).landUnitGeojson(new LandUnitBody().parcelIds(ids), "en"));
    result.put("errors", errors);
    System.out.println(new ObjectMapper().writeValueAsString(result));
  }

  private static ConsumerApi api(String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("LANDPARTNER_URL"));
    client.setRequestInterceptor(request -> request.header("x-api-key", key));
    return new ConsumerApi(client);
  }

  private static void fails(Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException error) {
      Problem problem = ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), Problem.class);
      errors.put(String.valueOf(error.getCode()), problem.getCode());
    }
  }
}
