"""Small files in the formats of the publishers, and their paths on the local server of `publishers`."""

import gzip
import io
import json
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from land.datasets.dataset import Dataset
from land.datasets.sales.reader import YEARS_PUBLISHED
from land.sources.base import PartitionRequest

COMMUNE, NAME, POSTCODE = "18033", "Bourges", "18000"
POPULATION = 290
"""So small that the commune may have no permit."""
MERGED = "18900"
"""A former commune that the commune contains since 2016."""
EPCI = "241800507"
OTHER, OTHER_NAME, OTHER_POSTCODE = "18050", "La Chapelle", "18250"
EDITION = "2026-06-01"
SALE_YEAR = 2024
_THIS_YEAR = datetime.now(UTC).year
SALE_YEARS = range(_THIS_YEAR - YEARS_PUBLISHED, _THIS_YEAR + 1)
"""Those that the publisher has today. Those but SALE_YEAR have a sale of the last parcel."""
SITADEL = {
    "sitadel-housing": "8b35affb-55fc-4c1f-915b-7750f974446a",
    "sitadel-premises": "f8f0700f-806c-40a7-83b1-f21cf507e7c4",
    "sitadel-development": "96883f50-538b-41f9-a059-c6eb97e6a23a",
    "sitadel-demolition": "1a9a2f0c-56fe-4e69-84a7-fbbda2121f02",
}
LEGAL_PERSONS = "/legal_persons/fichiers-des-locaux-et-des-parcelles-des-personnes-morales"
LINEAGE = "/lineage/documents-de-filiation-informatises-dfi-des-parcelles"
MERIMEE = "/rnic/resources/3a52af4a-f9da-4dcc-8110-b07774dfb3bc/data/csv/"
RNIC = "/rnic/resources/3ea8e2c3-0038-464a-b17e-cd5c91f65ce2/data/csv/"
_ARCHIVES = ("fichier_des_parcelles_situation_2025_dpts_01_a_56_zip", "fichier_des_locaux_situation_2025_zip")
_LINEAGE_ARCHIVE = "dfi_juillet_2025_dept_2a0a_dept_580_zip"
_GPU_LAYERS = (
    "document", "zone-urba", "secteur-cc", "prescription-surf", "prescription-lin", "prescription-pct", "info-surf",
    "info-lin", "info-pct", "municipality", "assiette-sup-s", "assiette-sup-l", "assiette-sup-p", "generateur-sup-s",
    "generateur-sup-l", "generateur-sup-p", "acte-sup", "gestionnaire-sup",
    "troncon-de-route", "troncon-de-voie-ferree", "surface-hydrographique", "troncon-hydrographique",
    "parcelles-graphiques",
)  # fmt: skip
BOX = (2.301, 47.08, 2.34, 47.081)
"""Around the parcels of a commune: west, south, east, north."""
IN_FORCE = "/gpu/document?geom"
"""The key of the file that answers requests by place."""
_EMPTY = b'{"type": "FeatureCollection", "features": []}'
_BAN_HEADER = (
    "id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;"
    "nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;"
    "source_nom_voie;certification_commune;cad_parcelles"
)
LOCALITY_HEADER = (
    "id;nom_lieu_dit;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune;x;y;lon;lat;"
    "source_position;source_nom_voie"
)
_DVF_HEADER = (
    "id_mutation,date_mutation,numero_disposition,nature_mutation,valeur_fonciere,adresse_numero,adresse_suffixe,"
    "adresse_nom_voie,adresse_code_voie,code_postal,code_commune,nom_commune,code_departement,ancien_code_commune,"
    "ancien_nom_commune,id_parcelle,ancien_id_parcelle,numero_volume,lot1_numero,lot1_surface_carrez,lot2_numero,"
    "lot2_surface_carrez,lot3_numero,lot3_surface_carrez,lot4_numero,lot4_surface_carrez,lot5_numero,"
    "lot5_surface_carrez,nombre_lots,code_type_local,type_local,surface_reelle_bati,nombre_pieces_principales,"
    "code_nature_culture,nature_culture,code_nature_culture_speciale,nature_culture_speciale,surface_terrain,longitude,"
    "latitude"
)
_PERMIT_HEADER = (
    "COMM;TYPE_DAU;NUM_DAU;ETAT_DAU;NUM_PA;ETAT_PA;NUM_PD;ETAT_PD;DATE_REELLE_AUTORISATION;SEC_CADASTRE1;NUM_CADASTRE1;"
    "SEC_CADASTRE2;NUM_CADASTRE2;SEC_CADASTRE3;NUM_CADASTRE3"
)


