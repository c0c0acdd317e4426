"""The cases, and the candidates that the search finds for them."""

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import land.addresses
from addressfit import forms
from addressfit.directory import rows_of
from addressfit.indexes import VAR, Region, index_of, regions, source_digest
from land.addresses import normalise
from land.addresses.candidates import Candidate
from land.addresses.confidence import utility
from land.addresses.evidence import contradiction
from land.addresses.model import Address, AddressQuery
from land.addresses.resolver import AddressIndex, find_candidates, resolve
from land.addresses.text_repair import repaired

TRAINING_SEEDS = (11,)
REPORT_SEEDS = (101,)
LEFT_OUT_SEED = 1
"""Chooses the streets that the second index lacks."""
MAX_CANDIDATES = 32
LEFT_OUT_SHARE = 5
"""Cases per case of a street that the index lacks."""
SAVED = VAR / "address-candidates"

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Candidates:
    """The candidates for one case, the most probable first."""

    form: str
    """The form of forms.py with /number or /street."""
    region: str
    is_left_out: bool
    is_known: bool
    """Whether the index has the address. False for streets that do not exist or were left out."""
    features: Floats
    offsets: Floats
    """The part of each utility that is not of the features: the cost of contradictions."""
    contradictions: Floats
    other_names: Sequence[str]
    right: Bools
    """Whether each candidate is a right answer."""
    right_street: Bools


@dataclass(frozen=True)
class Trial:
    """A case for the index of a region, or for the index without some of its streets."""

    case: forms.Case
    form: str
    region: Region
    is_left_out: bool

    def judge_answer(self, address: Address | None) -> tuple[bool, bool]:
        members = ("street", "city_code", "number", "type")
        return self.judge(None if address is None else {name: getattr(address, name) for name in members})

    def judge(self, address: dict[str, Any] | None) -> tuple[bool, bool]:
        """Whether the street is right, and also the number."""
        status, body = (404, {}) if address is None else (200, {"address": address})
        if self.is_left_out:
            right = address is None or address.get("type") == "municipality"
            return right, right
        return forms.judge(self.case, status, body)

    @property
    def is_known(self) -> bool:
        return not self.is_left_out and bool(self.case["expected"].get("street"))


def cases(
    region: Region, seed: int, per_form: int, *, only: Sequence[str] = (), is_left_out: bool = False
) -> Iterator[Trial]:
    """Cases of the named forms, or of all. Left-out cases are one fifth as many."""
    names = region.left_out(LEFT_OUT_SEED) if is_left_out else None
    suite = forms.suite(
        region.directory,
        seed,
        max(1, per_form // LEFT_OUT_SHARE) if is_left_out else per_form,
        elsewhere=_elsewhere(region),
        only=only,
        streets=names,
    )
    for case in suite:
        if not (is_left_out and case["kind"].startswith("none_")):
            yield Trial(case, case["kind"], region, is_left_out)


@cache
def _elsewhere(region: Region) -> list[str]:
    """The street names of another file."""
    other = next((candidate for candidate in regions().values() if candidate.name != region.name), None)
    return sorted({row["nom_voie"] for row in rows_of(other.file)}) if other else []


def trials(
    region: Region, seeds: Sequence[int], per_form: int, *, only: Sequence[str] = (), with_left_out: bool = True
) -> Iterator[tuple[Trial, AddressIndex]]:
    with index_of(region) as index:
        for seed in seeds:
            for trial in cases(region, seed, per_form, only=only):
                yield trial, index
    if with_left_out:
        with index_of(region, without=LEFT_OUT_SEED) as index:
            for seed in seeds:
                for trial in cases(region, seed, per_form, only=only, is_left_out=True):
                    yield trial, index


def resolved(trial: Trial, index: AddressIndex) -> list[Address]:
    """Returns the service's answer and its alternatives; nothing for a 404."""
    resolution = resolve(repaired(AddressQuery(**trial.case["input"])), index)
    return [resolution.address, *resolution.alternatives] if resolution else []


def candidates_of(region: Region, seeds: Sequence[int], per_form: int, only: Sequence[str] = ()) -> list[Candidates]:
    """Returns the candidates of each case, from a file if the code and the options are unchanged. `only` names some
    forms; then it leaves out the cases of left-out streets.
    """
    if only:
        chosen = trials(region, seeds, per_form, only=only, with_left_out=False)
        return [_candidates(trial, index) for trial, index in chosen]
    package, search = Path(__file__).parent, Path(land.addresses.__file__).parent
    digest = source_digest(package, search, Path(normalise.__file__))
    options = hashlib.sha256(repr((seeds, per_form, region.file.stat().st_size)).encode()).hexdigest()[:8]
    saved = SAVED / f"{region.name}-{options}-{digest}.pickle"
    if saved.exists():
        read: list[Candidates] = pickle.loads(saved.read_bytes())  # noqa: S301 (written below)
        return read
    candidates = [_candidates(trial, index) for trial, index in trials(region, seeds, per_form)]
    SAVED.mkdir(parents=True, exist_ok=True)
    for outdated in SAVED.glob(f"{region.name}-{options}-*.pickle"):
        outdated.unlink()
    saved.write_bytes(pickle.dumps(candidates))
    return candidates


def _candidates(trial: Trial, index: AddressIndex) -> Candidates:
    candidates = list(find_candidates(repaired(AddressQuery(**trial.case["input"])), index))
    candidates = sorted(candidates, key=lambda candidate: -candidate.utility)[:MAX_CANDIDATES]
    judged = [trial.judge(_answer(candidate)) if trial.is_known else (False, False) for candidate in candidates]
    return Candidates(
        trial.form,
        trial.region.name,
        trial.is_left_out,
        trial.is_known,
        np.array([list(candidate.features.values()) for candidate in candidates], np.float32),
        np.array([candidate.utility - utility(candidate.features) for candidate in candidates], np.float32),
        np.array([contradiction(candidate.contradicted) for candidate in candidates], np.float32),
        [candidate.other_name for candidate in candidates],
        np.array([full for _, full in judged], np.bool_),
        np.array([street for street, _ in judged], np.bool_),
    )


def _answer(candidate: Candidate) -> dict[str, Any]:
    street, point = candidate.street, candidate.point
    number = f"{point.number} {point.suffix}".strip() if point else None
    return {
        "street": street.name if street else None,
        "city_code": candidate.commune.code,
        "number": number,
        "type": "street" if street else "municipality",
    }
