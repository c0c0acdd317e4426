"""Requests and answers of the API. `make clients` writes this file from the API description: do not edit it.

An answer may have more members than its type, since later versions of the service add some.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Address(TypedDict):
    """One address of the national address base (BAN)."""

    # Interoperability key of BAN (clé d’interopérabilité); of a municipality, its INSEE code; of a parcel or a
    # building, its own id. Null if the address is only repeated from the request.
    id: str | None
    # The address in one line, such as "12 bis Rue des Lilas, 75018 Paris".
    label: str | None
    # House number with its suffix, such as "12 bis". Null for a street, a locality or a municipality.
    number: str | None
    # Name of the street or of the locality (lieu-dit). Null for a municipality.
    street: str | None
    # Postcode, 5 characters. Null if unknown, or if a street or municipality has several.
    postcode: str | None
    # Name of the commune, as in mail: "Paris" in all of its arrondissements.
    city: str | None
    # INSEE code of the commune, or of the arrondissement in Paris, Lyon and Marseille.
    city_code: str | None
    # Latitude, WGS 84; of a street or municipality, the mean of its addresses. Null if no position is published.
    latitude: float | None
    # Longitude, WGS 84; of a street or municipality, the mean of its addresses. Null if no position is published.
    longitude: float | None
    # How precise the address is. Null if it is only repeated from the request.
    type: AddressType | None
    # Probability that this is the right address, from 0 to 1. Addresses of a land unit have 1.
    score: float | None
    # How well each part agrees with the query. Null if there was no query to compare with.
    matched: AddressAgreement | None
    # The arrondissement in Paris, Lyon and Marseille, such as "Paris 18e Arrondissement". Null elsewhere.
    district: str | None


class AddressAgreement(TypedDict):
    """How well an address agrees with each given field; where no field is given, with the part of the label."""

    # Agreement of the number: 1 if it exists, 0 if not. Null if the query gives none.
    number: float | None
    # Similarity of the street name, from 0 to 1. Null if the query gives none.
    street: float | None
    # Similarity of the city name, from 0 to 1. Null if the query gives none.
    city: float | None
    # Agreement of the postcode: 1 if equal, 0.5 if only the département agrees, else 0. Null if the query gives
    # none.
    postcode: float | None
    # Agreement of the INSEE code: 1 if it means the commune, also as a former code or that of all of Paris, Lyon or
    # Marseille; else 0. Null if the query gives none.
    city_code: float | None
    # The least agreement of the parts of the label, from 0 to 1. Null if the query gives no label.
    label: float | None


class AddressLine(TypedDict):
    # Your own id of the line, which its answer repeats: a text of at most 200 characters, or a whole number.
    id: NotRequired[Any]
    # The address as free text, such as "10 rue de la Paix 75002 Paris". Also a parcel as people write it, such as
    # "section AN n° 221 à Ustaritz", the id of an address in BAN, or the id of a building in the RNB.
    label: NotRequired[str | None]
    # Name of the street or of the locality (lieu-dit), with its type.
    street: NotRequired[str | None]
    # House number with its suffix, such as "12 bis".
    number: NotRequired[str | None]
    # Postcode, 5 characters.
    postcode: NotRequired[str | None]
    # Name of the commune; a former name is found too.
    city: NotRequired[str | None]
    # INSEE code of the commune; a former code is found too.
    city_code: NotRequired[str | None]
    # Ignored. An answer has it, and may be sent as a request.
    district: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    latitude: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    longitude: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    matched: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    score: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    type: NotRequired[Any]


class AddressQuery(TypedDict):
    # The address as free text, such as "10 rue de la Paix 75002 Paris". Also a parcel as people write it, such as
    # "section AN n° 221 à Ustaritz", the id of an address in BAN, or the id of a building in the RNB.
    label: NotRequired[str | None]
    # Name of the street or of the locality (lieu-dit), with its type.
    street: NotRequired[str | None]
    # House number with its suffix, such as "12 bis".
    number: NotRequired[str | None]
    # Postcode, 5 characters.
    postcode: NotRequired[str | None]
    # Name of the commune; a former name is found too.
    city: NotRequired[str | None]
    # INSEE code of the commune; a former code is found too.
    city_code: NotRequired[str | None]
    # Ignored. An answer has it, and may be sent as a request.
    district: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    id: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    latitude: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    longitude: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    matched: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    score: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    type: NotRequired[Any]


class Answer(TypedDict):
    """The answer to the question, in words."""

    # Always "markdown".
    format: Literal["markdown"]
    # The answer in Markdown, in the language of the request.
    text: str
    # Codes of the checks that the text cites, in the order of the checks.
    grounded_on: list[str]
    # The questions that the text answers.
    answered: list[AnsweredQuestion]
    # The questions that it cannot answer, with whom to ask.
    unanswered: list[UnansweredQuestion]


class AnsweredQuestion(TypedDict):
    """A question that the text answers."""

    # Code of what was asked.
    intent: str
    # What was asked, in a few words.
    question: str
    # Codes of the checks and of the facts that the answer rests on. The values listed are those of the facts;
    # checks have the codes of quick_assessment.
    grounded_on: list[str]


class AssistantPolicy(TypedDict):
    """What a key may ask of the assistant in a month."""

    # Assistant mode of the key.
    mode: AssistantMode
    # Calls of the assistant per month. Null if there is no limit.
    monthly_calls: int | None
    # Tokens of language models per month. Null if there is no limit.
    monthly_tokens: int | None


class Assumption(TypedDict):
    """A figure that is assumed, since the local rules are not read."""

    # The figure assumed, in unit.
    value: float
    # Unit of the value: m, m² or lots.
    unit: str
    # The assumption in a sentence, in the language of the request.
    detail: str


class Assumptions(TypedDict):
    """The project as understood, what became of each wish, and the figures that are assumed, by name."""

    # The project as understood, from the fields of the request and the text of the question. Correct it and send it
    # again as `project`.
    project: Project
    # Each wish of the project with what became of it, then the words of the question that were not read.
    wishes: list[Wish]


class Bound(TypedDict):
    """A part of the boundary by what it faces: the nearest road, path, railway or water within 10 m of its edge."""

    # What it faces.
    kind: str
    # Length of this part.
    length_m: float
    # This part of the boundary, as a MultiLineString.
    geometry: Geometry | None


class Building(TypedDict):
    """One building, as far as it stands on the land."""

    # Its RNB id if it has exactly one, else the id of the record that gives its outline.
    id: str
    # Footprint of the part on the land. Null if only its place is known.
    footprint_m2: float | None
    # Share of the building that stands on the land, from 0 to 1. Null if it is not known.
    cover_ratio: float | None
    # Height, the highest if several records are one building. Null if unknown.
    height_m: float | None
    # Number of storeys, the ground floor included. Null if unknown.
    storeys: int | None
    # Use in BD TOPO's French words, the main one first, such as Résidentiel. Null if unknown.
    usage: str | None
    # Dwellings in the whole building, also if only a part is on the land. Null if unknown.
    dwelling_count: int | None
    # Year of construction, the oldest if several records are one building. Null if unknown.
    construction_year: int | None
    # Outline of the part on the land, WGS 84. Null if only its place is known.
    geometry: Geometry | None
    # Whether it is a light construction (construction légère), such as a veranda or a shed. Null if unknown.
    is_light: bool | None
    # Its ids in the national register of buildings (RNB), by the RNB or BD TOPO.
    rnb_ids: list[str]
    # Id of the dataset that gives the outline, or the point.
    outline_source: str
    # Id of the dataset that gives height, storeys, usage, dwellings and year. Null if none has the building.
    facts_source: str | None


class BuildingsBlock(TypedDict):
    """The buildings on the land."""

    # Number of buildings on the land. 0 means that a source which has the commune shows none. Null if it is not
    # known what stands on the land: then the registers of joint ownerships and ratings alone are known.
    count: int | None
    # Ground under buildings (emprise au sol), overlaps once. Null if a building has no outline.
    footprint_area_m2: float | None
    # The footprint as a share of the drawn area of the land, from 0 to 1. Null without a footprint.
    ground_coverage_ratio: float | None
    # The buildings, largest footprint first; at most 500.
    items: list[Building]
    # Registered joint ownerships that name a parcel of the land, at most 100. An empty list does not prove that
    # there is none: some are not registered, or name no parcel. A syndic in land.owners is another sign.
    joint_ownerships: list[JointOwnership]
    # Energy ratings (DPE) of the dwellings on the land. Null if none joins safely.
    energy_ratings: EnergyRatings | None


class Change(TypedDict):
    """A change of the project or of its access, with which the division was drawn and assessed again."""

    # What changes.
    kind: str
    # The change and what it lifts in a sentence, in the language of the request.
    summary: str
    # The land that it concerns: the ground of the right of way, what the house gives up, or the lots given up.
    area_m2: float
    # Codes of the checks that no longer stand against the project.
    turned_checks: list[str]
    # The verdict with the change.
    verdict: Verdict
    # The first drawing that the change makes possible.
    proposal: Proposal
    # The neighbour's parcel that the right of way crosses; null for other changes.
    parcel_id: str | None
    # The ground of the right of way; null for other changes. Buildings of the neighbour are not known.
    ground: Geometry | None
    # The owners of that parcel that are legal persons. Empty for other changes, and if none is known.
    owners: list[LegalPerson]


class Check(TypedDict):
    """One rule, applied to the land."""

    # Stable code of the check.
    code: str
    # Result of the check.
    status: CheckStatus
    # The result in a few sentences, in the language of the request.
    detail: str
    # What was measured: a number in unit, a text or a boolean. Null if it is not known or nothing is measured.
    value: Any
    # The number that value is compared with, in unit. Null if there is none.
    threshold: float | None
    # Unit of value and threshold: m, m², %, ratio, or what is counted: prescriptions, informations, easements,
    # owners or sales. Null without one.
    unit: str | None
    # Articles of law and decisions that apply, by their official French names.
    legal_refs: list[str]
    # What would settle the check: ids of datasets, as in coverage, and documents with who has them, in the language
    # of the request. Empty if nothing is left to settle.
    settled_by: list[str]


class Commune(TypedDict):
    """A commune, or an arrondissement of Paris, Lyon or Marseille."""

    # INSEE code; of the arrondissement in Paris, Lyon and Marseille.
    code: str
    # Name of the commune, from INSEE's list, else from its addresses. Null if neither is loaded.
    name: str | None


class CommuneRisks(TypedDict):
    """Facts of the whole commune. They say nothing about the land itself."""

    # Risks that the départemental file (DDRM) lists, in French.
    recorded_risks: list[str]
    # Recognitions of natural disaster (CatNat), newest first; at most 50.
    natural_disasters: list[NaturalDisaster]
    # Number of all recognitions. One decree may recognize several events and phenomena. Null if it is not known.
    natural_disaster_count: int | None
    # Whether the list of recorded risks is known.
    recorded_risks_status: str
    # Whether the natural disasters are known.
    natural_disasters_status: str
    # When the publisher was asked, the oldest answer if there are several. Null if it did not answer.
    retrieved_at: str | None
    # Why it is not known, or only from old or incomplete answers. Null if it is known.
    reason: str | None


class CommuneRules(TypedDict):
    """What lists say of a commune."""

    # INSEE code of the commune.
    commune_code: str
    # Rates of the development tax (taxe d’aménagement). Null if they are not loaded.
    development_tax: DevelopmentTax | None
    # Whether the law on mountains (loi Montagne) applies: whole, part or none of the commune. Null if the list is
    # not loaded.
    mountain_law: str | None
    # Whether the law on coasts (loi Littoral) applies: whole, part or none of the commune. Null if the list is not
    # loaded.
    coast_law: str | None
    # State of the plan in force, as the ministry writes it. Null if it is unknown.
    plan_in_force: str | None
    # State of the plan being drawn up or revised. Null if none is, or if plan_in_force is null.
    plan_under_way: str | None


class CommunesResponse(TypedDict):
    """A page of the communes with loaded data."""

    # The communes, in order of INSEE code.
    communes: list[LoadedCommune]
    # The cursor parameter of the next page. Null on the last page.
    next_cursor: str | None


class ComparableSale(TypedDict):
    """A sale nearby of one property of the same kind."""

    # Id of the sale (mutation) in one edition of the file.
    id_mutation: str
    # Date of the deed, YYYY-MM-DD.
    date_mutation: str
    # Type of the unit sold: house, flat or business premises. Null for bare land.
    type_local: str | None
    # Price of the whole sale: the sum of its dispositions, at least 1,000 EUR.
    valeur_fonciere: float | None
    # Built area (surface réelle bâtie) of the unit. Null for bare land.
    surface_reelle_bati: float | None
    # Ground sold, all parcels together; identical rows count once. Null if it is not known.
    surface_terrain: float | None
    # Price per m² built, ground included; of bare land, per m² of ground.
    price_eur_per_m2: float | None
    # Distance from the edge of the land to the point that DVF gives, the middle of a parcel.
    distance_m: float | None
    # Ids of the parcels sold.
    parcel_ids: list[str]
    # What was sold.
    kind: str


class CoverageResponse(TypedDict):
    """A page of the data that is loaded."""

    # What is loaded, in order of dataset, unit and part.
    datasets: list[LoadedDataset]
    # The cursor parameter of the next page. Null on the last page.
    next_cursor: str | None
    # The datasets of this page, each once.
    sources: list[Source]


class CreatedWebhook(TypedDict):
    """An endpoint with its secret."""

    # The endpoint.
    webhook: Webhook
    # The secret of the signatures, whsec_ and Base64. It is given only here.
    secret: str


class DevelopmentTax(TypedDict):
    """Rates of the development tax, in percent."""

    # Year from which the rates apply.
    year: int
    # Rate of the commune or of its intercommunality: the lowest, if sectors have their own.
    commune_percent: float | None
    # The highest rate of the commune's sectors.
    highest_percent: float | None
    # Rate of the département.
    department_percent: float | None
    # Rate of the region, in Île-de-France only.
    region_percent: float | None


class DivideLandBody(TypedDict):
    # Address that selects its parcels. If parcel_ids is there too, parcel_ids decides.
    address: NotRequired[SelectingAddress | None]
    # Cadastral ids of the parcels, 14 characters each, at most 100. Lower case is accepted.
    parcel_ids: NotRequired[list[str] | None]
    # What to ask, at most 2,000 characters. If absent: "Diviser un terrain", in every language.
    question: NotRequired[str | None]
    # The project in fields. A field wins over the question's text, and the text fills what no field says. An agent
    # fills it from its user's words: what was understood comes back as `quick_assessment.assumptions.project`, and
    # can be corrected and sent again.
    project: NotRequired[ProjectBody | None]
    # Ignored. An answer has it, and may be sent as a request.
    alternatives: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    parcels: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    sources: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    warnings: NotRequired[Any]


class DivideLandResponse(TypedDict):
    """The assessment of a division, the land that it is about, and the written answer."""

    # What was asked, and who wrote the answer.
    prompt: Prompt
    # The assessment by rules: verdict, checks and proposed lots.
    quick_assessment: QuickAssessment
    # The land that was assessed, as /land-units/geojson gives it with all blocks.
    context: FeatureCollection
    # The written answer.
    answer: Answer


class DvfSale(TypedDict):
    """One sale on one parcel, from the register of property sales (DVF)."""

    # Id of the sale (mutation) in one edition of the file. It changes between editions, and is unique within a
    # commune only.
    id_mutation: str
    # Id of the parcel as the file gives it today. It may differ from the selected one if the sale names that as a
    # former id.
    id_parcelle: str
    # Date of the deed, YYYY-MM-DD.
    date_mutation: str | None
    # Nature of the sale, such as Vente, Echange or Adjudication.
    nature_mutation: str | None
    # Type of the main unit sold on the parcel: house, flat, business premises or dependency. Null for bare land.
    type_local: str | None
    # Whether a dependency (garage, cellar) was sold on the parcel.
    has_dependance: bool
    # Lots of a copropriété sold on the parcel. With lots, the price is not that of the land.
    lot_count: int
    # Built area (surface réelle bâtie) on the parcel, without dependencies; identical rows count once. Null if no
    # unit has one.
    surface_reelle_bati: float | None
    # Area of ground sold on the parcel; identical rows count once. Null if the file gives none, as for lots.
    surface_terrain: float | None
    # Main rooms of the units sold on the parcel, without dependencies. Null if no unit has a number.
    nombre_pieces_principales: int | None
    # Price of the dispositions that name the parcel, each for all its parcels together. Null if none has a price.
    valeur_fonciere: float | None
    # House number of the main unit sold on the parcel.
    adresse_numero: str | None
    # Suffix of the number, such as B for bis.
    adresse_suffixe: str | None
    # Street name, as the file writes it.
    adresse_nom_voie: str | None
    # Postcode, 5 characters.
    code_postal: str | None
    # INSEE code of the commune; of the arrondissement in Paris, Lyon and Marseille.
    code_commune: str | None
    # Name of the commune.
    nom_commune: str | None


class Easement(TypedDict):
    """A public easement (servitude d’utilité publique) on the land."""

    # Official code of the category, such as AC1.
    category: str
    # Official label of the category, in French. Null if the list has no such code.
    category_label: str | None
    # Name of the easement, or of the land that bears it.
    name: str
    # Kind of the land that bears it (TYPEASS). Null if it is not given.
    type: str | None
    # Whether the land that bears it is drawn as a surface, a line or a point.
    geometry_kind: str
    # Area of the land that a surface covers. Null for lines and points.
    overlap_area_m2: float | None
    # Share of the land that a surface covers. Null for lines and points.
    overlap_ratio: float | None
    # Length of a line on the land or within 20 cm of its boundary. Null for surfaces and points.
    overlap_length_m: float | None
    # What causes it. Null if it is not published.
    generator: EasementGenerator | None
    # The act that creates it. Null if it is not published.
    act: EasementAct | None


class EasementAct(TypedDict):
    """The legal act that creates an easement."""

    # Its name.
    name: str
    # Its kind, such as arrêté préfectoral. Null if it is not given.
    type: str | None
    # Date of the decision. Null if it is not given.
    decided_on: str | None
    # Address of the text. Null if there is none.
    url: str | None


class EasementEvent(TypedDict):
    """A fact about watched land that a load has changed. A fact about several watched parcels is one event. Later
    versions may add kinds of facts: pass over those that you do not know."""

    # What kind of fact it is.
    kind: Literal["easement"]
    # Id of the event, a whole number as text. Later events have larger ones.
    id: str
    # What happened to the fact.
    change: FactChange | None
    # When the load was made, RFC 3339 UTC.
    created_at: str
    # The communes of the watched places that the fact is about.
    commune_codes: list[str]
    # The watched parcels that the fact is about, at most 100; empty if it is about a whole commune.
    parcel_ids: list[str]
    # The watches of these places: the first 10 by id.
    watch_ids: list[str]
    # The fact before the load, with those of these members that its dataset has. Null if it is new.
    before: EasementFact | None
    # The fact after the load. Null if it is removed.
    after: EasementFact | None
    # Id of the dataset, such as dvf.
    dataset: str
    # Edition that the load replaced. Null for a part that is published for the first time, such as a new year.
    previous_edition: str | None
    # Edition of the load.
    edition: str


class EasementFact(TypedDict):
    """A public easement on parcels."""

    # Official code of the category, such as AC1.
    category: NotRequired[str]
    # Name of the easement, or of the land that bears it.
    name: NotRequired[str]
    # Kind of the land that bears it (TYPEASS). Null if it is not given.
    type: NotRequired[str | None]
    # The id of the easement in its document.
    easement_id: NotRequired[str]


class EasementGenerator(TypedDict):
    """What causes an easement, such as a monument or a pipe."""

    # Its name.
    name: str
    # Its kind (TYPEGEN). Null if it is not given.
    type: str | None


class EnergyRatings(TypedDict):
    """Distribution of the energy ratings (DPE) of the dwellings on the land."""

    # Number of current ratings. A dwelling with several tests counts several times.
    count: int
    # Ratings by letter of the energy rating.
    energy: list[RatingCount]
    # Ratings by letter of the greenhouse gas rating.
    greenhouse_gas: list[RatingCount]
    # Date of the oldest rating.
    oldest_on: str
    # Date of the newest rating.
    newest_on: str
    # How the ratings were joined to the land.
    joined_by: list[JoinCount]


class EventsResponse(TypedDict):
    """The next events of a partner's watches."""

    # The events, the oldest first. Empty if there are no newer ones.
    events: list[LandEvent]
    # The after parameter of the next request, also if there are no newer events yet. Null if there never was one.
    next_after: str | None


