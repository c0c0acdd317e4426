import json
from pathlib import Path

import pytest
from measuring import Figures, alternate, quantile


def test_a_figure_has_the_median_and_the_least_and_greatest_value(tmp_path: Path) -> None:
    figures = Figures(tmp_path / "figures.json")
    figures.add("case", "ours", "ms", [9.0, 1.0, 2.0])
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


def test_rounds_alternate_and_every_other_is_reversed() -> None:
    ran: list[tuple[str, int]] = []

    def measure(name: str, number: int) -> dict[str, float]:
        ran.append((name, number))
        return {"ms": float(number)}

    measures = {name: lambda number, name=name: measure(name, number) for name in ("a", "b")}
    values = alternate(Figures(), "case", measures, 3)
    assert ran == [("a", 0), ("b", 0), ("b", 1), ("a", 1), ("a", 2), ("b", 2)]
    assert values == {"a": {"ms": [0, 1, 2]}, "b": {"ms": [0, 1, 2]}}


def test_a_contestant_that_fails_is_reported_and_the_others_go_on() -> None:
    def fail(number: int) -> dict[str, float]:
        if number:
            raise ValueError("no answer")
        return {"ms": 1.0}

    figures = Figures()
    values = alternate(figures, "case", {"a": fail, "b": lambda _: {"ms": 2.0}}, 3)
    assert values == {"b": {"ms": [2.0, 2.0, 2.0]}}
    assert figures.entries == [{"case": "case", "contestant": "a", "failed": "ValueError: no answer"}]
    assert figures.status == 1


@pytest.mark.parametrize(("of_100", "expected"), [(50, 50.0), (95, 95.0)])
def test_a_quantile_of_0_to_100_is_its_own_number(of_100: int, expected: float) -> None:
    assert quantile([float(value) for value in range(101)], of_100) == pytest.approx(expected)
    assert quantile([7.0], of_100) == 7.0
