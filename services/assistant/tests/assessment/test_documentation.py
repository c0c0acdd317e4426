"""docs/assessment.md and legal_sources.md agree with the rules of the code."""

from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from assistant.assessment import rules
from assistant.assessment.assess import RULES_VERSION
from assistant.assessment.result import Rule
from assistant.assessment.rules import RULES
from assistant.assessment.sentences import tell
from assistant.division.proposal import Assumptions
from assistant.division.wording import AssumptionName

PAGE = (Path(__file__).parents[4] / "docs" / "assessment.md").read_text(encoding="utf-8")
SOURCES = Path(rules.__file__).with_name("legal_sources.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_check_is_listed_with_its_rule_weight_and_grounds(rule: Rule) -> None:
    decisive = " (decisive)" if rule.is_decisive else ""
    heading = f"### `{rule.code}`{decisive}, weight {rule.weight}\n"
    assert heading in PAGE
    section = PAGE.split(heading)[1].split("\n##")[0]
    assert all(text in section for text in tell(f"{rule.code}.rule"))
    assert all(ref in section for ref in rule.legal_refs)


def test_every_reference_is_in_the_table_of_comparisons() -> None:
    compared = SOURCES.split("## Checks and lots\n")[1].split("\n## ")[0]
    rows = {line.split(" | ")[0].removeprefix("| ") for line in compared.splitlines() if line.startswith("| ")}
    assert {ref for rule in RULES for ref in rule.legal_refs} <= rows


def test_the_page_has_this_version_and_the_assumptions() -> None:
    assert f"Rules version {RULES_VERSION}." in PAGE
    figures = Assumptions()
    names = [field.name for field in fields(figures) if field.name != "minimum_lot_m2"]
    assert set(names) < set(get_args(AssumptionName))
    for name in names:
        unit = "m²" if name.endswith("_m2") else "m"
        assert f"| `{name}` | {getattr(figures, name):.0f} {unit} |" in PAGE