class FarmedLand(TypedDict):
    """The parts of the land with one crop."""

    # Year of the declaration. Null if the file does not state it.
    year: int | None
    # Official code of the main crop (CODE_CULTU), such as BTH.
    crop_code: str
    # Official group of the crop (CODE_GROUP), from 1 to 28; 18 is permanent grassland. Null if the list does not
    # have it.
    crop_group: str | None
    # Area of these parts on the land.
    overlap_area_m2: float
    # Their share of the land.
    overlap_ratio: float


class FeatureCollection(TypedDict):
    """The land unit as GeoJSON: one Feature, the union of the parcels."""

    # Always "FeatureCollection".
    type: Literal["FeatureCollection"]
    # Always one Feature: the land unit.
    features: list[LandUnitFeature]
    # West, south, east and north limits of the land, WGS 84. Absent without an outline.
    bbox: NotRequired[list[float]]


class FeatureLink(TypedDict):
    """A link."""

    # Its address.
    href: str
    # What it leads to: self, collection or next.
    rel: str
    # The media type there.
    type: str


class FormerParcel(TypedDict):
    """A parcel that the parcels come from, with its sales and permits. Its land may be larger."""

    # Id of the former parcel.
    parcel_id: str
    # Permits that name the former parcel, newest first.
    urban_authorizations: list[UrbanAuthorization]
    # Sales of the former parcel, newest first. Their prices are for all of it.
    dvf_sales: list[DvfSale]


class History(TypedDict):
    """What happened on the parcels: permits and sales."""

    # Permits that name a parcel of the land unit, newest first; one item per permit and parcel.
    urban_authorizations: list[UrbanAuthorization]
    # Sales of the parcels; one item per sale and parcel.
    dvf_sales: list[DvfSale]
    # Changes that made the parcels, and the parcels that they come from; the newest first.
    lineage: list[ParcelLineage]
    # Former parcels on which a sale or a permit is recorded, of those that the parcels come from. None of it is the
    # parcels’ own.
    former: list[FormerParcel]
    # Whether no former parcel is missing since the first year of loaded sales. If false, an empty list of sales
    # does not mean that there was none.
    is_lineage_known: bool
    # Divisions in the cadastral sections of the parcels; one item per section and year, the newest first.
    section_divisions: list[SectionDivisions]


class JoinCount(TypedDict):
    """How many ratings were joined to the land by one kind of id."""

    # The id that joined them: rnb_id, ban_id or address_point.
    join: str
    # Number of ratings joined so.
    count: int


class JointOwnership(TypedDict):
    """A joint ownership (copropriété) of the national register on a parcel of the land."""

    # Its number in the register.
    id: str
    # Its usual name. Null if it is not given.
    name: str | None
    # Number of its lots of all kinds. Null if it is not given.
    lot_count: int | None
    # Number of its lots for dwellings. Null if it is not given.
    dwelling_lot_count: int | None
    # Period of construction as the register gives it. Null if it is not given.
    construction_period: str | None
    # Kind of its manager (syndic). Null if it is not given.
    manager_type: str | None
    # The parcels of the land that it names.
    parcel_ids: list[str]


class KeepOut(TypedDict):
    """Something that must not be built over."""

    # What it is, such as an orchard or a well.
    thing: str
    # Distance to be kept from it.
    distance_m: float | None


class KeepOutBody(TypedDict):
    # What it is, such as an orchard or a well.
    thing: NotRequired[str | None]
    # Distance to be kept from it.
    distance_m: NotRequired[float | None]


class KeyEvent(TypedDict):
    """What happened to a key or to the bills of a partner, once."""

    # Id of the event, a whole number as text. Later events have larger ones.
    id: str
    # What happened.
    kind: KeyEventKind | None
    # When it was recorded, RFC 3339 UTC.
    created_at: str
    # Public id of the key. Null for bills.
    key_id: str | None
    # The month of the limit or of the bills in Europe/Paris, YYYY-MM. Null for an expiry.
    month: str | None
    # Share of the limit that is used: 80 or 100. 100 also if a request was refused because too little was left.
    # Null without a limit.
    percent: int | None
    # Days until the key expires, at most: 14 or 1. Null without an expiry.
    days_left: int | None
    # When the key expires, RFC 3339 UTC. Null without an expiry.
    expires_at: str | None
    # A decimal text: the limit, in units or in EUR without VAT, or the sum of the bills in EUR with VAT. Null for
    # an expiry.
    amount: str | None


class KeyEventsResponse(TypedDict):
    """The next events of a partner's keys."""

    # The events, the oldest first. Empty if there are no newer ones.
    events: list[KeyEvent]
    # The after parameter of the next request, also if there are no newer events yet. Null if there never was one.
    next_after: str | None


class LandBlock(TypedDict):
    """Place, areas, frontage and addresses of the land unit."""

    # The commune. Null if the land lies in several.
    commune: Commune | None
    # Code of the département, 2 characters, 3 overseas. Null if the land lies in several.
    department: str | None
    # Sections of the parcels, each once, in parcel order.
    sections: list[str]
    # Numbers of the parcels, each once, in parcel order.
    numbers: list[str]
    # Prefixes of the parcels, each once, in parcel order.
    prefixes: list[str]
    # Sum of the declared areas (contenances). Null if one parcel has none.
    cadastral_area_m2: float | None
    # Area of the drawn outline, on the ground. Null without an outline.
    geometric_area_m2: float | None
    # Length of the outline, holes included, on the ground. Null without an outline.
    perimeter_m: float | None
    # Longitude and latitude of the centroid, WGS 84. Null without an outline.
    centroid: list[float] | None
    # Whether the cadastre says that all parcels were measured on the ground (arpentées). Null if it says nothing of
    # one.
    is_surveyed: bool | None
    # Estimated length of the boundary on a road: of bounds, the part road. Where bounds is empty, all that no other
    # parcel touches within 20 cm. Null if it is not known.
    frontage_m: float | None
    # That part of the boundary, as a MultiLineString. Null if it is not known.
    frontage: Geometry | None
    # Numbered addresses with their point on the land, or that declare one of its parcels; at most 500.
    addresses: list[Address]
    # Whether the parcels form one piece; gaps up to 20 cm do not count. Null if a parcel has no outline.
    is_contiguous: bool | None
    # Section of a single parcel, 2 characters. Null for several parcels: see sections.
    section: str | None
    # Number of a single parcel, 4 digits. Null for several parcels: see numbers.
    number: str | None
    # Prefix of a single parcel, 3 digits. Null for several parcels: see prefixes.
    prefix: str | None
    # Rights of legal persons on the parcels, at most 200. Natural persons are never given; an empty list does not
    # mean that there is no owner.
    owners: list[Owner]
    # Altitude and slope of the land. Null if no altitude is known.
    terrain: Terrain | None
    # The legal projection of the territory, as EPSG:2154 for RGF93 / Lambert-93. Lengths and areas are on the
    # ground, not in its plane. Null without an outline.
    projection: str | None
    # Length in the plane of this projection for one metre on the ground, at the centroid. An area is multiplied by
    # its square. Null without an outline.
    projection_scale: float | None
    # Permits on other parcels of the communes within 200 m of the land, with their times. Null if no permits of the
    # communes are loaded.
    nearby_authorizations: NearbyAuthorizations | None
    # What the boundary faces where no other parcel touches it, the longest part first. Empty if it is not known:
    # see coverage.
    bounds: list[Bound]
    # What lists say of each commune of the land: rates of the development tax, laws on mountains and coasts, state
    # of the plan. A commune of which they say nothing is left out.
    commune_rules: list[CommuneRules]
    # Parts of the land that a farmer declared for aid of the common agricultural policy in the newest year, by
    # crop, the largest first. Overlaps narrower than 4 m are left out. Undeclared farming is missing, and nothing
    # is said of a lease or of its holder.
    farmed_land: list[FarmedLand]


