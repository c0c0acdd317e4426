"""Flat records for the audit log: every field by its name, and the old and new values of a change."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from keys.store.price_terms import DatedTerms
from keys.values.records import Json, KeyDraft


def differences(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, Json]:
    """Returns `{"old": ..., "new": ...}` of each field that differs. None stands for a missing field."""
    return {
        name: {"old": before.get(name), "new": after.get(name)}
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    }


def fields(members: Mapping[str, Any]) -> dict[str, Json]:
    """Returns the members as JSON. Nested members are named by their path, as in `quota.burst`."""
    return _flatten(json.loads(json.dumps(dict(members), default=str)))


def non_empty(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Returns the non-empty fields of a new record."""
    return {name: value for name, value in fields.items() if value not in (None, [], "")}


def key_fields(draft: KeyDraft) -> dict[str, Json]:
    """Returns the editable fields of a key, without its price, which depends on the month."""
    chosen = asdict(draft)
    for name in ("partner", "pricing", "pricing_from"):
        del chosen[name]
    return fields(chosen)


def price_fields(dated: DatedTerms | None) -> dict[str, Json]:
    """Returns the terms and their first month; empty without terms."""
    return {} if dated is None else fields({"pricing": {**asdict(dated.terms), "effective_from": dated.from_month}})


def _flatten(members: dict[str, Any]) -> dict[str, Json]:
    flat: dict[str, Json] = {}
    for name, value in members.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": member for inner, member in _flatten(value).items()}
        else:
            flat[name] = value
    return flat
