"""The cases of both generators, and what the search finds for them."""

import hashlib
import json
import pickle
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import address_directory
import address_forms
import address_places
import address_words
import address_writer
import numpy as np
from address_directory import rows_of
from address_indexes import VAR, Region, harness, index_of, regions, source_digest
from numpy.typing import NDArray

import land.addresses
from land import normalise
from land.addresses.candidates import Candidate
from land.addresses.confidence import utility
from land.addresses.evidence import contradiction
from land.addresses.model import Address, AddressQuery
from land.addresses.resolver import AddressIndex, find_candidates, resolve

TRAINING_SEEDS = (11,)
REPORT_SEEDS = (101,)
LEFT_OUT_SEED = 1
"""Chooses the streets that the second index lacks."""
NOISE_ROWS = 20_000
"""noise.py sorts all its rows for each kind."""
MAX_CANDIDATES = 32
LEFT_OUT_SHARE = 5
"""Cases per case of a street that the index lacks."""
SAVED = VAR / "address-answers"

Case = dict[str, Any]
Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Found:
    """The candidates for one case, the most probable first."""

    form: str
    """The kind of noise.py, or the form of address_forms.py with /number or /street."""
    region: str
    is_left_out: bool
    is_known: bool
    """Whether the index has the address. False for streets that do not exist or were left out."""
    features: Floats
    offsets: Floats
    """The part of each utility that is not of the features: the cost of contradictions."""
    contradictions: Floats
    right: Bools
    """Of each candidate: whether it is a right answer."""
    right_street: Bools


@dataclass(frozen=True)
class Asked:
    case: Case
    form: str
    region: Region
    is_left_out: bool

    def judge_answer(self, address: Address | None) -> tuple[bool, bool]:
        return self.judge(None if address is None else answered(address))

    def judge(self, address: dict[str, Any] | None) -> tuple[bool, bool]:
        """Whether the street is right, and also the number."""
        status, body = (404, {}) if address is None else (200, {"address": address})
        if self.is_left_out:
            right = address is None or address.get("type") == "municipality"
            return right, right
        judge = _score.judge if self.form.startswith("noise:") else address_forms.judge
        street, full = judge(self.case, status, body)
        return street, full

    @property
    def is_known(self) -> bool:
        return not self.is_left_out and self.form != "noise:negative" and bool(self.case["expected"].get("street"))


_GENERATORS = [
    str(module.__file__) for module in (address_directory, address_forms, address_places, address_words, address_writer)
]
_noise, _score = harness("noise"), harness("score")


def cases(
    region: Region, seed: int, per_form: int, *, only: Sequence[str] = (), is_left_out: bool = False
) -> Iterator[Asked]:
    """Cases of both generators. Left-out cases are one fifth as many. Those of all forms are saved."""
    options = hashlib.sha256(
        repr((per_form, is_left_out and LEFT_OUT_SHARE, region.file.stat().st_size)).encode()
    ).hexdigest()[:8]
    digest = source_digest(*_GENERATORS, str(_noise.__file__))
    saved = SAVED / f"{region.name}-cases-{seed}-{options}-{digest}.jsonl"
    if not only and not saved.exists():
        made = [json.dumps(vars(asked) | {"region": None}) for asked in _made(region, seed, per_form, (), is_left_out)]
        _replace(saved, "\n".join(made).encode())
    if saved.exists():
        for line in saved.read_text(encoding="utf-8").splitlines():
            asked = Asked(**json.loads(line) | {"region": region})
            if not only or asked.form in only or asked.form.split("/")[0] in only:
                yield asked
    else:
        yield from _made(region, seed, per_form, only, is_left_out)


def _replace(saved: Path, content: bytes) -> None:
    """Writes the file, and removes those of the same name with another digest."""
    SAVED.mkdir(parents=True, exist_ok=True)
    for outdated in SAVED.glob(f"{saved.stem.rpartition('-')[0]}-*{saved.suffix}"):
        outdated.unlink()
    saved.write_bytes(content)


