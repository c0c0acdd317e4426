// From an address to a division, with what openapi-generator makes of the description for Go.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"strconv"

	"journey/landpartner"
)

func api(key string) *landpartner.ConsumerAPIService {
	configuration := landpartner.NewConfiguration()
	configuration.Servers = landpartner.ServerConfigurations{{URL: os.Getenv("LANDPARTNER_URL")}}
	configuration.AddDefaultHeader("x-api-key", key)
	return landpartner.NewAPIClient(configuration).ConsumerAPI
}

func land(key string, ids ...string) (*landpartner.FeatureCollection, error) {
	body := landpartner.LandUnitBody{ParcelIds: ids}
	found, _, err := api(key).LandUnitGeojson(context.Background()).LandUnitBody(body).Execute()
	return found, err
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// problem returns the status and the code of a typed error.
func problem(err error) (string, string) {
	var failed *landpartner.GenericOpenAPIError
	if !errors.As(err, &failed) {
		panic(err)
	}
	typed := failed.Model().(landpartner.Problem)
	return strconv.Itoa(int(typed.Status)), typed.Code
}

func main() {
	ctx, key := context.Background(), os.Getenv("LANDPARTNER_KEY")
	label := os.Getenv("ADDRESS")
	resolved, _, err := api(key).ResolveAddress(ctx).AddressQuery(landpartner.AddressQuery{Label: *landpartner.NewNullableString(&label)}).Execute()
	ids := must(resolved, err).ParcelIds
	unit := must(land(key, ids...)).Features[0].Properties
	question := "Two lots?"
	body := landpartner.DivideLandBody{ParcelIds: ids, Question: *landpartner.NewNullableString(&question)}
	division, _, err := api(key).DivideLand(ctx).DivideLandBody(body).IdempotencyKey(rand.Text()).Execute()
	assessment := must(division, err).QuickAssessment
	usage, _, err := api(key).Usage(ctx).Execute()
	codes := map[string]string{}
	_, refused := land(key, "x")
	_, _, unknown := api("lp_live_unknown").Usage(ctx).Execute()
	_, missing := land(key, "00001000AA9999")
	_, empty := land(os.Getenv("LANDPARTNER_EMPTY_KEY"), ids...)
	for _, err := range []error{refused, unknown, missing, empty} {
		status, code := problem(err)
		codes[status] = code
	}
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"parcel_ids": ids, "valeur_fonciere": unit.History.DvfSales[0].ValeurFonciere,
		"verdict": assessment.Verdict, "requests": must(usage, err).Requests, "errors": codes,
	}))
}