class LandLine(TypedDict):
    # Your own id of the line, which its answer repeats: a text of at most 200 characters, or a whole number.
    id: NotRequired[Any]
    # Address that selects its parcels. If parcel_ids is there too, parcel_ids decides.
    address: NotRequired[SelectingAddress | None]
    # Cadastral ids of the parcels, 14 characters each, at most 100. Lower case is accepted.
    parcel_ids: NotRequired[list[str] | None]
    # Blocks to include. If absent: all but risks. If empty: none. History always comes.
    include: NotRequired[list[Block] | None]
    # Ignored. An answer has it, and may be sent as a request.
    alternatives: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    parcels: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    sources: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    warnings: NotRequired[Any]


class LandUnitBody(TypedDict):
    # Address that selects its parcels. If parcel_ids is there too, parcel_ids decides.
    address: NotRequired[SelectingAddress | None]
    # Cadastral ids of the parcels, 14 characters each, at most 100. Lower case is accepted.
    parcel_ids: NotRequired[list[str] | None]
    # Blocks to include. If absent: all but risks. If empty: none. History always comes.
    include: NotRequired[list[Block] | None]
    # Ignored. An answer has it, and may be sent as a request.
    alternatives: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    parcels: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    sources: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    warnings: NotRequired[Any]


class LandUnitFeature(TypedDict):
    """The land unit (unité foncière): its outline and its facts."""

    # Always "Feature".
    type: Literal["Feature"]
    # Union of the parcels' outlines, WGS 84. Null if the plan draws none of them.
    geometry: Geometry | None
    # West, south, east and north limits of the land, WGS 84. Absent without an outline.
    bbox: NotRequired[list[float]]
    # The facts about the land unit.
    properties: LandUnitProperties


class LandUnitLine(TypedDict):
    """The answer to one line of a file of land units: body, or problem."""

    # Place of the line in the request, from 1. Blank lines and the header of a table do not count; a preview has
    # the header as 0.
    line: int
    # The id that the line gave; null if it gave none.
    id: Any
    # The HTTP status that the line alone would have got. 200 costs units, all others are free.
    status: int
    # The answer, as /land-units/geojson gives it. Present with status 200.
    body: NotRequired[FeatureCollection]
    # The error of the line. Present with any other status.
    problem: NotRequired[Problem]
    # In a preview, the cells of the line as they came.
    cells: NotRequired[list[str]]


class LandUnitProperties(TypedDict):
    """The facts about a land unit. A block that include leaves out is absent."""

    # Ids of the parcels that make up the land unit, in the order of the request.
    parcel_ids: list[str]
    # The address of the request as found, or repeated unchanged if it was not found. Null if the request has none.
    address: Address | None
    # The parcels, in the same order.
    parcels: list[Parcel]
    # Permits and sales of the parcels; always present.
    history: History
    # Place, areas, frontage and addresses. Absent if include leaves it out.
    land: NotRequired[LandBlock | None]
    # Planning documents. Null if none is known; absent if include leaves it out.
    urbanism: NotRequired[UrbanismBlock | None]
    # What stands on the land. Null if that is not known; absent if include leaves it out.
    buildings: NotRequired[BuildingsBlock | None]
    # Comparable sales nearby. Null if no sales nearby are known; absent if include leaves it out.
    real_estate: NotRequired[RealEstateBlock | None]
    # Risks of the land. Given if include names risks.
    risks: NotRequired[RisksBlock | None]
    # How far each dataset, by its id, covers the land. Only "covered" makes an empty list mean none.
    coverage: dict[str, CoverageStatus]
    # The datasets that the answer used.
    sources: list[Source]
    # What to know before use of the answer; empty if there is nothing.
    warnings: list[Warning]


class LegalPerson(TypedDict):
    """A legal person."""

    # Its name. Null where it may be an individual's.
    name: str | None
    # Its SIREN, 9 digits. Null if the file has a provisional number.
    siren: str | None


class LineString(TypedDict):
    """A GeoJSON geometry (RFC 7946)."""

    # Type of the GeoJSON geometry (RFC 7946).
    type: Literal["LineString"]
    # Longitude and latitude, WGS 84, with at most 7 decimals.
    coordinates: list[list[float]]


class LineageEvent(TypedDict):
    """A fact about watched land that a load has changed. A fact about several watched parcels is one event. Later
    versions may add kinds of facts: pass over those that you do not know."""

    # What kind of fact it is.
    kind: Literal["lineage"]
    # Id of the event, a whole number as text. Later events have larger ones.
    id: str
    # What happened to the fact.
    change: FactChange | None
    # When the load was made, RFC 3339 UTC.
    created_at: str
    # The communes of the watched places that the fact is about.
    commune_codes: list[str]
    # The watched parcels that the fact is about, at most 100; empty if it is about a whole commune.
    parcel_ids: list[str]
    # The watches of these places: the first 10 by id.
    watch_ids: list[str]
    # The fact before the load, with those of these members that its dataset has. Null if it is new.
    before: LineageFact | None
    # The fact after the load. Null if it is removed.
    after: LineageFact | None
    # Id of the dataset, such as dvf.
    dataset: str
    # Edition that the load replaced. Null for a part that is published for the first time, such as a new year.
    previous_edition: str | None
    # Edition of the load.
    edition: str


class LineageFact(TypedDict):
    """A change by which a parcel became others, by a document of lineage or by a newer edition of the plan."""

    # Ids of the parcels before. Empty for land without a number, such as a road.
    mothers: NotRequired[list[str]]
    # Ids of the parcels after. Empty for land that has no number since.
    daughters: NotRequired[list[str]]
    # What happened, by the numbers of mothers and daughters.
    kind: NotRequired[str]
    # Date on which the document was validated, YYYY-MM-DD; not that of a sale. Null if only the plan shows the
    # change.
    date: NotRequired[str | None]
    # Last edition of the plan that had the mothers: the change is later. Null for a document.
    last_edition: NotRequired[str | None]
    # Nature of the document, such as Document d’arpentage. Null if only the plan shows the change.
    nature: NotRequired[str | None]
    # Number of the document in the commune. Null if only the plan shows the change.
    document: NotRequired[str | None]


class LoadedCommune(TypedDict):
    """A commune with loaded data."""

    # INSEE code of the commune or arrondissement.
    code: str
    # Name of the commune. Null if no loaded list has it.
    name: str | None
    # Ids of the datasets that are loaded for it, as in coverage.
    datasets: list[str]
    # Its place on a small map, in WGS 84: its outline to about 50 m, else its middle. Null if neither is loaded.
    geometry: Geometry | None


class LoadedDataset(TypedDict):
    """One edition of a dataset, for one unit of its publisher."""

    # Id of the dataset, such as dvf.
    dataset: str
    # The publisher's piece: a commune's INSEE code, a département, a planning document such as DU_64547, or FR.
    unit: str
    # Part of the unit that is published apart, such as a year of sales; empty if there is one only.
    part: str
    # Edition as the publisher states it, such as 2026-06-01; "unknown" if none is stated.
    edition: str
    # When the service downloaded or imported the file, RFC 3339 UTC.
    retrieved_at: str
    # When its rows were loaded, RFC 3339 UTC.
    loaded_at: str
    # Records loaded.
    row_count: int
    # Rows of the file that could not be read; 0 if the file has several units.
    rejected_count: int


class Lot(TypedDict):
    """One lot of a proposal."""

    # Always "Feature".
    type: Literal["Feature"]
    # Letter of the lot: A to F.
    id: str
    # Outline of the lot, WGS 84.
    geometry: Geometry | None
    # Figures of the lot.
    properties: LotProperties


class LotProperties(TypedDict):
    """Figures of a lot."""

    # Area, the access strip included, on the ground.
    area_m2: float
    # Length of the lot's boundary on the way; 0 if there is none, or if access is unknown.
    frontage_m: float
    # How the lot reaches the way.
    access: str
    # Area over that of a circle of the same perimeter, from 0 to 1.
    compactness: float
    # Area of buildable_envelope, at most what a stated or read footprint leaves.
    buildable_area_m2: float
    # Whether an existing building stands on the lot.
    has_existing_building: bool
    # Codes of the assumptions that the lot does not meet; empty if it meets all.
    violations: list[str]
    # What the lot is for.
    role: str
    # The sides in order: those of the outline, then those of holes. Their lengths add up to the perimeter.
    sides: list[LotSide]
    # Where a building may stand after setbacks, access strip, existing buildings, rights of way, and the zones,
    # prescriptions and easements that forbid building; null if nothing is left.
    buildable_envelope: Geometry | None
    # Slope of the plane through the samples of the altitude in the lot; null if there are fewer than three.
    mean_slope_percent: float | None
    # The ground of other lots over which the lot reaches the way, by a right of way; null if it has another access.
    right_of_way: Geometry | None
    # Area of the lot where zones, prescriptions, easements or risk zones forbid building.
    closed_area_m2: float
    # Width of the largest house of the assumed proportions that fits on the lot; null if the assumed one fits.
    largest_house_width_m: float | None
    # Length of the largest house of the assumed proportions that fits on the lot; null if the assumed one fits.
    largest_house_depth_m: float | None


class LotSide(TypedDict):
    """One straight side of a lot, or several that make one line."""

    # Length of the side, on the ground.
    length_m: float
    # What is on the other side.
    kind: str


class Lots(TypedDict):
    """The lots of a proposal, as GeoJSON."""

    # Always "FeatureCollection".
    type: Literal["FeatureCollection"]
    # One Feature per lot.
    features: list[Lot]


class MapFeature(TypedDict):
    """One feature of a collection."""

    # Always "Feature".
    type: Literal["Feature"]
    # Its id in the collection. For parcels, the cadastral id.
    id: str
    # Its outline or point in the requested reference system. Null without one.
    geometry: Geometry | None
    # Its properties: each collection has its own.
    properties: dict[str, Any]
    # The feature and its collection, if it was requested alone.
    links: NotRequired[list[FeatureLink]]


class MapFeatureCollection(TypedDict):
    """A page of a collection as GeoJSON, in order of id."""

    # Always "FeatureCollection".
    type: Literal["FeatureCollection"]
    # The features of this page, in order of id.
    features: list[MapFeature]
    # Number of features of this page.
    numberReturned: int
    # When the data was read, UTC.
    timeStamp: str
    # The origin of the features: publisher, edition, licence and attribution of each dataset.
    sources: list[Source]
    # How far the datasets of the collection cover the communes of bbox or filter. Empty without these, and for
    # planning documents.
    coverage: dict[str, CoverageStatus]
    # What the page may miss.
    warnings: list[Warning]
    # This page, its collection, and the next page if features follow.
    links: list[FeatureLink]


class MappedAddress(TypedDict):
    """The properties of an address."""

    # Its id in the BAN (interoperability key).
    ban_id: str
    # INSEE code of the commune.
    commune_code: str
    # The street's id in the BAN.
    street_id: str
    # House number.
    number: int
    # Suffix of the number, such as bis; empty without one.
    suffix: str
    # Name of the street.
    street_name: str
    # Postcode.
    postcode: str
    # Name of the commune.
    commune_name: str
    # The parcels that the BAN declares.
    parcel_ids: list[str]


class MappedBuilding(TypedDict):
    """The properties of a building, as one dataset has it."""

    # Its id at the publisher. The cadastre has none: it is made from the outline.
    building_id: str
    # The dataset that has this building: cadastre-buildings, bdtopo or rnb. The same building may be in several.
    dataset: str
    # The publisher's piece of the dataset, as GET /coverage lists it.
    partition: str
    # Its ids in the national register of buildings (RNB), by the RNB or BD TOPO.
    rnb_ids: list[str]
    # Whether it is a light construction (construction légère), such as a veranda or a shed. Null if unknown.
    is_light: bool | None
    # Height. Null if unknown.
    height_m: float | None
    # Number of storeys, the ground floor included. Null if unknown.
    storeys: int | None
    # Use in BD TOPO's French words, the main one first, such as Résidentiel. Null if unknown.
    usage: str | None
    # Number of dwellings. Null if unknown.
    dwelling_count: int | None
    # Year of construction. Null if unknown.
    construction_year: int | None


class MappedParcel(TypedDict):
    """The properties of a parcel."""

    # Cadastral id, 14 characters: commune 5, prefix 3, section 2, number 4.
    parcel_id: str
    # INSEE code of the commune in the id; of the arrondissement in Paris, Lyon and Marseille.
    commune_code: str
    # Prefix of the section, 3 digits; usually 000, else often that of an absorbed commune.
    prefix: str
    # Section of the plan, 2 characters, such as AB or 0A.
    section: str
    # Number in the section, 4 digits.
    number: str
    # Declared area (contenance). Null if the cadastre gives none, or 0 as in Alsace-Moselle.
    cadastral_area_m2: float | None
    # Area of the drawn outline, in the legal projection of the territory. Null without an outline.
    geometric_area_m2: float | None
    # Whether the cadastre says that the parcel was measured on the ground (arpentée). Null if it does not say.
    is_surveyed: bool | None
    # Date of creation in the plan, YYYY-MM-DD. It is not the age of the parcel.
    created_on: str | None
    # Date of the last update in the plan, YYYY-MM-DD.
    updated_on: str | None


class MappedPermit(TypedDict):
    """The properties of a permit on one of its parcels."""

    # The parcel, by its cadastral id. A permit on several parcels is a feature on each.
    parcel_id: str
    # INSEE code of the parcel's commune.
    commune_code: str
    # Type of authorization (TYPE_DAU): PC, DP, PA or PD.
    type_dau: str | None
    # Number of the authorization (NUM_DAU, NUM_PA, NUM_PD). It is unique within its series only.
    num_dau: str | None
    # State of the project (ETAT_DAU): autorisé, annulé, commencé or terminé.
    etat_dau: str | None
    # Date of the authorization (DATE_REELLE_AUTORISATION), YYYY-MM-DD.
    date_reelle_autorisation: str | None
    # Date on which works began (DOC), YYYY-MM-DD. Null if no opening is known; demolition files have no such date.
    date_reelle_doc: str | None
    # Date on which works were completed (DAACT), YYYY-MM-DD. Null if no completion is known; demolition files have
    # no such date.
    date_reelle_daact: str | None
    # Nature of the project as declared (NATURE_PROJET_DECLAREE): new construction, or works on an existing one. The
    # files of PA and PD have none.
    nature_projet_declaree: str | None
    # Nature of the project as completed (NATURE_PROJET_COMPLETEE), with the change of floor area. The files of PA
    # and PD have none.
    nature_projet_completee: str | None
    # Main use of the project (DESTINATION_PRINCIPALE), such as logements or bureaux. The files of PA and PD have
    # none.
    destination_principale: str | None
    # Area of the whole declared site (SUPERFICIE_TERRAIN), m², as a decimal text. Null if unknown or 0.
    superficie_terrain: str | None