def urls_of(dataset: Dataset, commune: str = COMMUNE) -> list[str]:
    """The URLs of a commune's files."""
    files, _ = files_of_communes()
    return dataset.reader.urls(
        PartitionRequest(
            commune,
            dataset.code_of(commune),
            lambda: (2.32, 47.08),
            lambda url: files["/" + url.split("/", 3)[3]],
            lambda _: BOX,
        )
    )


def parcel_id(number: int, commune: str = COMMUNE, prefix: str = "000") -> str:
    return f"{commune}{prefix}AB{number:04}"


def ban_path(commune: str = COMMUNE) -> str:
    return f"/ban/ban/communes/{commune}/download/csv-legacy/adresses"


def localities_path(commune: str = COMMUNE) -> str:
    return f"/ban/ban/communes/{commune}/download/csv-legacy/lieux-dits"


def cadastre_path(commune: str = COMMUNE, edition: str = "latest") -> str:
    return f"/cadastre/{edition}/geojson/communes/{commune[:2]}/{commune}/cadastre-{commune}-parcelles.json.gz"


def buildings_path(commune: str = COMMUNE, edition: str = "latest") -> str:
    return cadastre_path(commune, edition).replace("-parcelles", "-batiments")


def territory_path(commune: str = COMMUNE, edition: str = "latest") -> str:
    return cadastre_path(commune, edition).replace("-parcelles", "-communes")


def dvf_path(year: int = SALE_YEAR, commune: str = COMMUNE) -> str:
    return f"/dvf/latest/csv/{year}/communes/{commune[:2]}/{commune}.csv"


def permits_path(dataset: str) -> str:
    return f"/sitadel/datafiles/{SITADEL[dataset]}/csv"


def ban_file(numbers: Sequence[int], commune: str = COMMUNE, name: str = NAME, postcode: str = POSTCODE) -> bytes:
    """Addresses of the Rue des Lilas. Each is at the centre of the parcel with the same number."""
    rows = [
        f"{commune}_0001_{number:05};;{number};;Rue des Lilas;{postcode};{commune};{name};;;1;1;"
        f"{_west(number) + 0.0005:.5f};47.08050;entrée;;;{name.upper()};RUE DES LILAS;commune;commune;1;"
        for number in numbers
    ]
    return "\n".join([_BAN_HEADER, *rows, ""]).encode()


def localities_file(commune: str = COMMUNE, name: str = NAME, postcode: str = POSTCODE) -> bytes:
    row = f"{commune}_b001;Le Grand Pré;{postcode};{commune};{name};;;1;1;2.4;47.08;commune;commune"
    return "\n".join([LOCALITY_HEADER, row, ""]).encode()


def cadastre_file(numbers: Sequence[int], commune: str = COMMUNE, prefix: str = "000") -> bytes:
    features = [_feature(number, commune, prefix) for number in numbers]
    return gzip.compress(json.dumps({"type": "FeatureCollection", "features": features}).encode())


def territory_file(commune: str = COMMUNE) -> bytes:
    """A territory that extends some kilometres beyond the parcels."""
    ring = [[2.2, 47.0], [2.5, 47.0], [2.5, 47.2], [2.2, 47.2], [2.2, 47.0]]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    feature = {"type": "Feature", "properties": {"id": commune}, "geometry": geometry}
    return gzip.compress(json.dumps({"type": "FeatureCollection", "features": [feature]}).encode())


def dvf_file(number: int = 1, commune: str = COMMUNE, year: int = SALE_YEAR) -> bytes:
    values: dict[str, Any] = dict.fromkeys(_DVF_HEADER.split(","), "")
    values |= {
        "id_mutation": f"{year}-1",
        "date_mutation": f"{year}-05-06",
        "numero_disposition": "000001",
        "nature_mutation": "Vente",
        "valeur_fonciere": "250000",
        "code_commune": commune,
        "id_parcelle": parcel_id(number, commune),
        "nombre_lots": "0",
    }
    return f"{_DVF_HEADER}\n{','.join(values.values())}\n".encode()


def permits_file(dataset: str, number: int = 1, commune: str = COMMUNE) -> bytes:
    permit = f"0{commune}24A{list(SITADEL).index(dataset):04}"
    row = f"{commune};PC;{permit};2;{permit};2;{permit};2;2024-02-03;AB;{number};;;;"
    return f"{_PERMIT_HEADER}\n{row}\n".encode()


