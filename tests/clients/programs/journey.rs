//! From an address to a division, with what openapi-generator makes of the description for Rust.
use landpartner::apis::configuration::{ApiKey, Configuration};
use landpartner::apis::{consumer_api as api, Error};
use landpartner::models::{AddressQuery, DivideLandBody, LandUnitBody, Problem};
use serde_json::{json, Map, Value};
use std::env::var;

fn with_key(key: String) -> Configuration {
    let api_key = Some(ApiKey { prefix: None, key });
    Configuration { base_path: var("LANDPARTNER_URL").unwrap(), api_key, ..Default::default() }
}

fn land(ids: &[String]) -> LandUnitBody {
    LandUnitBody { parcel_ids: Some(Some(ids.to_vec())), ..Default::default() }
}

/// The status and the code of a typed error.
fn problem<A: std::fmt::Debug, E: std::fmt::Debug>(answer: Result<A, Error<E>>) -> (String, Value) {
    let Err(Error::ResponseError(refused)) = answer else { panic!("{answer:?}") };
    let typed: Problem = serde_json::from_str(&refused.content).unwrap();
    (typed.status.to_string(), typed.code.into())
}

fn main() {
    let partner = with_key(var("LANDPARTNER_KEY").unwrap());
    let query = AddressQuery { label: Some(var("ADDRESS").ok()), ..Default::default() };
    let ids = api::resolve_address(&partner, query, None).unwrap().parcel_ids;
    let unit = api::land_unit_geojson(&partner, land(&ids), None).unwrap();
    let question = Some(Some("Two lots?".to_string()));
    let body = DivideLandBody { parcel_ids: Some(Some(ids.clone())), question, ..Default::default() };
    let division = api::divide_land(&partner, body, None, None, Some("journey-in-rust"), None).unwrap();
    let unknown = with_key("lp_live_unknown".to_string());
    let empty = with_key(var("LANDPARTNER_EMPTY_KEY").unwrap());
    let errors: Map<String, Value> = [
        problem(api::land_unit_geojson(&partner, land(&["x".to_string()]), None)),
        problem(api::usage(&unknown, None)),
        problem(api::land_unit_geojson(&partner, land(&["00001000AA9999".to_string()]), None)),
        problem(api::land_unit_geojson(&empty, land(&ids), None)),
    ]
    .into_iter()
    .collect();
    let result = json!({
        "parcel_ids": ids,
        "valeur_fonciere": unit.features[0].properties.history.dvf_sales[0].valeur_fonciere,
        "verdict": division.quick_assessment.verdict,
        "requests": api::usage(&partner, None).unwrap().requests,
        "errors": errors,
    });
    println!("{result}");
}
