from typing import Any

from measuring import OF, P50, PROCESSOR, RATE
from report import Bench, Target, all_figures, section, tables


def figure(contestant: str, median: float, unit: str = RATE, case: str = "1 parcel") -> dict[str, Any]:
    spread = [median / 2, median * 2]
    return {
        "case": case,
        "contestant": contestant,
        "unit": unit,
        "median": median,
        "spread": spread,
        "runs": [*spread, median],
    }


ENTRIES = [figure("tipg", 100.0), figure("embedded", 50.0), figure("tipg", 4.0, P50), figure("embedded", 8.0, P50)]


def test_a_row_has_the_figures_of_each_contestant_and_their_ratio_to_the_reference() -> None:
    assert list(tables(ENTRIES, "tipg")) == [
        "",
        "| answers/s, p50 ms | tipg | embedded |",
        "| --- | --- | --- |",
        "| 1 parcel | 100, 4.00 | 50.0, 8.00 (0.50×) |",
    ]


def test_a_rate_and_its_processor_time_stand_without_other_units() -> None:
    entries = [*ENTRIES, figure("tipg", 2.0, PROCESSOR), figure("tipg", 1.5, f"{OF}edge")]
    assert list(tables(entries, "tipg"))[3] == "| 1 parcel | 100, 2.00 |"


def test_cases_with_other_units_have_a_table_of_their_own() -> None:
    lines = list(tables([*ENTRIES, figure("embedded", 7.0, "MiB", "memory")], "tipg"))
    assert lines[-4:] == ["", "| MiB | embedded |", "| --- | --- |", "| memory | 7.00 |"]


def test_a_long_table_says_how_many_cases_are_elsewhere() -> None:
    lines = list(tables([figure("tipg", 1.0, case=f"case {number}") for number in range(10)], "tipg"))
    assert lines[-2:] == ["| case 3 | 1.00 |", "\n6 more cases are in benchmarks.csv."]


def test_every_figure_is_in_the_table_of_all() -> None:
    entries = [figure("embedded", 2_000.0), {"note": "n"}, figure("embedded", 0.5, f"{OF}edge")]
    assert all_figures({"tipg": {"entries": entries}}).splitlines() == [
        "benchmark,case,contestant,unit,median,least,greatest",
        "tipg,1 parcel,embedded,answers/s,2000,1000,4000",
        "tipg,1 parcel,embedded,processor ms of edge,0.50,0.25,1.00",
    ]


def test_a_target_is_reached_in_its_direction() -> None:
    more = Target("rate", "tipg", "1 parcel", RATE, "embedded", 0.6, "tipg")
    less = Target("p50", "tipg", "1 parcel", P50, "embedded", 2.0, "tipg", at_least=False)
    alone = Target("p50", "tipg", "1 parcel", P50, "embedded", 7.9, at_least=False)
    assert more.row(ENTRIES) == "| rate | ≥ 0.6 × | 0.50 | **missed** |"
    assert less.row(ENTRIES) == "| p50 | ≤ 2 × | 2.00 | reached |"
    assert alone.row(ENTRIES) == "| p50 | ≤ 7.9 p50 ms | 8.00 | **missed** |"


def test_a_target_without_its_reference_is_not_measured() -> None:
    target = Target("rate", "tipg", "1 parcel", RATE, "embedded", 0.6, "tipg")
    assert target.row([figure("embedded", 50.0)]) is None


def test_a_section_names_what_failed() -> None:
    failed = {"case": "1 parcel", "contestant": "tipg", "failed": "TimeoutError: no answer"}
    record = {
        "started": "now", "commit": "abc", "seconds": 1.0, "load_before": 0.1, "load_after": 0.2, "reason": "Stopped.",
        "entries": [failed, figure("embedded", 50.0)],
    }  # fmt: skip
    lines = list(section(Bench("Title", "About.", "tipg"), record))
    assert lines[-2:] == ["- 1 parcel, tipg: TimeoutError: no answer", "- Stopped."]
    assert "| answers/s | embedded |" in lines
