"""Gives each sale of DVF its own `id_mutation`.

The publisher's `id_mutation` does not name a deed. It numbers consecutive rows that have the same date and price. The
publisher has had two programs, which order the rows differently.

- The first keeps the order of the tax office's file, where the rows of a deed are consecutive. An id is one deed, or
  rarely two consecutive deeds with the same date and price.
- The program of 2026 sorts the rows of all France by date and price first. Unrelated sales with the same date and price
  share an id. Each row without a price has another id. The columns `ancien_*` are nearly always empty.

Ids of the first program are not changed. With the second, rows of one id and commune are one sale, with two exceptions:
sales of different nature, and built property in two places. In a town, two sales at the same price are more frequent
than a deed over two places. Bare land belongs to the nearest built property, because gardens and fields are often sold
with a house. Rows without a price are one sale if they have the same date, nature and parcel.

Sales that share an id get it with the lowest of their parcel ids, `2026-417-33001000AB0012`. Some unrelated sales
cannot be separated: those on one parcel, on neighbouring parcels, and of bare land.

Source: `data_processing/dvf` in datagouv/datagouvfr_data_pipelines, and `improve-csv.js` in datagouv/dvf.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

import shapely

from land.datasets import territory
from land.datasets.grouping import grouped
from land.datasets.sales.records import DvfRow, Sale
from land.datasets.sales.rows import DEPENDENCY

NEAR_M = 300.0
"""Our assumption: parcels with the same date and price were sold together if they are no farther apart."""
_NUMBERED = re.compile(r"\d{4}-(\d+)(?:-\w{14})?", re.ASCII)
_SECTION = slice(0, 10)
"""The commune, prefix and section in a parcel id."""


def one_id_per_sale(rows: Sequence[DvfRow]) -> list[DvfRow]:
    """The rows in the given order; no two sales among them share an id.

    Expects all rows of one commune and year: whether their ids follow date and price shows which program made them.
    """
    if not is_numbered_by_price(rows):
        return list(rows)
    published = grouped((row.id_mutation, row) for row in rows if row.valeur_fonciere is not None)
    without_price = [row for row in rows if row.valeur_fonciere is None]
    by_deed = grouped(((row.date_mutation, row.nature_mutation, row.id_parcelle), row) for row in without_price)
    ids: dict[int, str] = {}
    for deed in by_deed.values():
        lowest = min((row.id_mutation for row in deed), key=lambda number: (len(number), number))
        ids |= {id(row): lowest for row in deed}
    for mutation, its_rows in published.items():
        sales = _sales_of(its_rows)
        for sale in sales:
            own_id = mutation if len(sales) == 1 else f"{mutation}-{min(row.id_parcelle for row in sale)}"
            ids |= {id(row): own_id for row in sale}
    return [row._replace(id_mutation=ids[id(row)]) for row in rows]


def is_numbered_by_price(rows: Iterable[DvfRow | Sale]) -> bool:
    """Whether the numbers in the ids increase with date and price, with one number per date and price."""
    sold: dict[int, tuple[str, float]] = {}
    for row in rows:
        number = _NUMBERED.fullmatch(row.id_mutation)
        if number is None:
            return False
        if row.valeur_fonciere is not None:
            pair = row.date_mutation or "", row.valeur_fonciere
            if sold.setdefault(int(number[1]), pair) != pair:
                return False
    return all(earlier < later for earlier, later in pairwise(sold[number] for number in sorted(sold)))


def _sales_of(rows: Sequence[DvfRow]) -> list[list[DvfRow]]:
    """The sales among rows of one published id."""
    by_nature = grouped((row.nature_mutation, row) for row in rows)
    return [sale for same_nature in by_nature.values() for sale in _by_place(same_nature)]


def _by_place(rows: Sequence[DvfRow]) -> list[list[DvfRow]]:
    """The rows of each place with built property; all rows together if there are fewer than two such places."""
    built = _parcels_of(row for row in rows if row.code_type_local not in ("", DEPENDENCY))
    built = built or _parcels_of(row for row in rows if row.code_type_local)
    if len(built) <= 1:
        return [list(rows)]
    points = _points(rows)
    places = _places(rows, points)
    sites = [place for place in places if not built.isdisjoint(place)]
    site_of: dict[str, int] = {}
    for place in places:
        distances = [_distance_m(place, site, points) for site in sites]
        site_of |= dict.fromkeys(place, distances.index(min(distances)))
    return list(grouped((site_of[row.id_parcelle], row) for row in rows).values())


def _distance_m(one: set[str], other: set[str], points: Mapping[str, shapely.Point]) -> float:
    """The distance between the nearest points of two places: 0 for the same place, infinite if one has no point."""
    if one is other:
        return 0.0
    one_points, other_points = ([points[parcel] for parcel in place if parcel in points] for place in (one, other))
    return (
        float(shapely.distance(shapely.MultiPoint(one_points), shapely.MultiPoint(other_points)))
        if one_points and other_points
        else math.inf
    )


def _places(rows: Sequence[DvfRow], points: Mapping[str, shapely.Point]) -> list[set[str]]:
    """Groups of parcels that are near one another, in one street, or in one section if one of them has no point."""
    together: dict[object, set[str]] = {}
    unplaced_sections = {row.id_parcelle[_SECTION] for row in rows if row.id_parcelle not in points}
    for row in rows:
        section = row.id_parcelle[_SECTION]
        together.setdefault(row.id_parcelle, set()).add(row.id_parcelle)
        if row.adresse_nom_voie:
            together.setdefault(("street", row.adresse_nom_voie), set()).add(row.id_parcelle)
        if section in unplaced_sections:
            together.setdefault(("section", section), set()).add(row.id_parcelle)
    if points:
        all_points = list(points.values())
        areas = shapely.STRtree(shapely.get_parts(shapely.union_all(shapely.buffer(all_points, NEAR_M / 2))))
        pairs = zip(*areas.query(all_points, predicate="intersects").tolist(), strict=True)
        parcels = list(points)
        for index, area in pairs:
            together.setdefault(("area", area), set()).add(parcels[index])
    return _merged(together.values())


def _merged(groups: Iterable[Collection[str]]) -> list[set[str]]:
    """The groups, with those that share a member merged, in the order of their first members."""
    merged: dict[str, set[str]] = {}
    for group in groups:
        whole = set(group).union(*(merged[member] for member in group if member in merged))
        merged |= dict.fromkeys(whole, whole)
    return list({id(group): group for group in merged.values()}.values())


def _parcels_of(rows: Iterable[DvfRow]) -> set[str]:
    return {row.id_parcelle for row in rows}


def _points(rows: Sequence[DvfRow]) -> dict[str, shapely.Point]:
    """The points of the parcels that have one, in metres."""
    degrees = {row.id_parcelle: (row.lon, row.lat) for row in rows if row.lon is not None and row.lat is not None}
    points = [shapely.Point(*place) for place in degrees.values()]
    metric = territory.all_to_metres(points, territory.projection_of(points[0])) if points else []
    return {parcel: point for parcel, point in zip(degrees, metric, strict=True) if math.isfinite(point.x)}
