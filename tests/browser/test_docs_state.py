"""The pages about the state of the service and about coverage."""

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Route, expect

import stacks
from browsing import Visitor, look, photograph

pytestmark = pytest.mark.browser

STATUS = "/api/docs/status"
DOWN_SINCE = "2026-11-20T10:00:00Z"
COUNT, PAGE = 5_000, 500


def test_the_state_of_services_and_data_needs_no_key(visit: Visitor, service: stacks.Embedded) -> None:
    datasets = httpx.get(service.url + "/api/v1/status").json()["datasets"]
    page = visit(STATUS, locale="fr-FR")
    expect(page.get_by_text("Tout fonctionne")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(len(datasets) + 1)
    look(page, "status")


def test_the_state_says_what_is_down_and_since_when(visit: Visitor, service: stacks.Embedded) -> None:
    status: dict[str, Any] = httpx.get(service.url + "/api/v1/status").json()
    dvf = next(dataset for dataset in status["datasets"] if dataset["dataset"] == "dvf")
    dvf.update(partition_count=5_012, oldest_edition="2025-04", newest_edition="2026-04",
               loaded_at="2026-11-18T04:00:00Z", refresh_at="2099-12-18T04:00:00Z")  # fmt: skip
    land = next(named_service for named_service in status["services"] if named_service["name"] == "land")
    land.update(status="down", since=DOWN_SINCE)
    status.update(status="degraded", datasets_at=DOWN_SINCE)
    page = visit("/", locale="fr-FR")
    page.route("**/api/v1/status", lambda route: route.fulfill(json=status))
    page.goto(STATUS)
    state = page.get_by_role("listitem").filter(has_text="Données foncières")
    expect(state).to_contain_text("ne répond pas")
    expect(state).to_contain_text(re.compile("depuis le .*20.*2026"))
    expect(page.get_by_text("Voici l’état du")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Demandes de valeurs foncières").filter(has_not_text="dvf-archive")
    expect(row).to_contain_text(re.compile(r"2025-04 à 2026-04.*5\s012 communes.*18 nov\. 2026"))
    photograph(page, "status-down")


def test_the_communes_are_those_that_the_key_may_see(visit: Visitor, service: stacks.Embedded) -> None:
    page = visit(STATUS)
    page.get_by_label("API key").fill(stacks.create_key(service, "coverage")["secret"])
    page.get_by_role("button", name="Show the communes").click()
    page.get_by_role("searchbox").fill("exempleville 00001")
    expect(page.get_by_role("status")).to_have_text(re.compile("^1 commune of"))
    expect(page.get_by_role("row").filter(has_text="Exempleville-sur-Fiction")).to_contain_text("ban")
    look(page, "communes")


def test_five_thousand_communes_stay_bounded(visit: Visitor) -> None:
    page = visit("/", locale="fr-FR")
    page.route("**/api/v1/coverage/communes?*", _page_of_many)
    page.goto(STATUS)
    page.get_by_label("Clé d’API").fill("lp_live_many")
    page.get_by_role("button", name="Afficher les communes").click()
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^5\s000 communes sur 5\s000.*100 premières"))
    rows = page.get_by_role("row").filter(has_text="Commune n°")
    expect(rows).to_have_count(100)
    page.get_by_label("Jeu de données").select_option("dvf")
    page.get_by_label("Département").select_option("12")
    page.get_by_role("searchbox").fill("commune 12008")
    expect(rows).to_have_count(1)
    expect(rows.get_by_role("cell")).to_have_text(["Commune n° 12008", "12008", "–", "dvf"])
    photograph(page, "communes-many")


def _page_of_many(route: Route) -> None:
    (cursor,) = parse_qs(urlsplit(route.request.url).query).get("cursor", ["9999"])
    first = int(cursor) + 1
    communes = [_commune(number) for number in range(first, first + PAGE)]
    following = str(first + PAGE - 1) if first + PAGE < 10_000 + COUNT else None
    route.fulfill(body=json.dumps({"communes": communes, "next_cursor": following}), content_type="application/json")


def _commune(number: int) -> dict[str, Any]:
    datasets = ["ban", "dvf"] if number % 2 else ["ban"]
    return {"code": str(number), "name": f"Commune n° {number}", "datasets": datasets, "geometry": None}