class MappedPrescription(TypedDict):
    """The properties of a prescription of a plan."""

    # The planning document on the Géoportail de l’urbanisme, such as DU_64547.
    partition: str
    # The id, in documents, of its planning document.
    document_id: str
    # PLU, PLUi, POS, CC or PSMV.
    document_type: str | None
    # Date of approval, YYYY-MM-DD.
    approved_on: str | None
    # Name of the prescription in its plan (LIBELLE).
    label: str
    # Type in the CNIG standard (TYPEPSC), 2 digits. Null if it is not a code.
    type_code: str | None
    # Subtype in the CNIG standard (STYPEPSC), 2 digits. Null if there is none.
    subtype_code: str | None
    # Official label of the type, in French. Null if the list has no such code.
    type_label: str | None
    # Address of the written rules (URLFIC, or from NOMFIC). Null if none is published.
    regulation_url: str | None


class MappedSale(TypedDict):
    """The properties of a comparable sale."""

    # Id of the sale (mutation) in one edition of the file.
    id_mutation: str
    # INSEE code of the commune of the sale.
    commune_code: str
    # Date of the deed, YYYY-MM-DD.
    date_mutation: str
    # What was sold.
    kind: str
    # Type of the unit sold: house, flat or business premises. Null for bare land.
    type_local: str | None
    # Price of the whole sale: the sum of its dispositions, at least 1,000 EUR.
    valeur_fonciere: float
    # Built area (surface réelle bâtie) of the unit. Null for bare land.
    surface_reelle_bati: float | None
    # Ground sold, all parcels together; identical rows count once. Null if it is not known.
    surface_terrain: float | None
    # Price per m² built, ground included; of bare land, per m² of ground.
    price_eur_per_m2: float
    # Ids of the parcels sold.
    parcel_ids: list[str]


class MappedZone(TypedDict):
    """The properties of a zone of a plan, or of a sector of a carte communale."""

    # The planning document on the Géoportail de l’urbanisme, such as DU_64547.
    partition: str
    # The id, in documents, of its planning document.
    document_id: str
    # PLU, PLUi, POS, CC or PSMV.
    document_type: str | None
    # Date of approval, YYYY-MM-DD.
    approved_on: str | None
    # Short name of the zone in its plan (LIBELLE), such as UB or 1AUb.
    label: str
    # Long name of the zone (LIBELONG). Null if there is none.
    long_label: str | None
    # Type of the zone (TYPEZONE). Null in a carte communale, or if the type is unknown.
    zone_type: str | None
    # Type of the sector of a carte communale (TYPESECT). Null for zones of plans, or if the type is unknown.
    sector_type: str | None
    # Address of the zone's written rules (URLFIC, or from NOMFIC). Null if none is published.
    regulation_url: str | None


class MultiLineString(TypedDict):
    """A GeoJSON geometry (RFC 7946)."""

    # Type of the GeoJSON geometry (RFC 7946).
    type: Literal["MultiLineString"]
    # Longitude and latitude, WGS 84, with at most 7 decimals.
    coordinates: list[list[list[float]]]


class MultiPoint(TypedDict):
    """A GeoJSON geometry (RFC 7946)."""

    # Type of the GeoJSON geometry (RFC 7946).
    type: Literal["MultiPoint"]
    # Longitude and latitude, WGS 84, with at most 7 decimals.
    coordinates: list[list[float]]


class MultiPolygon(TypedDict):
    """A GeoJSON geometry (RFC 7946)."""

    # Type of the GeoJSON geometry (RFC 7946).
    type: Literal["MultiPolygon"]
    # Longitude and latitude, WGS 84, with at most 7 decimals.
    coordinates: list[list[list[list[float]]]]


class NaturalDisaster(TypedDict):
    """One decree of natural disaster (CatNat) for the commune."""

    # National number of the recognition.
    id: str
    # The disaster, in French.
    label: str
    # First day. Null if it is not given.
    began_on: str | None
    # Last day. Null if it is not given.
    ended_on: str | None
    # Date of the decree. Null if it is not given.
    decreed_on: str | None


class NearbyAuthorization(TypedDict):
    """A permit near the land."""

    # The permit, on the nearest of its parcels.
    authorization: UrbanAuthorization
    # Distance from the land to this parcel.
    distance_m: float
    # Days from the decision to the declared start of the works. Null if a date is missing or contradicts the other.
    days_to_start: int | None
    # Days from the decision to the declared completion of the works. Null if a date is missing or contradicts the
    # other.
    days_to_completion: int | None


class NearbyAuthorizations(TypedDict):
    """Permits near the land, and how long they took."""

    # Number of permits. A permit on several parcels counts once.
    count: int
    # Median of days_to_start of all that have it. Null if none has.
    median_days_to_start: int | None
    # Median of days_to_completion of all that have it. Null if none has.
    median_days_to_completion: int | None
    # The permits, newest decision first; at most 50.
    items: list[NearbyAuthorization]


class NearbyMonument(TypedDict):
    """A protected historic monument near the land."""

    # Its notice in the base Mérimée, such as PA00098765.
    reference: str
    # Its title. Null if it has none.
    name: str | None
    # Dates and kinds of its protection, as the ministry writes them. Null if it gives none.
    protection: str | None
    # Distance from the land to the point that the list gives, often that of an address: the monument itself may be
    # nearer.
    distance_m: float


class Owner(TypedDict):
    """A legal person with a right on a parcel of the land. Natural persons are never given."""

    # Name of the legal person. Null if it may be an individual's.
    name: str | None
    # SIREN number, 9 digits. Null if the file has a provisional number.
    siren: str | None
    # Legal form as the file abbreviates it, such as SCI. Null if the file does not give it.
    legal_form: str | None
    # Group of legal persons, 0 to 9. Null if the file does not give it.
    group_code: str | None
    # Official label of the group, in French. Null without a code.
    group_label: str | None
    # Code of the right: P for the owner, S for a syndic, who represents co-owners and owns nothing. docs/land-
    # units.md lists all.
    right_code: str | None
    # Official label of the right, in French. Null without a code.
    right_label: str | None
    # Whether it is the State, a region, a département, a commune or a public establishment.
    is_public: bool
    # The parcels of the land with this right.
    parcel_ids: list[str]
    # Legal category of INSEE, 4 digits. Null if the file does not give it.
    legal_form_code: str | None


class Parcel(TypedDict):
    """One parcel of the cadastre."""

    # Cadastral id, 14 characters: commune 5, prefix 3, section 2, number 4.
    parcel_id: str
    # INSEE code of the commune in the id; of the arrondissement in Paris, Lyon and Marseille.
    commune_code: str
    # Prefix of the section, 3 digits; usually 000, else often that of an absorbed commune.
    prefix: str
    # Section of the plan, 2 characters, such as AB or 0A.
    section: str
    # Number in the section, 4 digits.
    number: str
    # Declared area (contenance). Null if the cadastre gives none, or 0 as in Alsace-Moselle.
    cadastral_area_m2: float | None
    # Area of the drawn outline, on the ground. Null without an outline.
    geometric_area_m2: float | None
    # Whether the cadastre says that the parcel was measured on the ground (arpentée). Null if it does not say.
    is_surveyed: bool | None
    # Date of creation in the plan, YYYY-MM-DD. It is not the age of the parcel.
    created_on: str | None
    # Date of the last update in the plan, YYYY-MM-DD.
    updated_on: str | None
    # How the address led to the parcel. Null if parcel_ids selected it.
    match: ParcelMatchKind | None
    # Distance from the address point to the parcel, 0 inside it. Null if parcel_ids selected it, or without a
    # position.
    distance_m: float | None


class ParcelCollection(TypedDict):
    """A page of parcels as GeoJSON, in order of id."""

    # Always "FeatureCollection".
    type: Literal["FeatureCollection"]
    # The parcels of this page, in order of id.
    features: list[ParcelFeature]
    # The cursor of the next page of the same search. Null on the last page.
    next_cursor: str | None
    # How far each dataset, by its id, covers the area: the plans, and what the filters read.
    coverage: dict[str, CoverageStatus]
    # The datasets that the answer used.
    sources: list[Source]
    # What to know before use of the answer; empty if there is nothing.
    warnings: list[Warning]


class ParcelFeature(TypedDict):
    """One parcel of the cadastre with its outline."""

    # Always "Feature".
    type: Literal["Feature"]
    # Outline of the parcel, WGS 84.
    geometry: Geometry | None
    # Cadastral id, the same as parcel_id.
    id: str
    # What the cadastre says about the parcel.
    properties: ParcelProperties


class ParcelLineage(TypedDict):
    """A change by which parcels became others. Which daughter comes from which mother is not known if there are
    several of both."""

    # Ids of the parcels before. Empty for land without a number, such as a road.
    mothers: list[str]
    # Ids of the parcels after. Empty for land that has no number since.
    daughters: list[str]
    # What happened, by the numbers of mothers and daughters.
    kind: str
    # Date on which the document was validated, YYYY-MM-DD; not that of a sale. Null if only the plan shows the
    # change.
    date: str | None
    # Last edition of the plan that had the mothers: the change is later. Null for a document.
    last_edition: str | None
    # Nature of the document, such as Document d’arpentage. Null if only the plan shows the change.
    nature: str | None
    # Number of the document in the commune. Null if only the plan shows the change.
    document: str | None
    # Dataset that shows the change: dfi, or cadastre-parcels if two editions of the plan were compared.
    source: str


class ParcelMatch(TypedDict):
    """One parcel of an address, with how it was found."""

    # Cadastral id, 14 characters: commune 5, prefix 3, section 2, number 4.
    parcel_id: str
    # How the address led to the parcel.
    match: ParcelMatchKind | None
    # Distance from the address point to the parcel, 0 inside it. Null if one of them has no position.
    distance_m: float | None


class ParcelProperties(TypedDict):
    """What the cadastre says about a parcel."""

    # Cadastral id, 14 characters: commune 5, prefix 3, section 2, number 4.
    parcel_id: str
    # INSEE code of the commune in the id; of the arrondissement in Paris, Lyon and Marseille.
    commune_code: str
    # Prefix of the section, 3 digits; usually 000, else often that of an absorbed commune.
    prefix: str
    # Section of the plan, 2 characters, such as AB or 0A.
    section: str
    # Number in the section, 4 digits.
    number: str
    # Declared area (contenance). Null if the cadastre gives none, or 0 as in Alsace-Moselle.
    cadastral_area_m2: float | None
    # Area of the drawn outline, on the ground. Null without an outline.
    geometric_area_m2: float | None
    # Whether the cadastre says that the parcel was measured on the ground (arpentée). Null if it does not say.
    is_surveyed: bool | None
    # Date of creation in the plan, YYYY-MM-DD. It is not the age of the parcel.
    created_on: str | None
    # Date of the last update in the plan, YYYY-MM-DD.
    updated_on: str | None
    # Edition of the plan that has the parcel.
    edition: str


class ParcelSearchBody(TypedDict):
    # An area: a GeoJSON Polygon or MultiPolygon in WGS 84. A parcel that touches it is in it. At most 1,000
    # positions; the bounding boxes of its polygons have at most 50 km² together.
    geometry: NotRequired[SearchGeometry | None]
    # An area: what is at most distance_m from a point (lat and lon) or from a parcel (parcel_id), itself included.
    around: NotRequired[SearchAround | None]
    # An area: the parcels that touch this one, by its id, without it. A gap of 20 cm still counts as touching.
    neighbours_of: NotRequired[str | None]
    # A parcel must pass each filter that is there. Where the data of a filter is not loaded, parcels do not pass,
    # and a warning names the communes.
    filters: NotRequired[SearchFilters | None]
    # Most parcels of one page, from 1 to 200; 50 by default.
    limit: NotRequired[int]
    # next_cursor of the page before, with the same area and filters. Absent for the first page.
    cursor: NotRequired[str | None]


class PartnerKey(TypedDict):
    """A key as its partner sees it, without its secret."""

    # Public id of the key, 8 characters.
    key_id: str
    # What the key is for.
    label: str
    # Whether the key answers from all data or from the demo.
    mode: KeyMode
    # Whether the key may be used.
    status: str
    # The key with its secret hidden: prefix, public id and last four characters.
    masked: str
    # Endpoints that the key may call; empty means all but keys.
    scopes: list[str]
    # When the key was created, RFC 3339 UTC.
    created_at: str
    # From when the key is refused, RFC 3339 UTC. Null if it does not expire.
    expires_at: str | None
    # The last use of the key, RFC 3339 UTC. Null if it was never used.
    last_used_at: str | None
    # Until when the secret before the last rotation stays valid, RFC 3339 UTC. Null if none is.
    previous_secret_expires_at: str | None


class PartnerKeysResponse(TypedDict):
    """The keys of a partner."""

    # The keys, the oldest first.
    keys: list[PartnerKey]


Period = TypedDict("Period", {"from": "str | None", "to": "str | None"})


class PermitEvent(TypedDict):
    """A fact about watched land that a load has changed. A fact about several watched parcels is one event. Later
    versions may add kinds of facts: pass over those that you do not know."""

    # What kind of fact it is.
    kind: Literal["permit"]
    # Id of the event, a whole number as text. Later events have larger ones.
    id: str
    # What happened to the fact.
    change: FactChange | None
    # When the load was made, RFC 3339 UTC.
    created_at: str
    # The communes of the watched places that the fact is about.
    commune_codes: list[str]
    # The watched parcels that the fact is about, at most 100; empty if it is about a whole commune.
    parcel_ids: list[str]
    # The watches of these places: the first 10 by id.
    watch_ids: list[str]
    # The fact before the load, with those of these members that its dataset has. Null if it is new.
    before: PermitFact | None
    # The fact after the load. Null if it is removed.
    after: PermitFact | None
    # Id of the dataset, such as dvf.
    dataset: str
    # Edition that the load replaced. Null for a part that is published for the first time, such as a new year.
    previous_edition: str | None
    # Edition of the load.
    edition: str


