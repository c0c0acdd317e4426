"""Lets a language model put facts into sentences. Each is judged; the rules write what it does not say."""

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assistant.models.base import Meter, ModelFailed, Passage, Written, json_object
from assistant.models.lines import cited
from assistant.prompts.loader import Prompt
from assistant.writing.facts import Fact, fill, shown
from assistant.writing.judge import Judge
from servicekit.context import remaining_s
from servicekit.languages import Language

if TYPE_CHECKING:
    from assistant.models.openai_chat import OpenAIChat

log = logging.getLogger(__name__)

LEAST_KEPT = 0.6
"""Share of the model's sentences that must be kept, or else the rules write alone."""
_ROOM = 2.0
"""A further call is made if it leaves this many times the duration of the first one until the deadline."""
_LANGUAGE_NAMES = {"fr": "French", "en": "English"}


@dataclass(frozen=True)
class Sentence:
    """A sentence of a model: its text with slots, the facts that it rests on, and why it is refused, if it is."""

    text: str
    facts: tuple[Fact, ...]
    refusal: str = ""


class Writer:
    """Writes about the facts of one answer."""

    def __init__(self, model: "OpenAIChat", prompt: Prompt, facts: Sequence[Fact], language: Language) -> None:
        self._model = model
        self._prompt = prompt
        self._facts = {fact.id: fact for fact in facts}
        self._judge = Judge(facts, language)
        self._language = _LANGUAGE_NAMES[language]

    async def write(self, meter: Meter, token_limit: int | None = None) -> Written:
        """Returns the sentences that are kept, and the facts' own in place of the others. Raises ModelFailed.

        A second call judges the accepted sentences, and a third one repairs the refused ones, if there is time and the
        key's allowance suffices. Without the second call, a sentence that needs confirmation is refused.
        """

        async def ask(call: str, **values: str) -> dict[str, Any]:
            messages = self._prompt.fill(call, language=self._language, **values)
            return _parsed(await self._model.complete(messages, meter, meter.left(token_limit)))

        async def ask_further(call: str, **values: str) -> dict[str, Any]:
            """An empty answer if there is no room for the call, or if it fails."""
            left_s = remaining_s()
            if left_s is None or left_s > _ROOM * took_s:
                with suppress(ModelFailed):
                    return await ask(call, **values)
            return {}

        started = time.monotonic()
        sentences = self._judged(await ask("write", facts=shown(self._facts.values())))
        took_s = time.monotonic() - started
        if accepted := [sentence for sentence in sentences if not sentence.refusal]:
            answer = await ask_further("judge", sentences=_numbered(accepted))
            if "false" in answer:
                doubted = [accepted[n - 1] for n in answer["false"] if n in range(1, len(accepted) + 1)]
            else:
                doubted = [each for each in accepted if self._judge.needs_confirmation(each.text, each.facts)]
            doubt = "it says more than its facts"
            sentences = [replace(each, refusal=doubt) if each in doubted else each for each in sentences]
        refused = [sentence for sentence in sentences if sentence.refusal]
        if 0 < len(refused) < len(sentences):
            log.info("sentences refused", extra={"refused": [(refusal.text, refusal.refusal) for refusal in refused]})
            facts = {fact.id: fact for sentence in refused for fact in sentence.facts}
            reasons = "\n".join(f"- {sentence.text} ({sentence.refusal})" for sentence in refused)
            repaired = self._judged(await ask_further("repair", facts=shown(facts.values()), refused=reasons))
            better = iter(repaired if len(repaired) == len(refused) else refused)
            sentences = [next(better) if sentence.refusal else sentence for sentence in sentences]
        kept = [sentence for sentence in sentences if not sentence.refusal]
        if not kept or len(kept) < LEAST_KEPT * len(sentences):
            raise ModelFailed("model_not_used", f"{len(kept)} of {len(sentences)} sentences are kept")
        return self._written(sentences, kept)

    def _written(self, sentences: Sequence[Sentence], kept: Sequence[Sentence]) -> Written:
        """The sentences with the references of their facts, a paragraph for each subject."""
        told = {
            fact.id
            for fact in self._facts.values()
            if self._judge.tells(fact, " ".join(sentence.text for sentence in kept if fact in sentence.facts))
        }
        passages: list[Passage] = []
        cited_facts, subject = set[str](), ""
        for sentence in sentences:
            parts: list[tuple[str, tuple[Fact, ...]]] = [
                (fact.statement, (fact,)) for fact in sentence.facts if fact.id not in told
            ]
            if sentence.refusal:
                told.update(fact.id for fact in sentence.facts)
            else:
                slots = {key: words for fact in sentence.facts for key, words in fact.slots.items()}
                parts = [(fill(sentence.text, slots), sentence.facts)]
            for text, facts in parts:
                refs = dict.fromkeys(ref for fact in facts if fact.id not in cited_facts for ref in fact.legal_refs)
                cited_facts.update(fact.id for fact in facts)
                lead = "\n" if not passages else " " if facts[0].subject == subject else "\n\n"
                subject = facts[0].subject
                codes = dict.fromkeys(fact.code for fact in facts)
                passages.append(Passage(f"{lead}{cited(text, tuple(refs))}", tuple(codes)))
        replaced = frozenset(self._facts[identifier].statement for identifier in told)
        return Written((*passages, Passage("\n", ())), replaced)

    def _judged(self, answer: Mapping[str, Any]) -> list[Sentence]:
        sentences = []
        for entry in answer.get("sentences", ()):
            text, ids = str(entry.get("text", "")).strip(), entry.get("facts")
            facts = tuple(fact for id_, fact in self._facts.items() if isinstance(ids, list) and id_ in ids)
            sentences.append(Sentence(text, facts, self._judge.refusal(text, facts)))
        return sentences


def _parsed(text: str) -> dict[str, Any]:
    """The object of an answer. Raises ModelFailed."""
    answer = json_object(text)
    if answer is not None:
        lists = [answer.get("sentences", []), answer.get("false", [])]
        if all(isinstance(entries, list) for entries in lists) and all(isinstance(entry, dict) for entry in lists[0]):
            return answer
    raise ModelFailed("model_failed", "the answer is not the JSON asked for")


def _numbered(sentences: Sequence[Sentence]) -> str:
    return "\n".join(
        f"{number}. {sentence.text}\n" + "\n".join(f"   fact: {fact.text}" for fact in sentence.facts)
        for number, sentence in enumerate(sentences, 1)
    )
