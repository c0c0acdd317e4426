from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import pytest

from contract import dictionary as module
from contract.dictionary import SUBJECTS, dictionary
from contract.enums import BLOCKS


def test_each_file_of_texts_is_a_subject_and_each_block_has_one() -> None:
    names = [file.name.removesuffix(".toml") for file in files("contract").joinpath("texts").iterdir()]
    assert sorted(names) == sorted(SUBJECTS)
    assert set(BLOCKS) <= set(SUBJECTS)


def test_two_entries_of_one_thing_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_texts(_: str) -> Mapping[str, Any]:
        return {"object": {"Parcel": {"en": "A parcel.", "fr": "Une parcelle."}}}

    monkeypatch.setattr(module, "read_texts", read_texts)
    with pytest.raises(ValueError, match=r"object\.Parcel has two entries"):
        dictionary.__wrapped__()
