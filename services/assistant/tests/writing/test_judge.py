"""Which sentences of a model are kept: recorded answers, and sentences made false by a program."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from falsehoods import EXACT, falsehoods
from recorded_answers import digest_of, recordings

from assistant.models.base import Brief
from assistant.writing.facts import facts_of
from assistant.writing.judge import Judge
from landpartner.land.v1 import land_pb2
from servicekit.languages import Language

LEAST_KEPT = 0.9
MOST_FALSE = 0.08
"""Share of the falsehoods of each class besides EXACT that may pass without the model's own judgement."""
QUESTIONS: dict[Language, str] = {
    "fr": "Combien vaut ce terrain ? Quels délais, pente, préemption, risques, taxes, piscine, propriétaires, permis "
    "accordés, pièces, bâtiments, dernière vente, zonage, lots ?",
    "en": "Value, time limits, slope, pre-emption, risks, taxes, pool, who owns it, permits granted, documents, "
    "existing buildings, last sale, zoning, lots?",
}


def test_the_recorded_answers_are_of_today_s_messages() -> None:
    """If the prompt changes, the answers are recorded again."""
    for recording in recordings():
        assert digest_of(recording.messages) == recording.digest, recording.id


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("question", ["", QUESTIONS])
def test_each_fact_s_own_sentence_is_kept(
    rich_unit: land_pb2.LandUnit,
    make_brief: Callable[..., Brief],
    language: Language,
    question: str | dict[Language, str],
) -> None:
    facts = facts_of(make_brief(rich_unit, language, question and question[language]))  # type: ignore[index]
    judge = Judge(facts, language)
    for fact in facts:
        assert judge.refusal(fact.text, [fact]) == ""


def test_most_honest_sentences_are_kept() -> None:
    """All answers of the recordings count; the judge was fitted on those with even ids only."""
    kept, total = Counter[str](), Counter[str]()
    for recording in recordings():
        judge, half = Judge(recording.facts, recording.language), "odd" if recording.id % 2 else "even"
        for text, facts in recording.sentences:
            total[half] += 1
            reason = judge.refusal(text, facts) or (judge.needs_confirmation(text, facts) and "to be confirmed")
            kept[half] += not reason
            if reason:
                print(f"{recording.id}: {text} ({reason})")  # noqa: T201
    print({half: f"{kept[half]} of {total[half]}" for half in total})  # noqa: T201
    assert all(kept[half] >= LEAST_KEPT * total[half] for half in total)


def test_few_falsehoods_pass_and_none_with_a_false_figure_or_name() -> None:
    passed, total = Counter[str](), Counter[str]()
    for recording in recordings():
        judge, by_id = Judge(recording.facts, recording.language), {fact.id: fact for fact in recording.facts}
        for text, facts in recording.sentences:
            if judge.refusal(text, facts):
                continue
            ids = [fact.id for fact in facts]
            for falsehood in falsehoods(text, ids, recording.facts, recording.language):
                total[falsehood.kind] += 1
                passed[falsehood.kind] += not judge.refusal(falsehood.text, [by_id[id_] for id_ in falsehood.facts])
    print({kind: f"{passed[kind]} of {total[kind]}" for kind in total})  # noqa: T201
    assert sum(total.values()) > 400
    assert [kind for kind in total if passed[kind] > (0 if kind in EXACT else MOST_FALSE) * total[kind]] == []


@pytest.mark.parametrize(("name", "least_kept"), [("unfitted_falsehoods", 0.75), ("second_falsehoods", 0.7)])
def test_falsehoods_of_people_are_refused_unless_the_model_confirms_them(name: str, least_kept: float) -> None:
    """Each set was written before its author had seen the judge. The rule for what needs a confirmation came after
    them; no word was fitted to them.
    """
    of_recording = {recording.id: recording for recording in recordings()}
    kept, confirmed, total = Counter[bool](), Counter[bool](), Counter[bool]()
    lines = Path(__file__).with_name(f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for entry in map(json.loads, lines):
        recording = of_recording[entry["recording"]]
        cited = [fact for fact in recording.facts if fact.id in entry["facts"]]
        judge = Judge(recording.facts, recording.language)
        total[entry["is_false"]] += 1
        is_kept = not judge.refusal(entry["text"], cited)
        kept[entry["is_false"]] += is_kept
        confirmed[entry["is_false"]] += is_kept and not judge.needs_confirmation(entry["text"], cited)
    print(kept, confirmed, total)  # noqa: T201
    assert confirmed[True] <= MOST_FALSE * total[True]
    assert kept[True] <= 0.25 * total[True]
    assert kept[False] >= least_kept * total[False]
