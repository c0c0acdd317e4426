"""One embedded service as an operator watches it: its trace at a collector, its metrics in a real Prometheus."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import otlp
import pytest
import yaml

import stacks
from programs import required

pytestmark = pytest.mark.thorough

FOLDER = stacks.REPOSITORY / "deploy" / "observability"
LEASE_ENDS_WITHIN_S = 1.2
PORTS = {f"{name.upper()}_METRICS_PORT": stacks.free_port() for name in ("edge", "land", "keys", "assistant")}
ADDRESS = {"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"}
FOREIGN_TRACE = "11111111111111111111111111111111"
QUIET = ("land_load", "land_data", "assistant_", "tls_", "_failures", "server_refused", 'status!="OK"')
"""Parts of names of metrics without a sample while all is well, or without imported data, a model or a certificate."""


@dataclass
class Watched:
    stack: stacks.Embedded
    collector: otlp.Collector
    prometheus: str


def until(condition: Callable[[], Any], what: str = "the condition did not become true") -> Any:
    """Waits until the condition is true, and returns its value."""
    ends = time.monotonic() + stacks.PATIENCE_S
    while not (value := condition()):
        assert time.monotonic() < ends, what
        time.sleep(0.2)
    return value


def post(stack: stacks.Embedded, path: str, body: object, request_id: str) -> None:
    headers = {
        "x-api-key": str(stack.record()["api_key"]),
        "x-request-id": request_id,
        "traceparent": f"00-{FOREIGN_TRACE}-2222222222222222-01",
    }
    answer = httpx.post(f"{stack.url}/api/v1/{path}", json=body, headers=headers, timeout=60)
    assert answer.status_code == httpx.codes.OK, answer.text


@pytest.fixture(scope="module")
def program() -> str:
    return required("prometheus", "Debian's package prometheus")


@pytest.fixture(scope="module")
def watched(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """Embedded services, a collector, and Prometheus with the rules as shipped."""
    folder = tmp_path_factory.mktemp("watched")
    with otlp.collector() as collector:
        settings = {name: str(port) for name, port in PORTS.items()}
        settings |= {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
            "OTEL_BSP_SCHEDULE_DELAY": "200",
        }
        with stacks.forked(folder / "data", settings) as stack, prometheus(program, folder) as url:
            yield Watched(stack, collector, url)


@contextmanager
def prometheus(program: str, folder: Path) -> Iterator[str]:
    """Prometheus on the configuration as shipped, but with these ports and a scrape each second."""
    port = stacks.free_port()
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(FOLDER / "rules" / "*.yml")]
    for job in config["scrape_configs"]:
        (discovery,) = job.pop("dns_sd_configs")
        assert discovery["names"] == [job["job_name"]]
        target = f"127.0.0.1:{PORTS[job['job_name'].upper() + '_METRICS_PORT']}"
        job["static_configs"] = [{"targets": [target]}]
    path = folder / "prometheus.yml"
    path.write_text(yaml.safe_dump(config))
    arguments = [f"--config.file={path}", f"--storage.tsdb.path={folder / 'tsdb'}"]
    arguments += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen([program, *arguments], stderr=log)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def query(url: str, expression: str) -> list[Any]:
    """The result of an expression; empty while Prometheus does not answer."""
    try:
        answer = httpx.get(f"{url}/api/v1/query", params={"query": expression}, timeout=30)
    except httpx.TransportError:
        return []
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:  # it starts
        return []
    assert answer.status_code == httpx.codes.OK, f"{expression}: {answer.text}"
    result: list[Any] = answer.json()["data"]["result"]
    return result


def yields(watched: Watched, expression: str, title: str = "") -> None:
    """Waits until the expression has data."""
    until(lambda: query(watched.prometheus, expression), f"{title}: {expression}")


def test_one_request_is_one_trace_from_the_edge_to_the_database(watched: Watched) -> None:
    time.sleep(LEASE_ENDS_WITHIN_S)  # so that the request needs a lease
    post(watched.stack, "land-units/geojson", {"address": ADDRESS}, "watched-1")
    spans = watched.collector.spans

    def root() -> otlp.Received | None:
        request_spans = [span for span in spans if span.attributes.get("landpartner.request_id") == "watched-1"]
        return next((span for span in request_spans if not span.span.parent_span_id), None)

    first = until(root)
    assert first.name == "POST /api/v1/land-units/geojson"
    assert first.attributes["http.response.status_code"] == 200
    assert first.trace_id != FOREIGN_TRACE
    expected_calls = {("edge", "GetLandUnit"), ("land", "GetLandUnit"), ("edge", "Lease"), ("keys", "Lease")}

    def of_trace() -> list[otlp.Received] | None:
        trace_spans = [span for span in spans if span.trace_id == first.trace_id]
        calls = {(span.service, span.name.rpartition("/")[2]) for span in trace_spans}
        return trace_spans if expected_calls <= calls else None

    trace = until(of_trace)
    statements = {span.service for span in trace if "db.query.text" in span.attributes}
    assert statements == {"land", "keys"}
    span_ids = {span.span.span_id for span in trace}
    assert {span.span.parent_span_id for span in trace} <= {b"", *span_ids}
    sent = "".join(str(span.span) for span in spans)
    assert not [word for word in ("lp_live", "lp_test", "Exempleville", "rue du 8") if word in sent]
    logged = (watched.stack.folder / "logs" / "edge.log").read_text().splitlines()
    (line,) = (json.loads(text) for text in logged if '"watched-1"' in text and '"edge.requests"' in text)
    assert line["trace_id"] == first.trace_id


def test_every_expression_of_rules_and_dashboards_has_data(watched: Watched) -> None:
    yields(watched, "count(up == 1) == 4")

    def has_seen_requests() -> list[Any]:
        post(watched.stack, "addresses/resolve", ADDRESS, "resolve")  # a rate needs requests between two scrapes
        return query(watched.prometheus, "api:edge_requests_failed:ratio5m")

    until(has_seen_requests)
    panels = [
        (panel["title"], target["expr"])
        for path in sorted((FOLDER / "grafana" / "dashboards").glob("*.json"))
        for panel in json.loads(path.read_text())["panels"]
        for target in panel.get("targets", ())
    ]
    recorded = [
        (rule["record"], rule["record"])
        for path in sorted((FOLDER / "rules").glob("*.yml"))
        for group in yaml.safe_load(path.read_text())["groups"]
        for rule in group["rules"]
        if "record" in rule
    ]
    for title, expression in panels + recorded:
        if not any(part in expression for part in QUIET):
            yields(watched, expression, title)
    groups = httpx.get(f"{watched.prometheus}/api/v1/rules", timeout=30).json()["data"]["groups"]
    assert not [rule for group in groups for rule in group["rules"] if rule.get("lastError")]
    alerts = {series["metric"]["alertname"] for series in query(watched.prometheus, "ALERTS")}
    assert alerts <= {"DiskNearlyFull", "DiskFillsSoon", "LatencyHigh"}, "all is well, except perhaps this machine"