def legal_persons_row(number: int = 1, /, commune: str = COMMUNE, **changes: str) -> str:
    """A row of the file of 2025: the commune owns the parcel. `changes` are by position, such as `c17`."""
    values = [
        commune[:2], "0", commune[2:], NAME.upper(), "", "AB", f"{number:04}", "", "", "", "", "", "", "8400", "A",
        "S - Sols", "8400", "P - Propriétaire", "PBB8KJ", "211800334", "4 - Commune", "7210", "COM",
        "COMMUNE DE BOURGES",
    ]  # fmt: skip
    for name, value in changes.items():
        values[int(name[1:])] = value
    return ";".join(values)


def legal_persons_file(*rows: str) -> bytes:
    header = (
        "Département;Code Direction;Code Commune;Nom de la commune;Préfixe;Section;N° plan;N° voirie;"
        "Indice de répétition;Code voie MAJIC;Code voie Rivoli;Nature voie;Nom voie;Contenance;SUF;Nature culture;"
        "Contenance;Code droit - par;N° Majic - par;N° SIREN - par;Groupe personne - par;Forme juridique - par;"
        "Forme juridique abrégée - par;Dénomination - par"
    )
    return "\ufeff{}\n".format("\n".join([header, *rows])).encode()


def lineage_lot(
    mothers: str, daughters: str, lot: str = "00001", day: str = "20220304", nature: str = "5", commune: str = COMMUNE
) -> str:
    """The two lines of a lot, in the recent layout. Cells are separated by spaces."""
    start = f"{commune[:2]}0;{commune[2:]};000;0000450;{nature};{day};MASKED;XNUMX;{lot}"
    return "".join(
        f"{start};{kind};{''.join(f'{cell};' for cell in cells.split())}\n"
        for kind, cells in enumerate((mothers, daughters), 1)
    )


def rnic_file(*rows: str) -> bytes:
    """Rows after the header of 2026, with these columns only."""
    header = (
        "numero_immatriculation,nom_usage_copropriete,type_syndic,nombre_total_lots,nombre_lots_habitation,"
        "periode_construction,reference_cadastrale_1,reference_cadastrale_2,reference_cadastrale_3"
    )
    return "\n".join([header, *rows, ""]).encode()


def monuments_file(*rows: str, delimiter: str = ",") -> bytes:
    """Rows of the ministry's list, with these columns only. The commas of places are in quotes."""
    header = (
        "Reference", "Titre_editorial_de_la_notice", "Date_et_typologie_de_la_protection",
        "Departement_format_numerique", "coordonnees_au_format_WGS84",
    )  # fmt: skip
    return "\n".join([delimiter.join(header), *rows, ""]).encode()


