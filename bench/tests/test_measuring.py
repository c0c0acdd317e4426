import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from measuring import QUICK_SECONDS, Figures, parser, quantile


def test_a_figure_has_the_median_and_the_least_and_greatest_value(tmp_path: Path) -> None:
    figures = Figures(tmp_path / "figures.json")
    figures.add("case", "ours", {"ms": [9.0, 1.0, 2.0]})
    assert figures.status == 0
    [entry] = json.loads((tmp_path / "figures.json").read_text())
    assert entry == {
        "case": "case",
        "contestant": "ours",
        "unit": "ms",
        "median": 2.0,
        "spread": [1.0, 9.0],
        "runs": [9.0, 1.0, 2.0],
    }


def test_the_figures_of_a_contestant_are_printed_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Figures().add(
        "case", "ours", {"answers/s": [200.0, 100.0, 150.0], "processor ms": [6.5], "processor ms of land": [6.0]}
    )
    assert capsys.readouterr().out == "case: ours: 150.00 answers/s (100.00 to 200.00), 6.50 processor ms, land 6.00\n"


def test_rounds_alternate_and_every_other_is_reversed() -> None:
    ran: list[tuple[str, int]] = []

    def measure(name: str, number: int) -> dict[str, float]:
        ran.append((name, number))
        return {"ms": float(number)}

    figures = Figures(rounds=3)
    figures.compare("case", {name: partial(measure, name) for name in ("a", "b")})
    assert ran == [("a", 0), ("b", 0), ("b", 1), ("a", 1), ("a", 2), ("b", 2)]
    assert [(entry["contestant"], entry["runs"]) for entry in figures.entries] == [("a", [0, 1, 2]), ("b", [0, 1, 2])]


def test_a_contestant_that_fails_is_reported_and_the_others_go_on() -> None:
    def fail(number: int) -> dict[str, float]:
        if number:
            raise ValueError("no answer")
        return {"ms": 1.0}

    def measure(_: int) -> Mapping[str, float]:
        return {"ms": 2.0}

    figures = Figures(rounds=3)
    figures.compare("case", {"a": fail, "b": measure})
    failure, figure = figures.entries
    assert failure == {"case": "case", "contestant": "a", "failed": "ValueError: no answer"}
    assert (figure["contestant"], figure["runs"]) == ("b", [2.0, 2.0, 2.0])
    assert figures.status == 1


def test_only_the_cases_that_the_options_name_are_run() -> None:
    options = parser("").parse_args(["--only", "16 clients", "--quick"])
    figures = Figures.of(options, seconds=2.0)
    assert (figures.rounds, figures.seconds) == (1, QUICK_SECONDS)
    for case in ("1 client", "16 clients"):
        figures.compare(case, {"ours": lambda _: {"ms": 1.0}})
    assert [entry["case"] for entry in figures.entries] == ["16 clients"]


@pytest.mark.parametrize(("of_100", "expected"), [(50, 50.0), (95, 95.0)])
def test_a_quantile_of_0_to_100_is_its_own_number(of_100: int, expected: float) -> None:
    assert quantile([float(value) for value in range(101)], of_100) == pytest.approx(expected)
    assert quantile([7.0], of_100) == 7.0
