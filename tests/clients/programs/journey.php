<?php
// From an address to a division, with what openapi-generator makes of the description for PHP.
use GuzzleHttp\Client;
use Landpartner\Api\ConsumerApi;
use Landpartner\ApiException;
use Landpartner\Configuration;
use Landpartner\Model\AddressQuery;
use Landpartner\Model\DivideLandBody;
use Landpartner\Model\LandUnitBody;

require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $name): void {
    if (str_starts_with($name, 'Landpartner\\')) {
        require __DIR__ . '/client/lib' . str_replace(['Landpartner', '\\'], ['', '/'], $name) . '.php';
    }
});

function api(string $key): ConsumerApi
{
    $configuration = new Configuration();
    $configuration->setHost(getenv('LANDPARTNER_URL'))->setApiKey('x-api-key', $key);
    return new ConsumerApi(new Client(), $configuration);
}

$api = api(getenv('LANDPARTNER_KEY'));
$ids = $api->resolveAddress(new AddressQuery(['label' => getenv('ADDRESS')]))->getParcelIds();
$unit = $api->landUnitGeojson(new LandUnitBody(['parcel_ids' => $ids]))->getFeatures()[0]->getProperties();
$body = new DivideLandBody(['parcel_ids' => $ids, 'question' => 'Two lots?']);
$division = $api->divideLand($body, idempotency_key: bin2hex(random_bytes(16)));
$requests = $api->usage()->getRequests();
$land = fn (array $ids): LandUnitBody => new LandUnitBody(['parcel_ids' => $ids]);
$errors = [];
foreach ([
    fn () => $api->landUnitGeojson($land(['x'])),
    fn () => api('lp_live_unknown')->usage(),
    fn () => $api->landUnitGeojson($land(['00001000AA9999'])),
    fn () => api(getenv('LANDPARTNER_EMPTY_KEY'))->landUnitGeojson($land($ids)),
] as $call) {
    try {
        $call();
    } catch (ApiException $error) {
        $errors[$error->getCode()] = $error->getResponseObject()->getCode();
    }
}
echo json_encode([
    'parcel_ids' => $ids,
    'valeur_fonciere' => $unit->getHistory()->getDvfSales()[0]->getValeurFonciere(),
    'verdict' => $division->getQuickAssessment()->getVerdict(),
    'requests' => $requests,
    'errors' => $errors,
]);
