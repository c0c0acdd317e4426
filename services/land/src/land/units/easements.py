"""Public easements on a land unit, for the block `urbanism`."""

from collections.abc import Sequence
from dataclasses import dataclass

import shapely

from land.answers.provenance import Coverage
from land.answers.texts import truncated, warning
from land.datasets.easements import queries as easements
from land.datasets.easements.queries import EasementPiece, Publication
from land.datasets.easements.registration import GPU_SUP, GPU_SUP_DOCUMENTS
from land.store.cached_reads import Reads
from land.units.overlap import GEOMETRY_KINDS, Overlap, is_sliver, overlap_of, parts_on
from land.units.recipe import Part, Parts, Recipe
from land.units.site import LINE_REACH_M, Shape, Site

MAX_ITEMS = 500
"""An answer lists the first ones in order."""
MIN_AREA_M2 = 10.0
"""A larger overlap counts, however small its share of the land unit."""
_DATASET = GPU_SUP.id


Easement = Overlap[EasementPiece]


@dataclass(frozen=True)
class Easements:
    items: tuple[Easement, ...]
    published_categories: tuple[str, ...]
    """Categories of which the land unit has no other easement than `items`."""


def compute(reads: Reads, site: Site, _: Parts) -> Part[Easements | None]:
    """The block is None if nothing is loaded, or if the land has no outline."""
    if site.shape is None or site.shape.degrees.is_empty:
        return _unknown(site, Coverage(_DATASET, "not_covered", "not_drawn"))
    pieces, publication = easements.facts_in(reads, site.boxes(LINE_REACH_M), site.communes)
    if len(pieces) >= easements.MAX_ROWS:
        return _unknown(site, Coverage(_DATASET, "not_covered", "too_many"))
    coverage = _coverage(site, publication)
    if coverage.status == "not_loaded":
        return _unknown(site, coverage)
    items = easements_on(pieces, site.shape)
    categories = {easement.record.category for easement in items}
    block = Easements(tuple(items[:MAX_ITEMS]), tuple(sorted(publication.categories | categories)))
    warnings = truncated("easements_truncated", "urbanism", len(items), MAX_ITEMS)
    if coverage.status == "partial":
        warnings.append(warning("easements_partial", "urbanism"))
    return Part(block, warnings, [coverage], publication.loads)


RECIPE = Recipe("easements", (GPU_SUP_DOCUMENTS.id,), compute, needed_by=("urbanism",))


def _unknown(site: Site, coverage: Coverage) -> Part[Easements | None]:
    return Part(None, [warning("easements_not_covered", "urbanism")], [coverage])


def _coverage(site: Site, publication: Publication) -> Coverage:
    if publication.is_whole:
        return Coverage(_DATASET, "covered", None) if site.is_drawn else Coverage(_DATASET, "partial", "not_drawn")
    return Coverage(_DATASET, "partial" if publication.loads else "not_loaded", "not_loaded")


def easements_on(pieces: Sequence[EasementPiece], shape: Shape) -> list[Easement]:
    """Each easement once, however many files have it, in order of category and name. An overlap under 1 % of the land
    unit and under 10 m² is left out: there the outlines of easement and cadastre differ.
    """
    groups: dict[tuple[str, ...], dict[bytes, EasementPiece]] = {}
    for piece in pieces:
        key = piece.category, piece.easement_id, piece.name, piece.type or "", piece.geometry_kind
        earlier = groups.setdefault(key, {}).get(piece.geometry)
        if earlier is None or _decided(piece) < _decided(earlier):
            groups[key][piece.geometry] = piece
    parts = parts_on([piece for group in groups.values() for piece in group.values()], shape)
    overlaps = []
    for group in groups.values():
        first, *other_parts = [next(parts) for _ in group]
        whole = shapely.union_all([first, *other_parts]) if other_parts else first
        record = min(group.values(), key=_decided)
        is_small = record.geometry_kind == "surface" and whole.area < MIN_AREA_M2
        if not (is_small and is_sliver(whole.area, shape.metric.area)):
            overlaps.append(overlap_of(record, whole, shape))
    return sorted(filter(None, overlaps), key=_order)


def _decided(piece: EasementPiece) -> str:
    return piece.decided_on or "~"


def _order(easement: Easement) -> tuple[str, str, str, int, str]:
    record = easement.record
    kind = GEOMETRY_KINDS.index(record.geometry_kind)
    return record.category, record.name, record.type or "", kind, record.easement_id
