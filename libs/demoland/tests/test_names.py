from random import Random

import pytest

from demoland.names import realistic_street_names, street_names
from demoland.vocabularies import COUNTRY, VOCABULARIES, Vocabulary


@pytest.mark.parametrize("vocabulary", [COUNTRY, *VOCABULARIES.values()])
def test_street_names_of_a_commune_are_unique(vocabulary: Vocabulary) -> None:
    random = Random(1)  # noqa: S311 - reproducible
    for names in (street_names(vocabulary, random, vocabulary.regional), realistic_street_names(vocabulary, random)):
        streets = [next(names) for _ in range(20_000)]
        assert len(set(streets)) == len(streets)