def _made(region: Region, seed: int, per_form: int, only: Sequence[str], is_left_out: bool) -> Iterator[Asked]:
    names = region.left_out(LEFT_OUT_SEED) if is_left_out else None
    if not only or any(name.startswith("noise:") for name in only):
        rows = [row for row in _noise_rows(str(region.file)) if names is None or row["street"] in names]
        rows = random.Random(seed).sample(rows, min(len(rows), NOISE_ROWS))  # noqa: S311 (a sample, no secret)
        for case in _noise.suite(rows, seed, max(2, per_form // LEFT_OUT_SHARE) if is_left_out else per_form):
            form = f"noise:{case['kind']}"
            if (not only or form in only) and not (is_left_out and form == "noise:negative"):
                yield Asked(case, form, region, is_left_out)
    if only and all(name.startswith("noise:") for name in only):
        return
    forms = address_forms.suite(
        region.directory,
        seed,
        max(1, per_form // LEFT_OUT_SHARE) if is_left_out else per_form,
        elsewhere=_elsewhere(region),
        only=only,
        streets=names,
    )
    for case in forms:
        if not (is_left_out and case["kind"].startswith("none_")):
            yield Asked(case, case["kind"], region, is_left_out)


@cache
def _noise_rows(file: str) -> list[dict[str, str]]:
    return list(_noise.read_ban(file, set()))


@cache
def _elsewhere(region: Region) -> list[str]:
    """The street names of another file."""
    other = next((each for each in regions().values() if each.name != region.name), None)
    return sorted({row["nom_voie"] for row in rows_of(other.file)}) if other else []


def asked_with_index(
    region: Region, seeds: Sequence[int], per_form: int, *, only: Sequence[str] = (), with_left_out: bool = True
) -> Iterator[tuple[Asked, AddressIndex]]:
    with index_of(region) as index:
        for seed in seeds:
            for asked in cases(region, seed, per_form, only=only):
                yield asked, index
    if with_left_out:
        with index_of(region, without=LEFT_OUT_SEED) as index:
            for seed in seeds:
                for asked in cases(region, seed, per_form, only=only, is_left_out=True):
                    yield asked, index


def answer_of(candidate: Candidate) -> dict[str, Any]:
    street, point = candidate.street, candidate.point
    number = f"{point.number} {point.suffix}".strip() if point else None
    return {
        "street": street.name if street else None,
        "city_code": candidate.commune.code,
        "number": number,
        "type": "street" if street else "municipality",
    }


def answered(address: Address) -> dict[str, Any]:
    return {name: getattr(address, name) for name in ("street", "city_code", "number", "type")}


def resolved(asked: Asked, index: AddressIndex) -> list[Address]:
    """The service's answer, then its alternatives; empty for a 404."""
    got = resolve(AddressQuery(**asked.case["input"]), index)
    return [got.address, *got.alternatives] if got else []


def found(region: Region, seeds: Sequence[int], per_form: int, only: Sequence[str] = ()) -> list[Found]:
    """The candidates of each case, from a file if the code and the options are unchanged. `only` names some forms: then
    without those of left-out streets.
    """
    if only:
        asking = asked_with_index(region, seeds, per_form, only=only, with_left_out=False)
        return [_found(asked, index) for asked, index in asking]
    digest = source_digest(str(Path(land.addresses.__file__).parent), normalise.__file__, *_GENERATORS, __file__)
    options = hashlib.sha256(repr((seeds, per_form, region.file.stat().st_size)).encode()).hexdigest()[:8]
    saved = SAVED / f"{region.name}-{options}-{digest}.pickle"
    if saved.exists():
        read: list[Found] = pickle.loads(saved.read_bytes())  # noqa: S301 (written below)
        return read
    made = [_found(asked, index) for asked, index in asked_with_index(region, seeds, per_form)]
    _replace(saved, pickle.dumps(made))
    return made


def _found(asked: Asked, index: AddressIndex) -> Found:
    candidates = sorted(find_candidates(AddressQuery(**asked.case["input"]), index), key=lambda each: -each.utility)
    candidates = candidates[:MAX_CANDIDATES]
    judged = [asked.judge(answer_of(each)) if asked.is_known else (False, False) for each in candidates]
    return Found(
        asked.form,
        asked.region.name,
        asked.is_left_out,
        asked.is_known,
        np.array([each.features for each in candidates], np.float32),
        np.array([each.utility - utility(each.features) for each in candidates], np.float32),
        np.array([contradiction(each.contradicted) for each in candidates], np.float32),
        np.array([full for _, full in judged], np.bool_),
        np.array([street for street, _ in judged], np.bool_),
    )
