// The types of the API under the names that the pages use. `make generated` writes schema.d.ts from the API description.
import type { components } from "./schema";

export { BLOCKS, DEFAULT_BLOCKS, SCOPES } from "./values";

type Schemas = components["schemas"];

export type Answer = Schemas["Answer"];
export type Address = Schemas["Address"];
export type Admin = Schemas["Admin"];
export type AdminToken = Schemas["AdminToken"];
export type AccessPolicy = Schemas["AccessPolicy"];
export type ApiKey = Schemas["Key"];
export type AssistantMode = Schemas["AssistantPolicy"]["mode"];
export type AuditEntry = Schemas["AuditEntry"];
export type Bill = Schemas["Bill"];
export type BillingPreview = Schemas["BillingPreview"];
export type BlockName = NonNullable<Extract<Schemas["LandUnitBody"], { include?: unknown }>["include"]>[number];
export type Bucket = Schemas["UsageRange"]["bucket"];
export type BuildingsBlock = Schemas["BuildingsBlock"];
export type CheckStatus = Schemas["Check"]["status"];
export type CodeCount = Schemas["CodeCount"];
export type CoverageState = LandUnitProperties["coverage"][string];
export type DatasetState = Schemas["DatasetState"];
export type DictionaryAnswer = Schemas["Dictionary"];
/** The parts of a divide-land answer that have arrived. */
export type Division = Partial<Schemas["DivideLandResponse"]>;
export type DvfSale = Schemas["DvfSale"];
export type Geometry = Schemas["Geometry"];
export type Installation = Schemas["Installation"];
export type Invitation = Schemas["Invitation"];
export type InvitedAdmin = Schemas["InvitedAdmin"];
export type IssuedBill = Schemas["IssuedBill"];
export type IssuedKey = Schemas["NewKey"];
export type IssuedToken = Schemas["NewAdminToken"];
export type KeyCall = Schemas["KeyCall"];
export type KeyPage = Schemas["KeyPage"];
export type KeyStatus = ApiKey["status"];
export type LoadedCommune = Schemas["LoadedCommune"];
export type LoadedCommunes = Schemas["CommunesResponse"];
export type LandBlock = Schemas["LandBlock"];
export type Lot = Schemas["Lot"];
export type LandUnit = Schemas["FeatureCollection"];
export type LandUnitProperties = Schemas["LandUnitProperties"];
export type ParcelsAnswer = Schemas["ParcelCollection"];
export type NewInvitation = Schemas["NewInvitation"];
export type Partner = Schemas["Partner"];
export type PartnerBill = Schemas["PartnerBill"];
export type PartnerPage = Schemas["PartnerPage"];
export type Plan = Schemas["Plan"];
export type Pricing = Schemas["Pricing"];
export type Problem = Schemas["Problem"];
export type Project = Schemas["Project"];
export type Proposal = Schemas["Proposal"];
export type QuickAssessment = Schemas["QuickAssessment"];
export type RealEstateBlock = Schemas["RealEstateBlock"];
export type ResolveAnswer = Schemas["ResolveResponse"];
export type RisksBlock = Schemas["RisksBlock"];
export type Role = Admin["role"];
export type Session = Schemas["Session"];
export type SetupState = Schemas["SetupState"];
export type SingleSignOn = Schemas["SingleSignOn"];
export type SignedIn = Schemas["SignedIn"];
export type Source = Schemas["Source"];
export type StatusCount = Schemas["StatusCount"];
export type SuggestAnswer = Schemas["SuggestResponse"];
export type Status = Schemas["StatusResponse"];
export type TopKey = Schemas["KeyUsage"];
export type TotpEnrolment = Schemas["TotpEnrolment"];
export type UrbanAuthorization = Schemas["UrbanAuthorization"];
export type UrbanismBlock = Schemas["UrbanismBlock"];
export type UsagePoint = Schemas["UsagePoint"];
export type UsageReport = Schemas["UsageReport"];
export type Violation = Schemas["Violation"];
export type Warning = Schemas["Warning"];
export type Wish = Schemas["Wish"];

/** One page of a list. */
export type ListPage<T> = Omit<Schemas["AuditPage"], "items"> & { items: T[] };

/** The values of a union of strings. A missing value does not compile. */
function valuesOf<T extends string>(values: Record<T, true>): readonly T[] {
  return Object.keys(values) as T[];
}

export const ROLES = valuesOf<Role>({ viewer: true, operator: true, owner: true });
export const KEY_STATUSES = valuesOf<KeyStatus>({ active: true, expired: true, revoked: true, suspended: true });
export const BUCKETS = valuesOf<Bucket>({ hour: true, day: true, month: true });
export type Watches = Schemas["WatchesResponse"];
export type Webhooks = Schemas["WebhooksResponse"];