class PermitFact(TypedDict):
    """A permit of Sitadel on a parcel."""

    # Type of authorization (TYPE_DAU): PC, DP, PA or PD.
    type_dau: NotRequired[str | None]
    # State of the project (ETAT_DAU): autorisé, annulé, commencé or terminé.
    etat_dau: NotRequired[str | None]
    # Date of the authorization (DATE_REELLE_AUTORISATION), YYYY-MM-DD.
    date_reelle_autorisation: NotRequired[str | None]
    # Date on which works began (DOC), YYYY-MM-DD. Null if no opening is known; demolition files have no such date.
    date_reelle_doc: NotRequired[str | None]
    # Date on which works were completed (DAACT), YYYY-MM-DD. Null if no completion is known; demolition files have
    # no such date.
    date_reelle_daact: NotRequired[str | None]
    # Nature of the project as declared (NATURE_PROJET_DECLAREE): new construction, or works on an existing one. The
    # files of PA and PD have none.
    nature_projet_declaree: NotRequired[str | None]
    # Nature of the project as completed (NATURE_PROJET_COMPLETEE), with the change of floor area. The files of PA
    # and PD have none.
    nature_projet_completee: NotRequired[str | None]
    # Main use of the project (DESTINATION_PRINCIPALE), such as logements or bureaux. The files of PA and PD have
    # none.
    destination_principale: NotRequired[str | None]
    # Area of the whole declared site (SUPERFICIE_TERRAIN), m², as a decimal text. Null if unknown or 0.
    superficie_terrain: NotRequired[str | None]
    # The series of the permit's number: dau, pa or pd.
    series: NotRequired[str]
    # The number of the permit, unique in its series.
    number: NotRequired[str]


class PlanEvent(TypedDict):
    """A fact about watched land that a load has changed. A fact about several watched parcels is one event. Later
    versions may add kinds of facts: pass over those that you do not know."""

    # What kind of fact it is.
    kind: Literal["plan"]
    # Id of the event, a whole number as text. Later events have larger ones.
    id: str
    # What happened to the fact.
    change: FactChange | None
    # When the load was made, RFC 3339 UTC.
    created_at: str
    # The communes of the watched places that the fact is about.
    commune_codes: list[str]
    # The watched parcels that the fact is about, at most 100; empty if it is about a whole commune.
    parcel_ids: list[str]
    # The watches of these places: the first 10 by id.
    watch_ids: list[str]
    # The fact before the load, with those of these members that its dataset has. Null if it is new.
    before: PlanFact | None
    # The fact after the load. Null if it is removed.
    after: PlanFact | None
    # Id of the dataset, such as dvf.
    dataset: str
    # Edition that the load replaced. Null for a part that is published for the first time, such as a new year.
    previous_edition: str | None
    # Edition of the load.
    edition: str


class PlanFact(TypedDict):
    """The zone of a parcel, or the planning document or the national rules of a commune."""

    # Short name of the zone in its plan (LIBELLE), such as UB or 1AUb.
    label: NotRequired[str]
    # Long name of the zone (LIBELONG); of a sector without one, the official name of its type. Null if there is
    # none.
    long_label: NotRequired[str | None]
    # Type of the zone (TYPEZONE). Null in a carte communale, or if the type is unknown.
    zone_type: NotRequired[str | None]
    # Type of the sector of a carte communale (TYPESECT). Null for zones of plans, or if the type is unknown.
    sector_type: NotRequired[str | None]
    # The id, in documents, of its planning document.
    document_id: NotRequired[str | None]
    # Type of the document. Null if it is not published.
    document_type: NotRequired[str | None]
    # Date of approval, YYYY-MM-DD. Null if it is not published.
    approved_on: NotRequired[str | None]
    # A page about the document, or its written rules. Null if none is known.
    url: NotRequired[str | None]
    # Whether the commune has no plan and the national rules (RNU) apply. Null if unknown, or if the communes
    # differ.
    is_rnu: NotRequired[bool | None]
    # The planning document in force in the commune, by its name on the Géoportail de l’urbanisme, such as DU_64547.
    document: NotRequired[str]


class PlanningDocument(TypedDict):
    """One planning document."""

    # Id of the document (IDURBA), or its partition on the Géoportail if none is published.
    id: str
    # Type of the document. Null if it is not published.
    document_type: str | None
    # Date of approval, YYYY-MM-DD. Null if it is not published.
    approved_on: str | None
    # A page about the document, or its written rules. Null if none is known.
    url: str | None


class PlanningInformation(TypedDict):
    """One information of a plan's annexes on the land, such as a pre-emption area. Other laws give it its effect."""

    # Name of the information in its plan (LIBELLE).
    label: str
    # Type in the CNIG standard (TYPEINF), 2 digits. Null if it is not a code.
    type_code: str | None
    # Subtype in the CNIG standard (STYPEINF), 2 digits. Null if there is none.
    subtype_code: str | None
    # Official label of the type, in French. Null if the list has no such code.
    type_label: str | None
    # The law that gives it its effect, by the CNIG standard, in French. Null if the list has none.
    legal_reference: str | None
    # Whether the plan draws a surface, a line or a point.
    geometry_kind: str
    # Area of the land that a surface covers. Null for lines and points.
    overlap_area_m2: float | None
    # Length of a line on the land or within 20 cm of its boundary. Null for surfaces and points.
    overlap_length_m: float | None
    # Address of the written rules (URLFIC, or from NOMFIC). Null if none is published.
    regulation_url: str | None
    # The id, in documents, of its planning document.
    document_id: str | None


class PlanningPrescription(TypedDict):
    """One prescription of a plan on the land."""

    # Name of the prescription in its plan (LIBELLE).
    label: str
    # Type in the CNIG standard (TYPEPSC), 2 digits. Null if it is not a code.
    type_code: str | None
    # Subtype in the CNIG standard (STYPEPSC), 2 digits. Null if there is none.
    subtype_code: str | None
    # Official label of the type, in French. Null if the list has no such code.
    type_label: str | None
    # Whether the plan draws a surface, a line or a point.
    geometry_kind: str
    # Area of the land that a surface covers. Null for lines and points.
    overlap_area_m2: float | None
    # Length of a line on the land or within 20 cm of its boundary. Null for surfaces and points.
    overlap_length_m: float | None
    # Address of the written rules (URLFIC, or from NOMFIC). Null if none is published.
    regulation_url: str | None
    # The id, in documents, of its planning document.
    document_id: str | None


class PlanningZone(TypedDict):
    """One zone of a plan, or one sector of a carte communale, on the land. All its parts are one item."""

    # Short name of the zone in its plan (LIBELLE), such as UB or 1AUb.
    label: str
    # Long name of the zone (LIBELONG); of a sector without one, the official name of its type. Null if there is
    # none.
    long_label: str | None
    # Type of the zone (TYPEZONE). Null in a carte communale, or if the type is unknown.
    zone_type: str | None
    # Area of the land that the zone covers.
    overlap_area_m2: float
    # That area as a share of the drawn area of the land, from 0 to 1.
    overlap_ratio: float
    # Address of the zone's written rules (URLFIC, or from NOMFIC). Null if none is published.
    regulation_url: str | None
    # The id, in documents, of its planning document.
    document_id: str | None
    # Type of the sector of a carte communale (TYPESECT). Null for zones of plans, or if the type is unknown.
    sector_type: str | None


class Point(TypedDict):
    """A GeoJSON geometry (RFC 7946)."""

    # Type of the GeoJSON geometry (RFC 7946).
    type: Literal["Point"]
    # Longitude and latitude, WGS 84, with at most 7 decimals.
    coordinates: list[float]


class Polygon(TypedDict):
    """A GeoJSON geometry (RFC 7946)."""

    # Type of the GeoJSON geometry (RFC 7946).
    type: Literal["Polygon"]
    # Longitude and latitude, WGS 84, with at most 7 decimals.
    coordinates: list[list[list[float]]]


class PrescriptionEvent(TypedDict):
    """A fact about watched land that a load has changed. A fact about several watched parcels is one event. Later
    versions may add kinds of facts: pass over those that you do not know."""

    # What kind of fact it is.
    kind: Literal["prescription"]
    # Id of the event, a whole number as text. Later events have larger ones.
    id: str
    # What happened to the fact.
    change: FactChange | None
    # When the load was made, RFC 3339 UTC.
    created_at: str
    # The communes of the watched places that the fact is about.
    commune_codes: list[str]
    # The watched parcels that the fact is about, at most 100; empty if it is about a whole commune.
    parcel_ids: list[str]
    # The watches of these places: the first 10 by id.
    watch_ids: list[str]
    # The fact before the load, with those of these members that its dataset has. Null if it is new.
    before: PrescriptionFact | None
    # The fact after the load. Null if it is removed.
    after: PrescriptionFact | None
    # Id of the dataset, such as dvf.
    dataset: str
    # Edition that the load replaced. Null for a part that is published for the first time, such as a new year.
    previous_edition: str | None
    # Edition of the load.
    edition: str


class PrescriptionFact(TypedDict):
    """A prescription of a plan on parcels."""

    # Name of the prescription in its plan (LIBELLE).
    label: NotRequired[str]
    # Type in the CNIG standard (TYPEPSC), 2 digits. Null if it is not a code.
    type_code: NotRequired[str | None]
    # Subtype in the CNIG standard (STYPEPSC), 2 digits. Null if there is none.
    subtype_code: NotRequired[str | None]


class Problem(TypedDict):
    """An error (RFC 9457)."""

    # Address of the page that explains the code: /api/docs/codes#code-CODE.
    type: str
    # Short name of the error, in the language of the request.
    title: str
    # What happened, for people, in the language of the request if there is a translation.
    detail: str
    # Path of the request.
    instance: str
    # Stable code of the error, for programs.
    code: str
    # Id of the request, as in the x-request-id header. Quote it to support.
    request_id: str
    # HTTP status of the answer.
    status: int
    # Faults of the request, at most 20. Present with status 400 only.
    errors: NotRequired[list[Violation]]
    # With parcel_retired: ids of the parcels that followed; empty if unknown.
    successors: NotRequired[list[str]]


class Procedure(TypedDict):
    """The planning procedure that the division needs."""

    # Stable code of the procedure.
    code: str
    # Name of the procedure, in the language of the request.
    label: str
    # Articles of law that decide, by their official French names.
    legal_refs: list[str]


class Project(TypedDict):
    """The project of a division in fields. Give what the user said, and leave out what they did not say."""

    # Number of lots in all, with the plot of a kept house.
    lot_count: int | None
    # The wished lots, each with an area, a range, a share of the land, or what is left. Land that no lot takes
    # makes the other lots.
    lots: list[WishedLot]
    # The existing house stays, with a plot of its own.
    keeps_house: bool | None
    # The existing house is demolished.
    demolishes_house: bool | None
    # The lots have the same area.
    has_even_lots: bool | None
    # True if the lots share a new way; false if the user refuses one.
    has_shared_way: bool | None
    # Width of the shared way.
    shared_way_m: float | None
    # With whom the way is shared, outside the land. Not followed by the drawing.
    shared_way_with: str | None
    # A neighbour buys the land to enlarge land of their own: no lot is for building.
    is_for_neighbour: bool | None
    # Whoever divides the land also builds the houses.
    has_one_builder: bool | None
    # The parcels do not touch.
    has_separate_plots: bool | None
    # Distance of buildings from the limits of lots.
    setback_m: float | None
    # Largest footprint, as a share of the area of a lot.
    footprint_ratio: float | None
    # Largest height. Not followed by the drawing.
    height_m: float | None
    # Footprint of one house. Not followed by the drawing.
    footprint_m2: float | None
    # Storeys of a house: 2 for “R+1”. Not followed by the drawing.
    storey_count: int | None
    # Number of dwellings. Not followed by the study.
    dwelling_count: int | None
    # Width of a lot along the way, of which only the area is followed; of land for a neighbour, the width of the
    # strip.
    lot_width_m: float | None
    # What must not be built over: an orchard, a well, a tank, trees. Not followed by the drawing.
    keep_outs: list[KeepOut]
    # The owners, with their shares of the rights. These are no shares of the ground.
    owners: list[ProjectOwner]
    # The land is let or farmed under a lease.
    has_lease: bool | None
    # What the town said, in the user’s words.
    town_said: str | None
    # What is told that no other member holds: who does what, where, at what price. Not followed by the drawing.
    facts: list[ToldFact]


class ProjectBody(TypedDict):
    # Number of lots in all, with the plot of a kept house.
    lot_count: NotRequired[int | None]
    # The wished lots, each with an area, a range, a share of the land, or what is left. Land that no lot takes
    # makes the other lots.
    lots: NotRequired[list[WishedLotBody] | None]
    # The existing house stays, with a plot of its own.
    keeps_house: NotRequired[bool | None]
    # The existing house is demolished.
    demolishes_house: NotRequired[bool | None]
    # The lots have the same area.
    has_even_lots: NotRequired[bool | None]
    # True if the lots share a new way; false if the user refuses one.
    has_shared_way: NotRequired[bool | None]
    # Width of the shared way.
    shared_way_m: NotRequired[float | None]
    # With whom the way is shared, outside the land. Not followed by the drawing.
    shared_way_with: NotRequired[str | None]
    # A neighbour buys the land to enlarge land of their own: no lot is for building.
    is_for_neighbour: NotRequired[bool | None]
    # Whoever divides the land also builds the houses.
    has_one_builder: NotRequired[bool | None]
    # The parcels do not touch.
    has_separate_plots: NotRequired[bool | None]
    # Distance of buildings from the limits of lots.
    setback_m: NotRequired[float | None]
    # Largest footprint, as a share of the area of a lot.
    footprint_ratio: NotRequired[float | None]
    # Largest height. Not followed by the drawing.
    height_m: NotRequired[float | None]
    # Footprint of one house. Not followed by the drawing.
    footprint_m2: NotRequired[float | None]
    # Storeys of a house: 2 for “R+1”. Not followed by the drawing.
    storey_count: NotRequired[int | None]
    # Number of dwellings. Not followed by the study.
    dwelling_count: NotRequired[int | None]
    # Width of a lot along the way, of which only the area is followed; of land for a neighbour, the width of the
    # strip.
    lot_width_m: NotRequired[float | None]
    # What must not be built over: an orchard, a well, a tank, trees. Not followed by the drawing.
    keep_outs: NotRequired[list[KeepOutBody] | None]
    # The owners, with their shares of the rights. These are no shares of the ground.
    owners: NotRequired[list[ProjectOwnerBody] | None]
    # The land is let or farmed under a lease.
    has_lease: NotRequired[bool | None]
    # What the town said, in the user’s words.
    town_said: NotRequired[str | None]
    # What is told that no other member holds: who does what, where, at what price. Not followed by the drawing.
    facts: NotRequired[list[ToldFactBody] | None]


