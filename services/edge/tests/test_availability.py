"""What is counted of the checks of the services, and for how long."""

import asyncio
from datetime import date
from pathlib import Path

import pytest
from fakes import wait_until
from running_edge import StartEdge

from edge.availability import Availability, ServiceDay
from edge.clients.states import HealthClient

TODAY = date(2026, 11, 26)


def availability(folder: Path) -> Availability:
    return Availability(folder, HealthClient({}, deadline_s=1))


def test_checks_are_counted_by_day_and_survive_a_restart(tmp_path: Path) -> None:
    availability(tmp_path).count({"keys": True, "land": True}, date(2026, 11, 25))
    availability(tmp_path).count({"keys": True, "land": False}, TODAY)
    assert availability(tmp_path).count({"keys": True, "land": True}, TODAY) == [
        ServiceDay("2026-11-25", "keys", 1, 1), ServiceDay("2026-11-25", "land", 1, 1),
        ServiceDay("2026-11-26", "keys", 2, 2), ServiceDay("2026-11-26", "land", 2, 1),
    ]  # fmt: skip


def test_days_are_forgotten_after_ninety(tmp_path: Path) -> None:
    counted = availability(tmp_path)
    for day in (date(2026, 8, 28), date(2026, 8, 29)):
        counted.count({"land": True}, day)
    assert [day.date for day in counted.count({"land": True}, TODAY)] == ["2026-08-29", "2026-11-26"]


async def test_the_status_has_the_checks_of_the_services(
    start_edge: StartEdge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.availability.STARTS_WITHIN_S", 0.0)
    async with start_edge(spool_dir=tmp_path, land_target="127.0.0.1:1") as edge:
        days: list[dict[str, object]] = []
        while not days:
            days = (await edge.client.get("/api/v1/status")).json()["availability"]
            await asyncio.sleep(0.01)
    assert {day["name"]: day["answered"] for day in days} == {"assistant": 1, "keys": 1, "land": 0}


async def test_a_count_that_cannot_be_stored_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    following = asyncio.create_task(availability(tmp_path / "missing").follow())
    await wait_until(lambda: "the availability was not counted" in caplog.text)
    assert not following.done()
    following.cancel()
