"""The audit log in words: a sentence for each action, names instead of ids, old and new values, in both languages."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from keys_world import DRAFT, NOON, World, statements

import keys
from keys.admins import changes as administrators
from keys.admins import inviting
from keys.admins.authenticator import SIGNED_IN
from keys.audit.differences import key_fields, price_fields
from keys.audit.fields import FIELDS, details
from keys.audit.sentences import SENTENCES, actor_name, sentence
from keys.partners import changes as partner_changes
from keys.plans import changes as plan_changes
from keys.store import audit_log as audit
from keys.store import audit_subjects as audit_names
from keys.store import refused_access
from keys.store.audit_log import Filter
from keys.store.price_terms import DatedTerms
from keys.upkeep import erasure
from keys.values.pricing import Terms, Tier
from keys.values.records import Json, Partner, PartnerRecord, Role
from servicekit.languages import Language, Text

SOURCE = Path(keys.__file__).parent
TERMS = Terms(
    monthly_fee=Decimal("49.00"),
    included_units=500,
    tiers=(Tier(10_000, Decimal("0.02")), Tier(None, Decimal("0.015"))),
    vat_rate=Decimal("0.20"),
)
NBSP, NARROW = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"


def written_actions() -> Iterator[str]:
    """The first argument of each call of `audit`, and the actions of refusals. A name is a constant of its module."""
    constants = {"SIGNED_IN": SIGNED_IN, "BACKUP": audit.BACKUP}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "audit"):
                continue
            match node.args[0]:
                case ast.Constant(str(action)):
                    yield action
                case ast.Name(name):
                    yield constants[name]
                case other:
                    raise AssertionError(f"{path}: {ast.unparse(other)} names no action")
    for name, value in vars(refused_access).items():
        if name.isupper() and isinstance(value, str) and value.startswith(refused_access.PREFIX) and name != "PREFIX":
            yield value


def test_every_action_that_keys_writes_has_a_sentence_and_no_sentence_is_stale() -> None:
    assert set(written_actions()) == set(SENTENCES)


def test_every_field_of_keys_prices_and_partners_has_a_label() -> None:
    names = {
        **key_fields(DRAFT),
        **price_fields(DatedTerms(TERMS, "2026-03")),
        **partner_changes._fields(PartnerRecord(Partner("p1", "Cadastra", is_active=True, created_at=NOON))),
    }
    assert [name for name in names if name not in FIELDS and not name.startswith("metadata")] == []


@pytest.mark.parametrize(
    ("name", "value", "french", "english"),
    [
        (
            "quota.monthly_units",
            {"old": 1_000, "new": 2_000},
            f"1{NARROW}000 unités → 2{NARROW}000 unités",
            "1,000 units → 2,000 units",
        ),
        ("quota.monthly_units", {"old": None, "new": 1}, "aucun → 1 unité", "none → 1 unit"),
        ("quota.hard", {"old": True, "new": False}, "oui → non", "yes → no"),
        ("quota.spend_cap", {"old": "1500.50", "new": None}, f"1{NARROW}500,50{NBSP}€ → aucun", "€1,500.50 → none"),
        ("quota.per_minute", 600, "600 par minute", "600 per minute"),
        ("expires_at", "2026-06-30 22:00:00+00:00", "01/07/2026 à 00:00", "2026-07-01 at 00:00 (Paris)"),
        ("pricing.vat_rate", "0.20", f"20{NBSP}%", "20%"),
        ("pricing.effective_from", "2026-04", "04/2026", "2026-04"),
        (
            "pricing.tiers",
            [{"up_to": 10_000, "unit_price": "0.02"}, {"up_to": None, "unit_price": "0.015"}],
            f"jusqu’à 10{NARROW}000{NBSP}: 0,02{NBSP}€{NARROW}; au-delà{NBSP}: 0,015{NBSP}€",
            "up to 10,000: €0.02; above: €0.015",
        ),
        ("scopes", {"old": [], "new": ["usage", "coverage"]}, "tous → usage, coverage", "all → usage, coverage"),
        ("role", {"old": "viewer", "new": "owner"}, "lecteur → propriétaire", "viewer → owner"),
        ("role", "emperor", "emperor", "emperor"),
        ("reason", {"fr": "Refusé.", "en": "Refused."}, "Refusé.", "Refused."),
        ("expires_at", "erased", "erased", "erased"),
        ("quota.monthly_units", "many", "many", "many"),
        ("pricing.tiers", "erased", "erased", "erased"),
        ("metadata.mail", {"old": "a", "new": "b"}, "a → b", "a → b"),
        ("brand_new", {"deep": [1, None]}, "deep 1, aucun", "deep 1, none"),
    ],
)
def test_values_are_in_words_and_units_and_unknown_ones_stay_raw(
    name: str, value: Json, french: str, english: str
) -> None:
    [detail] = details({name: value})
    expected_texts: dict[Language, str] = {"fr": french, "en": english}
    for language, expected in expected_texts.items():
        parts = [text.read(language) for text in (detail.old, detail.new) if text is not None]
        assert " → ".join(parts) == expected
    assert detail.label.fr


def test_an_unknown_action_and_a_counted_refusal_are_told() -> None:
    raw = sentence("admin ann@example.org", "moon.visit", None, {})
    assert raw == ("ann@example.org : moon.visit", "ann@example.org: moon.visit")
    counted = sentence("nobody", "refused.sign_in", Text("ann@example.org", "ann@example.org"), {"count": 12})
    assert counted.read("fr") == f"Connexion refusée{NBSP}: ann@example.org{NBSP}: 12 fois"
    assert counted.en == "Sign-in refused: ann@example.org: 12 times"
    assert actor_name("token nightly (job) (abc123)").en == "The token “nightly (job)”"
    assert actor_name("somebody").en == "somebody"


def told(world: World, entry_filter: Filter | None = None) -> list[str]:
    with world.database.reading() as connection:
        entries = audit.entries(connection, entry_filter or Filter(), None, 100)
        subjects = audit_names.subjects(connection, entries)
    return [sentence(entry.actor, entry.action, subjects.get(entry.id), entry.changes).en for entry in entries]


def test_names_replace_ids_with_one_query_for_each_kind(world: World) -> None:
    first, second = world.key(label="Production"), world.key(partner="Other", label="Staging")
    with world.change() as change:
        plan_changes.create_plan(change, "Pro", TERMS, None)
        nina = administrators.create_admin(change, "nina@example.org", "hash", Role.VIEWER)
        administrators.create_token(change, "nightly", Role.VIEWER, None)
        inviting.invite(change, "pia@example.org", Role.VIEWER, timedelta(hours=1))
        change.audit("admin.update", "gone", {})
    who = "admin:ann@example.org"
    assert told(world) == [
        f"{who} changed the account gone (erased)",
        f"{who} invited pia@example.org",
        f"{who} created the token “nightly”",
        f"{who} created the account nina@example.org",
        f"{who} created the plan “Pro”",
        f"{who} created the key “Staging” (lp_live_{second.record.id}) of Other",
        f"{who} created the key “Production” (lp_live_{first.record.id}) of Cadastra",
    ]
    for number in range(5):
        world.key(label=f"more {number}")
    with world.database.reading() as connection:
        entries = audit.entries(connection, Filter(), None, 100)
        with statements(world) as texts:
            audit_names.subjects(connection, entries)
        assert len(texts) == 4  # keys, plans, admins, tokens
        for text, expected in (
            ("Cadastra", first.record.partner.id),
            ("Pro", plan_id(world)),
            ("Nina@example.org", nina.id),
            (f"lp_live_{first.record.id}...abcd", first.record.id),
        ):
            assert expected in audit_names.ids_named(connection, text)
    with world.change() as change:
        erasure.erase_partner(change, first.record.partner.id)
    assert f"{who} created the key {first.record.id} (erased)" in told(world)


def plan_id(world: World) -> str:
    with world.database.reading() as connection:
        [entry] = audit.entries(connection, Filter(action="plan"), None, 2)
    return entry.subject


def test_entries_are_filtered_by_subject_actor_action_and_range(world: World) -> None:
    key_id = world.key(label="Production").record.id
    world.clock.advance(days=1)
    world.revoke(key_id)
    world.key(label="Second")
    day = timedelta(days=1)

    def actions(**filters: object) -> list[str]:
        with world.database.reading() as connection:
            return [entry.action for entry in audit.entries(connection, Filter(**filters), None, 9)]  # type: ignore[arg-type]

    assert actions(subjects=[key_id]) == ["key.revoke", "key.create"]
    assert actions(action="key") == ["key.create", "key.revoke", "key.create"]
    assert actions(action="key.revoke") == ["key.revoke"]
    assert actions(action="ke") == actions(action="%") == []
    assert actions(actor="admin:ann@example.org", action="key.revoke") == ["key.revoke"]
    assert actions(actor="bob@example.org") == []
    assert actions(start=NOON + day) == ["key.create", "key.revoke"]
    assert actions(end=NOON + day) == ["key.create"]
    assert actions(start=datetime(2027, 1, 1, tzinfo=UTC)) == []