class ProjectOwner(TypedDict):
    """An owner with a share of the rights."""

    # Name, as the user gives it.
    name: str | None
    # Share of the rights.
    share_ratio: float | None
    # The parcels of this owner.
    parcel_ids: list[str]


class ProjectOwnerBody(TypedDict):
    # Name, as the user gives it.
    name: NotRequired[str | None]
    # Share of the rights.
    share_ratio: NotRequired[float | None]
    # The parcels of this owner.
    parcel_ids: NotRequired[list[str] | None]


class Prompt(TypedDict):
    """What was asked, and who wrote the answer."""

    # Id of the prompt template: divide-land.
    id: str
    # Version of the prompt template, such as 1.0.0.
    version: str
    # The question as it was answered; the default question if none was sent.
    question: str
    # Language of the answer: fr or en.
    language: str
    # Who wrote the answer: the rules or a language model.
    provider: str
    # Name of the model, or of the version of the rules, such as rules-1.3.0.
    model: str | None
    # When the answer was written, RFC 3339 UTC.
    generated_at: str
    # What the key allows for this request.
    policy: PromptPolicy
    # Tokens that a language model used.
    usage: TokenUsage
    # Why the rules wrote the answer if a model was allowed; empty otherwise.
    warnings: list[Warning]


class PromptPolicy(TypedDict):
    """What the key allows the assistant for this request."""

    # Assistant mode of the key.
    mode: AssistantMode
    # Most tokens that this request may use. Null if there is no limit, or no model.
    token_limit: int | None


class Proposal(TypedDict):
    """One way to divide the land into lots."""

    # Place among the proposals; 1 is the best.
    rank: int
    # How the cuts were placed.
    method: str
    # The layout and each lot in a sentence, in the language of the request.
    summary: str
    # Figures of the proposal.
    metrics: ProposalMetrics
    # The lots, as GeoJSON.
    lots: Lots
    # The way that serves several lots; null if each lot has its own access.
    shared_way: SharedWay | None


class ProposalMetrics(TypedDict):
    """Figures of a proposal."""

    # Quality, from 0 to 1: even areas, compact lots and buildable area raise it; strips and violations lower it.
    score: float
    # Area of the smallest lot.
    smallest_lot_m2: float
    # Area of the largest lot.
    largest_lot_m2: float
    # Area of the largest lot over that of the smallest; at least 1.
    area_ratio: float
    # Area of all access strips together.
    access_strip_m2: float
    # Number of violations of all lots together.
    violation_count: int
    # The terms of the score. It is the sum of value times weight.
    score_terms: list[ScoreTerm]


class QuickAssessment(TypedDict):
    """The assessment of a division by fixed rules. The same land gives the same result."""

    # Result of all checks together.
    verdict: Verdict
    # Weight of the checks with known facts over the weight of all, from 0 to 1. It is not the chance of a permit.
    confidence: float
    # The planning procedure that the division needs.
    procedure: Procedure | None
    # The verdict in one sentence, in the language of the request.
    summary: str
    # The checks, in a fixed order.
    checks: list[Check]
    # At most 3 ways to draw the lots, best first. Empty if none can be drawn.
    proposals: list[Proposal]
    # The figures assumed, by name.
    assumptions: Assumptions
    # What the assessment is not; show it to your users.
    disclaimer: str
    # Version of the rules, such as 1.3.0.
    rules_version: str
    # The smallest changes that lift what stands against the project, smallest first. Empty if nothing does, or if
    # none was found.
    changes: list[Change]


class Quota(TypedDict):
    """The limits of a key."""

    # Billing units per month of Europe/Paris. Null if there is no limit.
    monthly_units: int | None
    # Requests per minute.
    per_minute: int
    # Requests at once.
    burst: int
    # Whether the month's units are a limit. If false, requests beyond them are counted and answered.
    hard: bool
    # Most that a month may cost, in EUR without VAT, monthly fee included, as a decimal text. Null if there is no
    # cap.
    spend_cap: str | None


class RatingCount(TypedDict):
    """How many ratings have a letter."""

    # Letter, A to G.
    letter: str
    # Number of ratings with this letter.
    count: int


class RealEstateBlock(TypedDict):
    """Prices of similar land and buildings sold nearby. The land's own sales are in history."""

    # The time for which sales are known.
    period: Period
    # Figures of the comparable sales within the radius.
    summary: SalesSummary
    # At most 10 of these sales, by distance, a year of age counting for 100 m.
    comparables: list[ComparableSale]
    # How the sales were chosen, in the language of the request.
    comparables_method: str | None
    # What the land is compared as. Null if no comparable sale is near.
    kind: str | None
    # The reason for this kind. Null if no comparable sale is near.
    kind_basis: str | None
    # Radius of the search: the smallest of five, up to 10 km, with 20 sales, or else the largest. Null if no sale
    # is near.
    radius_m: float | None


class Regulation(TypedDict):
    """The written regulation of a zone."""

    # Label of the zone. Null where the national rules apply.
    zone: str | None
    # Whether its rules were read.
    state: str
    # Why they were not read. Null if they were.
    why: str | None
    # Name of the file that was read. Null if none was found.
    file: str | None
    # Address of the rules of the zone, with the place in the file. Null if none is published.
    url: str | None
    # Id (IDURBA) of the planning document that the file belongs to. Null where the national rules apply.
    idurba: str | None
    # Date of approval of the planning document, YYYY-MM-DD. Null if it is not published.
    approved_on: str | None
    # First and last page, in the file, of the zone’s chapter. Empty if the file has no pages.
    pages: list[int]
    # Pages of the chapter that could not be read: a scan, a table as a picture, text that nobody sees.
    unreadable_pages: list[int]
    # Version of the reader. Null if the file was not read.
    reader: str | None
    # When the file was retrieved and read. Null if it was not.
    read_at: str | None
    # SHA-256 of the file that was read. Null if none was.
    sha256: str | None
    # Size of that file. Null if none was read.
    size_bytes: int | None


class RegulationRule(TypedDict):
    """A rule of a zone, or a subject without one. Read automatically: to be checked in the document."""

    # Id of the rule, unique in the answer.
    id: str
    # Label of its zone. Null for the national rules.
    zone: str | None
    # What it is about, such as setback_road, footprint_ratio or height_ridge.
    subject: str
    # Further subjects of the same rule: one for side boundaries is often one for rear boundaries.
    also: list[str]
    # What the text says of the subject.
    state: str
    # The rule in words, in the language of the answer.
    text: str
    # How the figure is meant. Null without a rule.
    operator: str | None
    # The figure, in unit; the lower one of a range. Null if there is none, or if a person has to read the words.
    value: float | None
    # Unit of the figure: m, %, m2, storeys, or such as place per dwelling. Null without one.
    unit: str | None
    # A formula, with L for the distance and H for the height in metres. Null if there is none.
    formula: str | None
    # A condition of the rule. Null if none was read; the words may have others.
    condition: str | None
    # What the rule is limited to: a sector, a use, what a distance is measured to, a kind of road, a part of the
    # map, what a share is of.
    scope: dict[str, str]
    # Whether it is the rule or an exception to it. Null without a rule.
    kind: str | None
    # general if it is one of the common rules of the plan. Null if it is the zone’s own.
    level: str | None
    # Its article or heading. Null if it has none.
    article: str | None
    # Page of the file. Null if the file has no pages.
    page: int | None
    # Number printed on the page. Null if none was read.
    printed_page: int | None
    # Address of the page. Null if the file has no pages.
    url: str | None
    # The words of the regulation. Null if it says nothing of the subject.
    quote: str | None
    # Whether the words can be read in more than one way.
    is_ambiguous: bool
    # Whether a graphic document decides first: the figure is then a default.
    needs_map: bool
    # What the reader notes, in English. Null if nothing.
    note: str | None
    # Why the subject was not read, in English. Null if it was.
    why: str | None
    # Whether a second reader, a language model, gives the same figure. False where there is none.
    is_read_twice: bool
    # The upper figure of a range, in unit. Null unless operator is range.
    value_max: float | None


class ResolveResponse(TypedDict):
    """An address as the national address base has it, with its parcels. It is itself a valid body for the other two
    endpoints."""

    # The address that fits the query best, as the national address base (BAN) has it.
    address: Address
    # Ids of the parcels of the address, best first. Empty for anything coarser than a house number.
    parcel_ids: list[str]
    # The same parcels, with how each was found.
    parcels: list[ParcelMatch]
    # Other addresses that the query may mean, most probable first; at most 4.
    alternatives: list[Address]
    # The datasets that the answer used.
    sources: list[Source]
    # What to know before use of the answer; empty if there is nothing.
    warnings: list[Warning]


class ResolvedLine(TypedDict):
    """The answer to one line of a file of addresses: body, or problem."""

    # Place of the line in the request, from 1. Blank lines and the header of a table do not count; a preview has
    # the header as 0.
    line: int
    # The id that the line gave; null if it gave none.
    id: Any
    # The HTTP status that the line alone would have got. 200 costs units, all others are free.
    status: int
    # The answer, as /addresses/resolve gives it. Present with status 200.
    body: NotRequired[ResolveResponse]
    # The error of the line. Present with any other status.
    problem: NotRequired[Problem]
    # In a preview, the cells of the line as they came.
    cells: NotRequired[list[str]]


class ReverseResponse(TypedDict):
    """The house number nearest to a point, and the parcels that contain the point. It is itself a valid body for
    /land-units/geojson and /assistant/divide-land."""

    # The nearest house number of the national address base (BAN).
    address: Address
    # Distance from the point to the address.
    distance_m: float
    # Ids of the parcels that contain the point; empty on public ground, or if the cadastre is not loaded.
    parcel_ids: list[str]
    # The same parcels. `match` is `containing`, and `distance_m` is 0.
    parcels: list[ParcelMatch]
    # The datasets that the answer used.
    sources: list[Source]
    # What to know before use of the answer; empty if there is nothing.
    warnings: list[Warning]


class Risk(TypedDict):
    """What the publisher says of one risk. An empty list of findings means none only if status is none."""

    # What the risk is.
    subject: str
    # Whether the risk is present.
    status: str
    # Official level, such as 3 for clay. Of a plan asked about the parcels: zone if one of its zones touches them,
    # else no_zone. Null if the subject has none.
    level: str | None
    # Official label of the level, in French. Null without a level.
    label: str | None
    # What the publisher's answer is about.
    grain: str
    # Id of the dataset in sources.
    source: str
    # When the publisher was asked, the oldest answer if there are several. Null if it did not answer.
    retrieved_at: str | None
    # Sites, plans or zones, nearest first; at most 20.
    findings: list[RiskFinding]
    # Why it is not known, or only from old or incomplete answers. Null if it is known.
    reason: str | None


class RiskEvent(TypedDict):
    """A fact about watched land that a load has changed. A fact about several watched parcels is one event. Later
    versions may add kinds of facts: pass over those that you do not know."""

    # What kind of fact it is.
    kind: Literal["risk"]
    # Id of the event, a whole number as text. Later events have larger ones.
    id: str
    # What happened to the fact.
    change: FactChange | None
    # When the load was made, RFC 3339 UTC.
    created_at: str
    # The communes of the watched places that the fact is about.
    commune_codes: list[str]
    # The watched parcels that the fact is about, at most 100; empty if it is about a whole commune.
    parcel_ids: list[str]
    # The watches of these places: the first 10 by id.
    watch_ids: list[str]
    # The fact before the load, with those of these members that its dataset has. Null if it is new.
    before: RiskFact | None
    # The fact after the load. Null if it is removed.
    after: RiskFact | None
    # Id of the dataset, such as dvf.
    dataset: str
    # Edition that the load replaced. Null for a part that is published for the first time, such as a new year.
    previous_edition: str | None
    # Edition of the load.
    edition: str


class RiskFact(TypedDict):
    """An answer of Géorisques about a parcel or a commune."""

    # Whether the risk is present.
    status: NotRequired[str]
    # Official level, such as 3 for clay. Of a plan asked about the parcels: zone if one of its zones touches them,
    # else no_zone. Null if the subject has none.
    level: NotRequired[str | None]
    # Official label of the level, in French. Null without a level.
    label: NotRequired[str | None]
    # What Géorisques was asked about.
    question: NotRequired[str]
    # How many findings Géorisques has; more than findings lists if they are too many.
    total: NotRequired[int]
    # What Géorisques knows: sites, plans, zones, recorded risks or recognitions of natural disaster.
    findings: NotRequired[list[dict[str, Any]]]


class RiskFinding(TypedDict):
    """A site near the land, or a plan with its zones."""

    # Id of the publisher. Null if there is none.
    id: str | None
    # Its name.
    name: str
    # Kind of the site or of the plan. Null if it is not given.
    type: str | None
    # State of the site or of the plan. Null if it is not given.
    status: str | None
    # Distance from the land to the site. Null for plans.
    distance_m: float | None
    # Date of the fact. Null if it is not given.
    date: str | None
    # Page of the publisher. Null if there is none.
    url: str | None
    # Codes of the regulated zones that touch the parcels.
    zones: list[str]
    # Labels of these zones in the same order, in French. Empty texts without a label.
    zone_labels: list[str]


class RiskZone(TypedDict):
    """A zone of a risk prevention plan, and what it allows."""

    # Number of the plan in GASPAR: the id of its finding in items.
    plan_id: str
    # What the plan is against.
    subject: str
    # Name of the zone on the map of the plan, such as R1.
    code: str
    # Title of the zone, in French. Null if it has none.
    name: str | None
    # What the plan rules for new building (TYPEREG). Null if the file does not tell it.
    regulation: str | None
    # Area of the land that the zone covers.
    overlap_area_m2: float
    # That area as a share of the drawn area of the land, from 0 to 1.
    overlap_ratio: float
    # Address of the zone's written rules. Null if none is published.
    regulation_url: str | None


class RisksBlock(TypedDict):
    """Risks of the land by subject, and what the State recorded about the commune."""

    # One item per subject, in a fixed order.
    items: list[Risk]
    # Context of the commune. Null if it is not known.
    commune: CommuneRisks | None
    # Regulated zones of prevention plans on the land, largest first. An empty list means none only if the coverage
    # of pprn-zones and pprt-zones is covered and the publisher has the plans' outlines.
    zones: list[RiskZone]


