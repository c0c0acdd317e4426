"""Lets a language model put facts into sentences. Each is judged; the rules write what it does not say."""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.models.base import ChatModel, Meter, ModelFailed, Passage, Written
from assistant.models.rules import cited
from assistant.prompts.loader import Prompt
from assistant.writing.facts import Fact, fill, shown
from assistant.writing.judge import Judge, Refused
from servicekit.context import remaining_s
from servicekit.languages import Language

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

    @property
    def filled(self) -> str:
        return fill(self.text, {key: words for fact in self.facts for key, words in fact.slots.items()})


class Writer:
    """Writes about the facts of one answer."""

    def __init__(self, model: ChatModel, prompt: Prompt, facts: Sequence[Fact], language: Language) -> None:
        self._model = model
        self._prompt = prompt
        self._facts = {fact.id: fact for fact in facts}
        self._judge = Judge(facts, language)
        self._language = _LANGUAGE_NAMES[language]

    async def write(self, meter: Meter, token_limit: int | None = None) -> Written:
        """Returns the sentences that are kept, and the facts' own in place of the others. Raises ModelFailed.

        A second call judges the accepted sentences, and a third one repairs the refused ones, if there is time and the
        key's allowance suffices.
        """

        async def ask(call: str, **values: str) -> dict[str, Any]:
            messages = self._prompt.fill(call, language=self._language, **values)
            left = None if token_limit is None else token_limit - sum(meter.usage[:2])
            return _parsed(await self._model.complete(messages, meter, left))

        started = time.monotonic()
        sentences = self._judged(await ask("write", facts=shown(self._facts.values())))
        took_s = time.monotonic() - started

        async def ask_further(call: str, **values: str) -> dict[str, Any]:
            """An empty answer if there is no room for the call, or if it fails."""
            left_s = remaining_s()
            if left_s is not None and left_s < _ROOM * took_s:
                return {}
            try:
                return await ask(call, **values)
            except ModelFailed as failure:
                log.info("a further call of the model failed", extra={"call": call, "reason": str(failure)})
                return {}

        accepted = [sentence for sentence in sentences if not sentence.refusal]
        if accepted:
            answer = await ask_further("judge", sentences=_numbered(accepted))
            doubted = [accepted[n - 1] for n in _numbers(answer.get("false")) if 0 < n <= len(accepted)]
            sentences = [
                Sentence(sentence.text, sentence.facts, "it says more than its facts")
                if sentence in doubted
                else sentence
                for sentence in sentences
            ]
        refused = [sentence for sentence in sentences if sentence.refusal]
        if refused and len(refused) < len(sentences):
            facts = {fact.id: fact for sentence in refused for fact in sentence.facts}
            reasons = "\n".join(f"- {sentence.text} ({sentence.refusal})" for sentence in refused)
            repaired = iter(self._judged(await ask_further("repair", facts=shown(facts.values()), refused=reasons)))
            sentences = [next(repaired, sentence) if sentence.refusal else sentence for sentence in sentences]
        kept = [sentence for sentence in sentences if not sentence.refusal]
        for sentence in sentences:
            if sentence.refusal:
                log.info("sentence refused", extra={"sentence": sentence.text, "reason": sentence.refusal})
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
            parts = [(sentence.filled, sentence.facts)]
            if sentence.refusal:
                parts = [(fact.statement, (fact,)) for fact in sentence.facts if fact.id not in told]
                told.update(fact.id for fact in sentence.facts)
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
        """The sentences of an answer. Raises ModelFailed if it has none."""
        sentences = []
        for entry in answer.get("sentences") or ():
            text, ids = str(entry.get("text", "")).strip(), entry.get("facts")
            known = [self._facts[id_] for id_ in ids if id_ in self._facts] if isinstance(ids, list) else []
            try:
                self._judge.check(text, known)
            except Refused as reason:
                sentences.append(Sentence(text, tuple(known), str(reason)))
            else:
                sentences.append(Sentence(text, tuple(known)))
        return sentences


def _parsed(text: str) -> dict[str, Any]:
    """The object of an answer, which may stand in a code block. Raises ModelFailed."""
    try:
        answer: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
        entries = answer.get("sentences") or []
        if not all(isinstance(entry, dict) for entry in entries):
            raise TypeError
    except (ValueError, TypeError) as error:
        raise ModelFailed("model_failed", "the answer is not the JSON asked for") from error
    return answer


def _numbers(values: object) -> list[int]:
    return [value for value in values if isinstance(value, int)] if isinstance(values, list) else []


def _numbered(sentences: Sequence[Sentence]) -> str:
    return "\n".join(
        f"{number}. {sentence.text}\n" + "\n".join(f"   fact: {fact.text}" for fact in sentence.facts)
        for number, sentence in enumerate(sentences, 1)
    )
