"""Events as spans and metrics, taken by the OpenTelemetry SDK's own exporters."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra test installs opentelemetry-sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from mcpexpose import ConnectionLost, TelemetrySink, UsageRefused
from mcpexpose.model.policy import SideEffect
from tests.builders import tool
from tests.host.running import Memory, Server, plan_of, run, yes

if TYPE_CHECKING:
    from pathlib import Path

    from opentelemetry.sdk.trace import ReadableSpan

SECRET = "sk-live-0123456789abcdef"
TITLE = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


class Backend:
    """What a collector would have got."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.traces = TracerProvider()
        self.traces.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader])

    def sink(self, also: Any = None) -> TelemetrySink:
        return TelemetrySink(also, tracer_provider=self.traces, meter_provider=self.meters)

    def spans(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.name == name]

    def points(self, name: str) -> list[Any]:
        data = self.reader.get_metrics_data()
        assert data is not None
        return [
            point
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]

    def everything(self) -> str:
        data = self.reader.get_metrics_data()
        spans = [span.to_json() for span in self.exporter.get_finished_spans()]
        return json.dumps(spans) + (data.to_json() if data else "")


@pytest.fixture
def backend() -> Backend:
    return Backend()


def session_of(folder: Path, sink: Any) -> Any:
    read = tool("gh", "get_issue", "Read one issue", schema=TITLE)
    write = tool("gh", "create_issue", "Open a new issue", side_effect=SideEffect.WRITE, schema=TITLE)
    return plan_of(folder, read, write, sink=sink).session(run_id="run-7", route="gw")


def call(session: Any, name: str, answer: Any, title: Any = SECRET) -> Any:
    found = session.inspect("gh", name)
    return run(session.call(found, {"title": title}, approve=yes, through=Server(answer)))


def test_a_call_is_a_client_span_of_the_mcp_conventions(tmp_path: Path, backend: Backend) -> None:
    """G12: named as the conventions for MCP have it, in the caller's trace, with the facts of the event."""
    session = session_of(tmp_path, backend.sink())
    with backend.traces.get_tracer("host").start_as_current_span("turn") as turn:
        assert call(session, "create_issue", {"content": []}).outcome == "ok"
    (span,) = backend.spans("tools/call create_issue")
    assert span.kind is SpanKind.CLIENT
    assert span.attributes is not None
    wanted = {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "create_issue",
        "mcpexpose.server": "gh",
        "mcpexpose.run.id": "run-7",
        "mcpexpose.route": "gw",
        "mcpexpose.side_effect": "write",
        "mcpexpose.outcome": "ok",
    }
    assert wanted.items() <= dict(span.attributes).items()
    assert "error.type" not in span.attributes
    assert span.status.status_code is StatusCode.UNSET
    assert span.parent is not None
    assert span.parent.span_id == turn.get_span_context().span_id
    assert span.start_time is not None
    assert span.end_time is not None
    assert 0 < span.end_time - span.start_time < 60e9
    (host,) = backend.spans("turn")
    told = [event.name for event in host.events]
    assert told == ["mcpexpose.approve", "mcpexpose.check"]  # what takes no time of its own
    (point,) = backend.points("mcp.client.operation.duration")
    assert (point.count, point.attributes["mcp.method.name"]) == (1, "tools/call")
    assert point.explicit_bounds[:3] == (0.01, 0.02, 0.05)


@pytest.mark.parametrize(
    ("answer", "name", "outcome", "error"),
    [
        ({"content": [], "isError": True}, "get_issue", "tool-error", "tool_error"),
        (TimeoutError(), "get_issue", "timed-out", "timeout"),
        (ConnectionLost("gone"), "create_issue", "unknown-completion", "unknown-completion"),
        ({"content": 5}, "get_issue", "quarantined:result-malformed", "quarantined:result-malformed"),
    ],
)
def test_what_went_wrong_is_the_error_type(
    tmp_path: Path, backend: Backend, answer: Any, name: str, outcome: str, error: str
) -> None:
    """G07, G11, G12: with the conventions' words where they have some, and status ERROR without any text."""
    assert call(session_of(tmp_path, backend.sink()), name, answer).outcome == outcome
    (span,) = backend.spans(f"tools/call {name}")
    assert span.attributes is not None
    assert (span.attributes["error.type"], span.attributes["mcpexpose.outcome"]) == (error, outcome)
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)
    (point,) = backend.points("mcp.client.operation.duration")
    assert point.attributes["error.type"] == error


