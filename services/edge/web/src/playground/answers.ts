// The types of answers for the views. Answers are not validated, so the views must handle members that are missing in
// another version of the service.
import type { Feature, FeatureCollection, Geometry } from "geojson";

export interface Address {
  id: string | null;
  label: string | null;
  number: string | null;
  street: string | null;
  postcode: string | null;
  city: string | null;
  city_code: string | null;
  latitude: number | null;
  longitude: number | null;
  type: string | null;
  score: number | null;
  /** The agreement of each part with the query, 0 to 1; null if the query does not have the part. */
  matched?: Record<string, number | null> | null;
}

export interface Source {
  id: string;
  publisher: string;
  dataset: string;
  edition: string;
  retrieved_at: string;
  licence: string;
  attribution: string;
  url: string;
}

export interface Warning {
  code: string;
  detail: string;
  block?: string | null;
}

export interface ResolveAnswer {
  address: Address;
  parcel_ids: string[];
  parcels: { parcel_id: string; match: string | null; distance_m: number | null }[];
  alternatives: Address[];
  sources: Source[];
  warnings: Warning[];
}

/** A permit or a sale: a flat object with the official member names of the contract. */
export type HistoryItem = Record<string, string | number | boolean | null>;

export interface LandBlock {
  commune: { code: string; name: string | null } | null;
  sections: string[];
  cadastral_area_m2: number | null;
  geometric_area_m2: number | null;
  perimeter_m: number | null;
  is_surveyed: boolean | null;
  frontage_m: number | null;
  frontage: Geometry | null;
  addresses: Address[];
  is_contiguous: boolean | null;
}

export interface UrbanismBlock {
  documents: { id: string; document_type: string | null; approved_on: string | null; url: string | null }[];
  zones: {
    label: string;
    long_label: string | null;
    zone_type: string | null;
    overlap_area_m2: number;
    overlap_ratio: number;
    regulation_url: string | null;
  }[];
  prescriptions: { label: string; type_label: string | null; overlap_area_m2: number | null }[];
  is_rnu: boolean | null;
}

export interface BuildingsBlock {
  count: number;
  footprint_area_m2: number | null;
  ground_coverage_ratio: number | null;
  items: {
    id: string;
    footprint_m2: number | null;
    cover_ratio: number | null;
    height_m: number | null;
    storeys: number | null;
    usage: string | null;
    dwelling_count: number | null;
    construction_year: number | null;
    geometry: Geometry | null;
  }[];
}

export interface RealEstateBlock {
  kind?: string | null;
  kind_basis?: string | null;
  radius_m?: number | null;
  period: { from: string | null; to: string | null };
  summary: { sale_count: number; last_sale_on: string | null; median_price_eur_per_m2: number | null };
  comparables: {
    id_mutation: string;
    date_mutation: string;
    kind?: string | null;
    type_local: string | null;
    valeur_fonciere: number | null;
    surface_reelle_bati: number | null;
    surface_terrain: number | null;
    price_eur_per_m2: number | null;
    distance_m: number | null;
  }[];
}

export interface LandUnitProperties {
  parcel_ids: string[];
  address: Address | null;
  parcels: {
    parcel_id: string;
    section: string;
    number: string;
    cadastral_area_m2: number | null;
    geometric_area_m2: number | null;
    is_surveyed: boolean | null;
  }[];
  history: { urban_authorizations: HistoryItem[]; dvf_sales: HistoryItem[] };
  land?: LandBlock | null;
  urbanism?: UrbanismBlock | null;
  buildings?: BuildingsBlock | null;
  real_estate?: RealEstateBlock | null;
  coverage: Record<string, "covered" | "partial" | "loading" | "not_published" | "not_loaded" | "not_covered">;
  sources: Source[];
  warnings: Warning[];
}

export type LandUnit = FeatureCollection<Geometry | null, LandUnitProperties>;

export interface LotProperties {
  area_m2: number;
  frontage_m: number;
  access: string;
  buildable_area_m2: number;
  has_existing_building: boolean;
  violations: string[];
}

export interface Proposal {
  rank: number;
  method: string;
  summary: string;
  metrics: { score: number };
  lots: FeatureCollection<Geometry | null, LotProperties> & { features: Feature<Geometry | null, LotProperties>[] };
}

export interface Check {
  code: string;
  status: "pass" | "warn" | "fail" | "unknown";
  detail: string;
  legal_refs: string[];
}

export interface Assessment {
  verdict: "favourable" | "conditional" | "unfavourable" | "undetermined";
  confidence: number;
  procedure: { code: string; label: string; legal_refs: string[] } | null;
  summary: string;
  checks: Check[];
  proposals: Proposal[];
  disclaimer: string;
}

export interface Prompt {
  question: string;
  provider: string;
  model: string | null;
  usage: { input_tokens: number; output_tokens: number };
  warnings: Warning[];
}

/** The parts of a divide-land answer that have arrived. */
export interface Division {
  quick_assessment?: Assessment;
  context?: LandUnit;
  answer?: { format: string; text: string; grounded_on: string[] };
  prompt?: Prompt;
}

export interface UsageAnswer {
  month: string;
  requests: number;
  errors: number;
  units: number;
  reserved_units: number;
  quota: {
    monthly_units: number | null;
    per_minute: number;
    burst: number;
    hard: boolean;
    spend_cap: string | null;
  };
  assistant_policy: { mode: string; monthly_calls: number | null; monthly_tokens: number | null };
  assistant_calls: number;
  assistant_tokens: number;
}

export interface CoverageAnswer {
  datasets: {
    dataset: string;
    unit: string;
    part: string;
    edition: string;
    retrieved_at: string;
    row_count: number;
    rejected_count: number;
  }[];
  next_cursor: string | null;
}