class RotatedKey(TypedDict):
    """A key with its new secret."""

    # The key.
    key: PartnerKey
    # The key with its new secret, complete. It is shown once.
    api_key: str


class RotationBody(TypedDict):
    # How many days the old secret stays valid, from 0 to 90; 7 by default.
    grace_days: NotRequired[int]


class SaleEvent(TypedDict):
    """A fact about watched land that a load has changed. A fact about several watched parcels is one event. Later
    versions may add kinds of facts: pass over those that you do not know."""

    # What kind of fact it is.
    kind: Literal["sale"]
    # Id of the event, a whole number as text. Later events have larger ones.
    id: str
    # What happened to the fact.
    change: FactChange | None
    # When the load was made, RFC 3339 UTC.
    created_at: str
    # The communes of the watched places that the fact is about.
    commune_codes: list[str]
    # The watched parcels that the fact is about, at most 100; empty if it is about a whole commune.
    parcel_ids: list[str]
    # The watches of these places: the first 10 by id.
    watch_ids: list[str]
    # The fact before the load, with those of these members that its dataset has. Null if it is new.
    before: SaleFact | None
    # The fact after the load. Null if it is removed.
    after: SaleFact | None
    # Id of the dataset, such as dvf.
    dataset: str
    # Edition that the load replaced. Null for a part that is published for the first time, such as a new year.
    previous_edition: str | None
    # Edition of the load.
    edition: str


class SaleFact(TypedDict):
    """A sale of DVF on a parcel."""

    # Date of the deed, YYYY-MM-DD.
    date_mutation: NotRequired[str | None]
    # Nature of the sale, such as Vente, Echange or Adjudication.
    nature_mutation: NotRequired[str | None]
    # Price of the dispositions that name the parcel, each for all its parcels together. Null if none has a price.
    valeur_fonciere: NotRequired[float | None]
    # Type of the main unit sold on the parcel: house, flat, business premises or dependency. Null for bare land.
    type_local: NotRequired[str | None]
    # Lots of a copropriété sold on the parcel. With lots, the price is not that of the land.
    lot_count: NotRequired[int]
    # Built area (surface réelle bâtie) on the parcel, without dependencies; identical rows count once. Null if no
    # unit has one.
    surface_reelle_bati: NotRequired[float | None]
    # Area of ground sold on the parcel; identical rows count once. Null if the file gives none, as for lots.
    surface_terrain: NotRequired[float | None]
    # Main rooms of the units sold on the parcel, without dependencies. Null if no unit has a number.
    nombre_pieces_principales: NotRequired[int | None]
    # House number of the main unit sold on the parcel.
    adresse_numero: NotRequired[str | None]
    # Suffix of the number, such as B for bis.
    adresse_suffixe: NotRequired[str | None]
    # Street name, as the file writes it.
    adresse_nom_voie: NotRequired[str | None]
    # Postcode, 5 characters.
    code_postal: NotRequired[str | None]
    # Name of the commune.
    nom_commune: NotRequired[str | None]


class SaleGroup(TypedDict):
    """The sales of one kind in one year."""

    # Year of the deeds.
    year: int
    # What was sold.
    kind: str
    # Number of sales. Null, as all figures of the group, if it is below 5.
    sale_count: int | None
    # First quartile of the price. Null for fewer than 5 sales.
    first_quartile_eur: float | None
    # Median of the price. Null for fewer than 5 sales.
    median_eur: float | None
    # Third quartile of the price. Null for fewer than 5 sales.
    third_quartile_eur: float | None
    # First quartile of the price per square metre: built, or of ground for bare land. Null for fewer than 5 sales.
    first_quartile_eur_per_m2: float | None
    # Median of the price per square metre: built, or of ground for bare land. Null for fewer than 5 sales.
    median_eur_per_m2: float | None
    # Third quartile of the price per square metre: built, or of ground for bare land. Null for fewer than 5 sales.
    third_quartile_eur_per_m2: float | None


class SaleStatistics(TypedDict):
    """The prices of the sales of an area."""

    # INSEE codes of the communes of the area. For a polygon, those with a loaded plan.
    commune_codes: list[str]
    # The time of the loaded sales: from the first day of the oldest loaded year to the newest sale that counts.
    period: Period
    # The sales of each year and kind, the newest year first. A group without any sale is absent.
    groups: list[SaleGroup]
    # How far the sales of these communes are loaded, by dataset.
    coverage: dict[str, CoverageStatus]
    # Datasets and editions that were used.
    sources: list[Source]
    # What limits the answer; empty if nothing does.
    warnings: list[Warning]


class SalesSummary(TypedDict):
    """Figures of the comparable sales within the radius."""

    # Number of comparable sales within the radius, of the 2,000 newest at most.
    sale_count: int
    # Day of the newest of them, YYYY-MM-DD. Null if there is none.
    last_sale_on: str | None
    # Median price per m² built, ground included; of bare land, per m² of ground. Null with fewer than 5 sales.
    median_price_eur_per_m2: float | None


class ScoreTerm(TypedDict):
    """One term of a score."""

    # What the term measures.
    name: str
    # From 0 to 1; 1 is best.
    value: float
    # Weight of the term. The weights add up to 1.
    weight: float
    # The term in a sentence, in the language of the request.
    detail: str


class SearchAround(TypedDict):
    # Latitude of the point, in degrees of WGS 84.
    lat: NotRequired[float | None]
    # Longitude of the point, in degrees of WGS 84.
    lon: NotRequired[float | None]
    # Cadastral id of a parcel in place of the point.
    parcel_id: NotRequired[str | None]
    # An address or a reference in place of the point: the distance is from its parcels.
    address: NotRequired[SelectingAddress | None]
    # Greatest distance in metres, from 0 to 1,000, on the ground.
    distance_m: float


class SearchFilters(TypedDict):
    # Least area in square metres: the declared one, or the drawn one where the cadastre declares none.
    min_area_m2: NotRequired[float | None]
    # Greatest area in square metres, of the same area.
    max_area_m2: NotRequired[float | None]
    # Types of zone. The parcel is in a zone of one of them, by more than a sliver, as urbanism.zones lists it.
    zone_types: NotRequired[list[ZoneType] | None]
    # A date, YYYY-MM-DD: the register of sales (DVF) has a sale of the parcel on it or later.
    sold_since: NotRequired[str | None]
    # true: no building stands on the parcel, as buildings.count has it. false is no filter.
    unbuilt: NotRequired[bool | None]
    # A date, YYYY-MM-DD: a permit on the parcel was granted on it or later, whatever became of it.
    permit_since: NotRequired[str | None]


class SearchGeometry(TypedDict):
    # Polygon or MultiPolygon.
    type: SearchGeometryType
    # Rings of positions, as in GeoJSON: longitude, then latitude. Holes are allowed.
    coordinates: list[Any]


class SectionDivisions(TypedDict):
    """The divisions of a cadastral section in one year: one parcel that became several."""

    # Commune, prefix and section, 10 characters, as in the ids of parcels.
    section: str
    # Year of the documents. Of a change that only the plan shows: the year of the last edition before it.
    year: str
    # Divisions in the year.
    division_count: int
    # Parcels that they made.
    parcel_count: int
    # Smallest area of the parcels that they made and that still exist: declared, or else drawn. Null if none
    # exists.
    min_area_m2: float | None
    # Median of these areas.
    median_area_m2: float | None
    # Largest of these areas.
    max_area_m2: float | None


class SelectingAddress(TypedDict):
    # The address as free text, such as "10 rue de la Paix 75002 Paris". Also a parcel as people write it, such as
    # "section AN n° 221 à Ustaritz", the id of an address in BAN, or the id of a building in the RNB.
    label: NotRequired[str | None]
    # Name of the street or of the locality (lieu-dit), with its type.
    street: NotRequired[str | None]
    # House number with its suffix, such as "12 bis". Without it, the address leads to no parcel.
    number: NotRequired[str | None]
    # Postcode, 5 characters.
    postcode: NotRequired[str | None]
    # Name of the commune; a former name is found too.
    city: NotRequired[str | None]
    # INSEE code of the commune, as /addresses/resolve gives it.
    city_code: NotRequired[str | None]
    # Ignored. An answer has it, and may be sent as a request.
    district: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    id: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    latitude: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    longitude: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    matched: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    score: NotRequired[Any]
    # Ignored. An answer has it, and may be sent as a request.
    type: NotRequired[Any]


class SharedWay(TypedDict):
    """A way common to several lots, as GeoJSON. Such common works take a permis d’aménager (R421-19 a)."""

    # Always "Feature".
    type: Literal["Feature"]
    # Outline of the way with its turning area, WGS 84.
    geometry: Geometry | None
    # Figures of the way.
    properties: SharedWayProperties


class SharedWayProperties(TypedDict):
    """Figures of a shared way."""

    # Area of the way and its turning area. It belongs to no lot.
    area_m2: float
    # Width of the way.
    width_m: float
    # Length from the street to its end.
    length_m: float
    # Radius of the turning circle; null without one.
    turning_radius_m: float | None
    # How vehicles turn at its end.
    turning: str


class Source(TypedDict):
    """A dataset that the answer used, with its licence. In answers about the demo commune, it names the demo."""

    # Id of the dataset, such as dvf; coverage uses the same ids.
    id: str
    # Who publishes the dataset.
    publisher: str
    # Name of the dataset.
    dataset: str
    # Edition as the publisher states it, such as 2026-06-01 or 2026-01; "unknown" if none is stated. Several are
    # joined by commas.
    edition: str
    # When the service downloaded or imported the newest file, RFC 3339 UTC.
    retrieved_at: str
    # Licence of the data, with its conditions.
    licence: str
    # Attribution that the licence requires you to show.
    attribution: str
    # Page of the publisher about the dataset.
    url: str


class SuggestResponse(TypedDict):
    """Addresses, streets and communes for a text that is being typed."""

    # At most `limit`, best first; empty if nothing matches. `score` and `matched` are null.
    suggestions: list[Address]


class Terrain(TypedDict):
    """Relief of the land, from altitudes at points on it."""

    # Mean altitude of the points.
    mean_altitude_m: float
    # Least altitude of the points.
    min_altitude_m: float
    # Greatest altitude of the points.
    max_altitude_m: float
    # Slope of the plane through the points. Null if they are too few.
    mean_slope_percent: float | None
    # Greatest slope between neighbouring points. Null if they are too few.
    max_slope_percent: float | None
    # Where the land descends to. Null if it is flat or not known.
    aspect: str | None
    # Number of points.
    sample_count: int


class TokenUsage(TypedDict):
    """Tokens that a language model used for the answer."""

    # Tokens sent to the model; 0 if none was called.
    input_tokens: int
    # Tokens that the model wrote; 0 if none was called.
    output_tokens: int


class ToldFact(TypedDict):
    """A told fact: a clause of the user. A denial, a condition or a choice stays in its words."""

    # What it is about.
    kind: ToldFactKind | None
    # The clause in the words of the user.
    words: str | None
    # The only area that it tells.
    area_m2: float | None
    # The only length, width or distance that it tells.
    distance_m: float | None
    # The only share that it tells.
    share_ratio: float | None
    # The only price that it tells.
    price_eur: float | None
    # The only price per m² that it tells.
    price_eur_per_m2: float | None


class ToldFactBody(TypedDict):
    # What it is about.
    kind: NotRequired[ToldFactKind | None]
    # The clause in the words of the user.
    words: NotRequired[str | None]
    # The only area that it tells.
    area_m2: NotRequired[float | None]
    # The only length, width or distance that it tells.
    distance_m: NotRequired[float | None]
    # The only share that it tells.
    share_ratio: NotRequired[float | None]
    # The only price that it tells.
    price_eur: NotRequired[float | None]
    # The only price per m² that it tells.
    price_eur_per_m2: NotRequired[float | None]


class UnansweredQuestion(TypedDict):
    """A question that the facts cannot answer, with whom to ask."""

    # Code of what was asked; other if it was not recognized.
    intent: str
    # What was asked, in a few words.
    question: str
    # Why it is not answered.
    reason: str
    # Whom to ask.
    ask: str


class UrbanAuthorization(TypedDict):
    """One granted permit on one parcel, from Sitadel. Codes are given as their official French labels."""

    # Id of the parcel, from the section and number that the permit names (SEC_CADASTRE, NUM_CADASTRE).
    parcelle_id: str | None
    # Type of authorization (TYPE_DAU): PC, DP, PA or PD.
    type_dau: str | None
    # Number of the authorization (NUM_DAU, NUM_PA, NUM_PD). It is unique within its series only.
    num_dau: str | None
    # State of the project (ETAT_DAU): autorisé, annulé, commencé or terminé.
    etat_dau: str | None
    # Date of the authorization (DATE_REELLE_AUTORISATION), YYYY-MM-DD.
    date_reelle_autorisation: str | None
    # Date on which works began (DOC), YYYY-MM-DD. Null if no opening is known; demolition files have no such date.
    date_reelle_doc: str | None
    # Date on which works were completed (DAACT), YYYY-MM-DD. Null if no completion is known; demolition files have
    # no such date.
    date_reelle_daact: str | None
    # Nature of the project as declared (NATURE_PROJET_DECLAREE): new construction, or works on an existing one. The
    # files of PA and PD have none.
    nature_projet_declaree: str | None
    # Nature of the project as completed (NATURE_PROJET_COMPLETEE), with the change of floor area. The files of PA
    # and PD have none.
    nature_projet_completee: str | None
    # Main use of the project (DESTINATION_PRINCIPALE), such as logements or bureaux. The files of PA and PD have
    # none.
    destination_principale: str | None
    # Area of the whole declared site (SUPERFICIE_TERRAIN), m², as a decimal text. Null if unknown or 0.
    superficie_terrain: str | None