def test_what_was_not_sent_is_no_request(tmp_path: Path, backend: Backend) -> None:
    """G06: a refusal is a span of its own, with its reason, and no MCP operation."""
    session = session_of(tmp_path, backend.sink())
    assert call(session, "create_issue", {"content": []}, 5).outcome == "refused:invalid-arguments"
    (span,) = backend.spans("execute_tool create_issue")
    assert span.kind is SpanKind.INTERNAL
    assert span.attributes is not None
    assert span.attributes["error.type"] == "refused:invalid-arguments"
    assert "mcp.method.name" not in span.attributes
    assert backend.points("mcp.client.operation.duration") == []


def test_a_search_is_a_tool_too(tmp_path: Path, backend: Backend) -> None:
    """F05, G10: with the number of candidates, never with the words."""
    session = session_of(tmp_path, backend.sink())
    assert session.find_tools("open an issue about zebras").matches
    assert not session.find_tools("giraffes").matches
    some, none = backend.spans("execute_tool find_tools")
    assert some.attributes is not None
    assert none.attributes is not None
    assert some.attributes["gen_ai.tool.name"] == "find_tools"
    assert (some.attributes["mcpexpose.candidates"], none.attributes["mcpexpose.candidates"]) == (2, 0)
    assert "zebras" not in backend.everything()
    assert "giraffes" not in backend.everything()


def test_events_are_counted_by_kind_and_outcome(tmp_path: Path, backend: Backend) -> None:
    """G12: and a name that a model made up costs no new time series, and no new name of a span."""
    session = session_of(tmp_path, backend.sink())
    for n in range(20):
        assert session.check((f"s{n}", f"t{n}"), {}).outcome == "refused:unknown-tool"
    counted = {
        (point.attributes["mcpexpose.event"], point.attributes["mcpexpose.outcome"]): point.value
        for point in backend.points("mcpexpose.events")
    }
    assert counted == {("load", "ok"): 1, ("check", "refused:unknown-tool"): 20}
    assert len(backend.spans("mcpexpose.check")) == 20


def test_no_argument_and_no_result_leaves_the_host(tmp_path: Path, backend: Backend) -> None:
    """G12"""
    session = session_of(tmp_path, backend.sink())
    for answer in (
        {"content": [{"type": "text", "text": SECRET}]},
        {"content": [{"type": "text", "text": SECRET}], "isError": True},
        RuntimeError(SECRET),
    ):
        call(session, "get_issue", answer)
    assert len(backend.exporter.get_finished_spans()) == 6  # inspected and called
    assert SECRET not in backend.everything()


def test_telemetry_is_no_evidence(tmp_path: Path, backend: Backend) -> None:
    """G12: the sink behind it has its say first, and a broken exporter refuses nothing."""
    memory = Memory()
    sink = backend.sink(memory)
    session = session_of(tmp_path, sink)
    assert call(session, "create_issue", {"content": []}, "a").outcome == "ok"
    assert "call" in [event.event for event in memory.events]
    memory.fails = True
    assert call(session, "create_issue", {"content": []}, "b").outcome == "refused:audit-unavailable"
    memory.fails = False
    sink._tracer = None  # type: ignore[assignment]
    assert call(session, "create_issue", {"content": []}, "c").outcome == "ok"


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator learns what to install."""
    for name in [name for name in sys.modules if name.split(".")[0] == "opentelemetry"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageRefused, match=r"mcpexpose\[telemetry\]"):
        TelemetrySink()
