from typing import Any

from measuring import P50, RATE
from report import Bench, Target, section, tables


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


def test_a_row_has_the_figures_of_a_contestant_and_its_ratios_to_the_reference() -> None:
    assert list(tables(ENTRIES, "tipg")) == [
        "",
        "| case | contestant | answers/s | p50 ms |",
        "| --- | --- | --- | --- |",
        "| 1 parcel | tipg | 100 (50.0–200) | 4.00 (2.00–8.00) |",
        "|  | embedded | 50.0 (25.0–100); 0.50× | 8.00 (4.00–16.0); 2.00× |",
    ]


def test_cases_with_other_units_have_a_table_of_their_own() -> None:
    lines = list(tables([*ENTRIES, figure("embedded", 7.0, "MiB", "memory")], "tipg"))
    assert lines[-4:] == [
        "", "| MiB | embedded |", "| --- | --- |", "| memory | 7.00 (3.50–14.0) |"
    ]  # fmt: skip


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


def test_processor_time_is_listed_by_process_and_the_clients_apart() -> None:
    costs = {"processor ms": 5.0, "processor ms of edge": 2.0, "processor ms of land": 3.0}
    entries = [figure("embedded", value, unit) for unit, value in costs.items()]
    entries.append(figure("embedded", 0.1, "processor ms of the clients"))
    lines = list(tables(entries, "tipg"))
    assert lines == [
        "", "| processor ms | embedded |", "| --- | --- |",
        "| 1 parcel | 5.00 (2.50–10.0): edge 2.00, land 3.00 |",
    ]  # fmt: skip


def test_a_section_names_what_failed() -> None:
    failed = {"case": "1 parcel", "contestant": "tipg", "failed": "TimeoutError: no answer"}
    record = {
        "started": "now", "commit": "abc", "seconds": 1.0, "load_before": 0.1, "load_after": 0.2, "reason": "Stopped.",
        "entries": [failed, figure("embedded", 50.0)],
    }  # fmt: skip
    lines = list(section(Bench("Title", "About.", "tipg"), record))
    assert lines[-2:] == ["- 1 parcel, tipg: TimeoutError: no answer", "- Stopped."]
    assert "| answers/s | embedded |" in lines