def archive(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def rating(number: int, commune: str = COMMUNE, **changes: Any) -> dict[str, Any]:
    """The energy rating of a dwelling at the address with this number."""
    return {
        "numero_dpe": f"2418E{number:07}A",
        "date_etablissement_dpe": "2024-03-04",
        "date_derniere_modification_dpe": "2024-03-09",
        "etiquette_dpe": "D",
        "etiquette_ges": "B",
        "identifiant_ban": f"{commune}_0001_{number:05}",
        "code_insee_ban": commune,
        "score_ban": 0.97,
        "statut_geocodage": "adresse géocodée ban à l'adresse",
        "_geopoint": f"47.08050,{_west(number) + 0.0005:.5f}",
        **changes,
    }


def ratings_file(ratings: Sequence[dict[str, Any]]) -> bytes:
    return json.dumps({"total": len(ratings), "results": ratings}).encode()


def cog_file(communes: dict[str, str]) -> bytes:
    rows = [f"COM,{code},{name}," for code, name in communes.items()]
    return "\n".join(["TYPECOM,COM,LIBELLE,COMPARENT", *rows, ""]).encode()


def _west(number: int) -> float:
    return 2.3 + number * 0.001


def _feature(number: int, commune: str, prefix: str) -> dict[str, Any]:
    west, south = _west(number), 47.08
    ring = [
        [west, south],
        [west + 0.001, south],
        [west + 0.001, south + 0.001],
        [west, south + 0.001],
        [west, south],
    ]
    properties = {
        "id": parcel_id(number, commune, prefix),
        "commune": commune,
        "prefixe": prefix,
        "section": "AB",
        "numero": str(number),
        "contenance": 8_400,
    }
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Polygon", "coordinates": [ring]}}


def files_of_communes() -> tuple[dict[str, bytes], dict[str, str]]:
    """All files of two communes and the national lists by path, and the redirects from the latest edition."""
    files: dict[str, bytes] = {}
    redirects: dict[str, str] = {}
    names = {COMMUNE: NAME, OTHER: OTHER_NAME}
    files["/cog/v_commune_2026.csv"] = cog_file(names)
    header = "MOD,DATE_EFF,TYPECOM_AV,COM_AV,LIBELLE_AV,TYPECOM_AP,COM_AP,LIBELLE_AP"
    files["/cog/v_mvt_commune_2026.csv"] = (
        f"{header}\n32,2016-01-01,COM,{MERGED},Vieux-Bourg,COM,{COMMUNE},{NAME}\n".encode()
    )
    postcodes = {COMMUNE: POSTCODE, OTHER: OTHER_POSTCODE}
    listed = [
        {
            "code": code,
            "nom": name,
            "codesPostaux": [postcodes[code]],
            "population": POPULATION,
            "centre": {"type": "Point", "coordinates": [2.32, 47.08]},
            "codeEpci": EPCI,
        }
        for code, name in names.items()
    ]
    files["/postcodes/communes"] = json.dumps(listed).encode()
    for commune, name in names.items():
        files[ban_path(commune)] = ban_file(range(1, 40), commune, name, postcodes[commune])
        files[localities_path(commune)] = localities_file(commune, name, postcodes[commune])
        files[cadastre_path(commune, EDITION)] = cadastre_file(range(1, 40), commune)
        redirects[cadastre_path(commune)] = cadastre_path(commune, EDITION)
        for year in SALE_YEARS:
            number = 1 if year == SALE_YEAR else 39
            files[dvf_path(year, commune)] = dvf_file(number, commune, year)
        files[buildings_path(commune, EDITION)] = _EMPTY
        redirects[buildings_path(commune)] = buildings_path(commune, EDITION)
        files[territory_path(commune, EDITION)] = territory_file(commune)
        redirects[territory_path(commune)] = territory_path(commune, EDITION)
    files[LEGAL_PERSONS] = json.dumps({"attachments": [{"id": attachment_id} for attachment_id in _ARCHIVES]}).encode()
    owned = legal_persons_file(legal_persons_row(), legal_persons_row(commune=OTHER))
    files[f"{LEGAL_PERSONS}/attachments/{_ARCHIVES[0]}"] = archive(
        {"PM_25_NB_180.csv": owned, "PM_25_NB_190.csv": b"?"}
    )
    files[LINEAGE] = json.dumps({"attachments": [{"id": _LINEAGE_ARCHIVE}]}).encode()
    lots = lineage_lot("AB0901", "AB0001 AB0002") + lineage_lot("AB0901", "AB0001 AB0002", commune=OTHER)
    files[f"{LINEAGE}/attachments/{_LINEAGE_ARCHIVE}"] = archive(
        {"dfiano-dep180-01072025.zip": archive({"dfiano-dep180-01072025.txt": lots.encode()})}
    )
    files[RNIC] = rnic_file(f"AA0000001,Les Lilas,professionnel,39,18,AVANT_1949,{parcel_id(1)},,")
    files[MERIMEE] = monuments_file('PA00000001,Beffroi,1862 : classé MH,18,"47.0805,2.3015"')
    columns = "code_insee,plan_etat_code2,plan_libelle_etat_code1,plan_libelle_etat_code2"
    files["/docurba/exports/communes"] = f"{columns}\n{COMMUNE},9,PLU approuvé,\n".encode()
    files["/dpe/dpe03existant/lines"] = ratings_file(
        [rating(1), rating(1, etiquette_dpe="F", numero_dpe="2418E0000009B")]
    )
    files["/dpe/dpe02neuf/lines"] = ratings_file([rating(1, OTHER, numero_dpe="2418N0000001A")])
    for layer in _GPU_LAYERS:
        files[f"/gpu/{layer}"] = _EMPTY
    for kind in ("pprn", "pprt"):
        files[f"/risk_zones/{kind}_18.zip"] = _EMPTY
    files[IN_FORCE] = _EMPTY
    for dataset in SITADEL:
        files[permits_path(dataset)] = permits_file(dataset)
    return files, redirects