class UrbanismBlock(TypedDict):
    """What the Géoportail de l’urbanisme says about the land: planning documents and public easements."""

    # The documents of these zones, prescriptions and informations.
    documents: list[PlanningDocument]
    # Zones of plans and sectors of cartes communales on the land, largest first; at most 500.
    zones: list[PlanningZone]
    # Prescriptions on the land; at most 500. Public easements (servitudes) are not part of them.
    prescriptions: list[PlanningPrescription]
    # Whether the commune has no plan and the national rules (RNU) apply. Null if unknown, or if the communes
    # differ.
    is_rnu: bool | None
    # Areas of the plan's annexes on the land, such as pre-emption or noise; at most 500.
    informations: list[PlanningInformation]
    # Public easements (servitudes d’utilité publique) on the land; at most 500. Publication is partial: see
    # published_easement_categories.
    easements: list[Easement]
    # Categories whose easements are published for the département and known here. If easements has none of such a
    # category, the land has none. Of all other categories nothing is known.
    published_easement_categories: list[str]
    # Historic monuments within 500 m, the nearest first; at most 50. Only where surroundings of monuments (AC1) are
    # not published, or none is drawn in the commune: whether these protect the land is then unknown. Monuments of a
    # neighbouring département are there if its list is loaded.
    nearby_monuments: list[NearbyMonument]
    # The written regulation of the largest zone, and whether it was read. Null without a zone, unless the national
    # rules apply.
    regulation: Regulation | None
    # What the regulations of the ten largest zones say, read automatically, and the subjects that they leave open.
    # To be checked in the document. Empty for a zone that was not read.
    rules: list[RegulationRule]


class UsageResponse(TypedDict):
    """What the key has used this month, and its limits."""

    # The current month in Europe/Paris, YYYY-MM.
    month: str
    # Requests of the month, refused ones included.
    requests: int
    # How many of them were refused or failed.
    errors: int
    # Billing units used this month.
    units: int
    # Units held for requests that are not finished.
    reserved_units: int
    # The limits of the key.
    quota: Quota
    # What the key may ask of the assistant.
    assistant_policy: AssistantPolicy
    # Calls of the assistant counted this month.
    assistant_calls: int
    # Tokens of the assistant used this month.
    assistant_tokens: int


class Violation(TypedDict):
    """One fault of a request."""

    # JSON pointer (RFC 6901) to the member of the request; empty for the whole request.
    pointer: str
    # Stable code of the fault, for programs.
    code: str
    # The fault, for people.
    detail: str


class Warning(TypedDict):
    """Something to know before use of the answer."""

    # Stable code, for programs.
    code: str
    # The warning in one or two sentences, in the language of the request.
    detail: str
    # The part of the answer that it is about: history, a block or assistant. Absent if it is about the whole
    # answer.
    block: NotRequired[str | None]
    # The dataset that it is about, with its id in coverage and sources. Each dataset has one entry in a land unit.
    # Absent if it is about no dataset.
    dataset: NotRequired[str | None]
    # How the dataset covers the land, as in coverage. Absent outside of land units.
    state: NotRequired[CoverageStatus | None]
    # Whether the same request may have the dataset later. Absent without dataset.
    retry: NotRequired[bool | None]


class Watch(TypedDict):
    """What a partner watches."""

    # Id of the watch. It follows from what is watched.
    id: str
    # The partner's own name of the watch.
    name: str | None
    # The watched parcels; empty if a commune or an area is watched.
    parcel_ids: list[str]
    # The watched commune, by its INSEE code.
    commune_code: str | None
    # The watched area as GeoJSON.
    area: Geometry | None
    # When the watch began, RFC 3339 UTC.
    created_at: str


class WatchBody(TypedDict):
    # Your own name of the watch.
    name: NotRequired[str | None]
    # The parcels to watch: at most 100 ids.
    parcel_ids: NotRequired[list[str] | None]
    # The commune to watch, by its INSEE code; of Paris, Lyon and Marseille an arrondissement.
    commune_code: NotRequired[str | None]
    # The area to watch: a GeoJSON Polygon or MultiPolygon in WGS 84, as in /parcels/search.
    area: NotRequired[SearchGeometry | None]


class WatchesResponse(TypedDict):
    """A page of watches."""

    # The watches of this page, in order of id.
    watches: list[Watch]
    # The cursor parameter of the next page. Null on the last page.
    next_cursor: str | None


class Webhook(TypedDict):
    """An endpoint to which events are pushed."""

    # Id of the endpoint.
    id: str
    # Its address.
    url: str
    # Whether it gets events.
    state: WebhookState | None
    # When it was added, RFC 3339 UTC.
    created_at: str
    # Id of the last event that arrived, or that was there before the endpoint.
    last_sent_id: str
    # When messages began to fail. Null if the last one arrived.
    failing_since: str | None
    # Why the last message failed. Null if it arrived.
    last_error: str | None
    # When the message that failed is sent again.
    next_at: str | None


class WebhookBody(TypedDict):
    # Its https address. It must resolve to public addresses, and redirects are not followed. A service on your own
    # machine also takes http://127.0.0.1 and a port.
    url: str


class WebhooksResponse(TypedDict):
    """The endpoints of a partner."""

    # The endpoints, the oldest first.
    webhooks: list[Webhook]


class Wish(TypedDict):
    """A wish of the project, or words that were not read."""

    # JSON pointer of the member in `project`, such as /lots/0; null for words that no member holds or that were not
    # read.
    field: str | None
    # The words of the question; null if a field of the request says it.
    words: str | None
    # What was understood; null if the words were not read.
    meaning: str | None
    # What became of it.
    status: WishStatus | None
    # Why the study does not follow it.
    reason: str | None


class WishedLot(TypedDict):
    """One wished lot, or several equal ones."""

    # How many such lots; 1 by default.
    count: int
    # Wished area of each.
    area_m2: float | None
    # Smallest area that is accepted.
    least_m2: float | None
    # Largest area that is accepted.
    most_m2: float | None
    # Share of the whole land: 0.5 for half of it. Not a share of the garden, nor of rights.
    share_ratio: float | None
    # The lot has what the other lots leave.
    is_rest: bool | None
    # What the lot is for.
    use: LotUse | None
    # Where the lot is on the land. Not followed by the drawing.
    position: LotPosition | None
    # Who keeps or gets the lot. Not followed by the drawing.
    holder: str | None


class WishedLotBody(TypedDict):
    # How many such lots; 1 by default.
    count: NotRequired[int | None]
    # Wished area of each.
    area_m2: NotRequired[float | None]
    # Smallest area that is accepted.
    least_m2: NotRequired[float | None]
    # Largest area that is accepted.
    most_m2: NotRequired[float | None]
    # Share of the whole land: 0.5 for half of it. Not a share of the garden, nor of rights.
    share_ratio: NotRequired[float | None]
    # The lot has what the other lots leave.
    is_rest: NotRequired[bool | None]
    # What the lot is for.
    use: NotRequired[LotUse | None]
    # Where the lot is on the land. Not followed by the drawing.
    position: NotRequired[LotPosition | None]
    # Who keeps or gets the lot. Not followed by the drawing.
    holder: NotRequired[str | None]


AddressType = Literal["housenumber", "street", "locality", "municipality", "parcel", "building"]

AssistantMode = Literal["disabled", "rules", "model"]

Block = Literal["land", "urbanism", "buildings", "real_estate", "risks"]

CheckStatus = Literal["pass", "warn", "fail", "unknown"]

CoverageStatus = Literal["covered", "not_covered", "partial", "loading", "not_published", "not_loaded"]

DivisionProjection = Literal["legal", "cc"]

FactChange = Literal["new", "changed", "removed"]

Geometry = Point | MultiPoint | LineString | MultiLineString | Polygon | MultiPolygon

KeyEventKind = Literal["quota", "spend_cap", "key_expiry", "bill"]

KeyMode = Literal["live", "test"]

LandEvent = SaleEvent | PermitEvent | PlanEvent | EasementEvent | PrescriptionEvent | RiskEvent | LineageEvent

LotPosition = Literal["front", "back", "north", "east", "south", "west", "left", "right"]

LotUse = Literal["house", "building", "sale", "garden", "farming", "neighbour"]

ParcelMatchKind = Literal["declared", "containing", "nearest", "named"]

SaleKind = Literal["house", "flat", "commercial", "building_land", "land"]

SearchGeometryType = Literal["Polygon", "MultiPolygon"]

TileLayer = Literal["parcels", "buildings", "zones", "sales", "risks", "restrictions"]

ToldFactKind = Literal[
    "access",
    "building",
    "demolished",
    "distance",
    "given",
    "kept",
    "land",
    "lease",
    "ownership",
    "parcel",
    "parking",
    "people",
    "price",
    "received",
    "refused",
    "sold",
    "wish",
    "note",
]

Verdict = Literal["favourable", "conditional", "unfavourable", "undetermined"]

WebhookState = Literal["unverified", "active", "paused"]

WishStatus = Literal["followed", "not_followed", "not_read"]

ZoneType = Literal["U", "AUc", "AUs", "A", "N", "Ah", "Nh", "Nd"]

ResolveAddressBody = AddressQuery

ResolveAddressResult = ResolveResponse


class SuggestAddressesParameters(TypedDict):
    # What was typed so far, up to 200 characters. The last word may be incomplete.
    q: str
    # Most suggestions, from 1 to 10; 5 by default.
    limit: NotRequired[int]
    # Latitude of the user, in WGS84 degrees, with `lon`. Near addresses come first.
    lat: NotRequired[float | None]
    # Longitude of the user, in WGS84 degrees, with `lat`.
    lon: NotRequired[float | None]
    # INSEE code of the commune whose addresses come first.
    commune_code: NotRequired[str | None]


SuggestAddressesResult = SuggestResponse


class ReverseAddressParameters(TypedDict):
    # Latitude of the point, in WGS84 degrees.
    lat: float
    # Longitude of the point, in WGS84 degrees.
    lon: float


ReverseAddressResult = ReverseResponse

LandUnitGeojsonBody = LandUnitBody

LandUnitGeojsonResult = FeatureCollection


class ParcelsParameters(TypedDict):
    # Latitude of a point, in degrees of WGS 84; with lon.
    lat: NotRequired[float | None]
    # Longitude of a point, in degrees of WGS 84; with lat.
    lon: NotRequired[float | None]
    # A bounding box in place of the point: west,south,east,north in degrees of WGS 84, at most 50 km².
    bbox: NotRequired[str | None]
    # Most items of one page, from 1 to 200; 50 by default.
    limit: NotRequired[int]
    # next_cursor of the page before. Absent for the first page.
    cursor: NotRequired[str | None]


ParcelsResult = ParcelCollection

ParcelsItem = ParcelFeature

SearchParcelsBody = ParcelSearchBody

SearchParcelsResult = ParcelCollection

SearchParcelsItem = ParcelFeature


class SaleStatisticsParameters(TypedDict):
    # INSEE code of a commune or an arrondissement; of Paris, Lyon and Marseille also that of the whole city.
    commune_code: NotRequired[str | None]
    # A section of the cadastre in place of the commune: the first 10 characters of the ids of its parcels.
    section: NotRequired[str | None]
    # A polygon in place of the commune: longitude,latitude of each corner in degrees of WGS 84, at least three
    # corners and 4,000 characters at most; its bounding box has at most 50 km².
    polygon: NotRequired[str | None]
    # Only sales of this kind.
    kind: NotRequired[SaleKind | None]
    # Only sales of this year.
    year: NotRequired[int | None]


SaleStatisticsResult = SaleStatistics

CreateWatchBody = WatchBody

CreateWatchResult = Watch


class ListWatchesParameters(TypedDict):
    # Most items of one page, from 1 to 200; 50 by default.
    limit: NotRequired[int]
    # next_cursor of the page before. Absent for the first page.
    cursor: NotRequired[str | None]


ListWatchesResult = WatchesResponse

ListWatchesItem = Watch


class ListEventsParameters(TypedDict):
    # next_after of the answer before, or the id of the last event that you have. Absent for the oldest events.
    after: NotRequired[str | None]
    # Most items of one page, from 1 to 200; 50 by default.
    limit: NotRequired[int]


ListEventsResult = EventsResponse

CreateWebhookBody = WebhookBody

CreateWebhookResult = CreatedWebhook

ListWebhooksResult = WebhooksResponse

CreateKeyWebhookBody = WebhookBody

CreateKeyWebhookResult = CreatedWebhook

ListKeyWebhooksResult = WebhooksResponse

OgcItemsParameters = TypedDict(
    "OgcItemsParameters",
    {
        "crs": "NotRequired[str]",
        "bbox": "NotRequired[str | None]",
        "bbox-crs": "NotRequired[str]",
        "datetime": "NotRequired[str | None]",
        "limit": "NotRequired[int]",
        "filter": "NotRequired[str | None]",
        "filter-lang": "NotRequired[Literal['cql2-text']]",
        "cursor": "NotRequired[str | None]",
    },
)

OgcItemsResult = MapFeatureCollection


class OgcItemParameters(TypedDict):
    # The reference system of the geometry, as for a page.
    crs: NotRequired[str]


OgcItemResult = MapFeature


class DivideLandParameters(TypedDict):
    # Rank of the proposal that a DXF draws, from 1 to 3; 1 by default. The other forms contain all proposals.
    proposal: NotRequired[int]
    # Projection of a DXF or GeoPackage: legal, that of the territory (Lambert-93 in mainland France), or cc, the
    # conic conformal zone (CC42 to CC50) of the land. Overseas, cc is the legal one.
    projection: NotRequired[DivisionProjection]


DivideLandResult = DivideLandResponse

DivideLandPrompt = Prompt

DivideLandQuickAssessment = QuickAssessment

DivideLandContext = FeatureCollection

DivideLandAnswer = Answer

UsageResult = UsageResponse

PartnerKeysResult = PartnerKeysResponse


class KeyEventsParameters(TypedDict):
    # next_after of the answer before, or the id of the last event that you have. Absent for the oldest events.
    after: NotRequired[str | None]
    # Most items of one page, from 1 to 200; 50 by default.
    limit: NotRequired[int]


KeyEventsResult = KeyEventsResponse

RotatePartnerKeyBody = RotationBody

RotatePartnerKeyResult = RotatedKey


class CoverageParameters(TypedDict):
    # Only data that covers this commune, by its INSEE code.
    commune_code: NotRequired[str | None]
    # Most items of one page, from 1 to 200; 50 by default.
    limit: NotRequired[int]
    # next_cursor of the page before. Absent for the first page.
    cursor: NotRequired[str | None]


CoverageResult = CoverageResponse

CoverageItem = LoadedDataset


class CoveredCommunesParameters(TypedDict):
    # Most communes of one page, from 1 to 500; 100 by default.
    limit: NotRequired[int]
    # next_cursor of the page before. Absent for the first page.
    cursor: NotRequired[str | None]


CoveredCommunesResult = CommunesResponse

CoveredCommunesItem = LoadedCommune
