// The names of blocks and endpoints. `make generated` writes this file.
export const BLOCKS = ["land", "urbanism", "buildings", "real_estate", "risks"] as const;
export const DEFAULT_BLOCKS = ["land", "urbanism", "buildings", "real_estate"] as const;
export const SCOPES = ["addresses.resolve", "addresses.reverse", "addresses.suggest", "land-units.geojson", "assistant.divide-land", "parcels", "parcels.search", "statistics.sales", "tiles", "ogc", "ogc.items", "usage", "keys", "coverage", "addresses.resolve.batch", "land-units.batch", "watches", "events", "webhooks"] as const;
