"""Events as OpenTelemetry spans and metrics, named by the semantic conventions for MCP and GenAI; owner of its API.

A span is made when its event is: it begins that long before, in the trace that is current where the event is written.
Conventions: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ (Development; the names are those of version 1.40).
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from mcpexpose.model.errors import UsageRefused

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from mcpexpose.host.audit import Sink
    from mcpexpose.model.event import Event

_log = logging.getLogger(__name__)

_BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
"""Seconds; the conventions' own for this histogram."""
_OWN = {
    "server": "mcpexpose.server",
    "revision": "mcpexpose.catalog.revision",
    "run_id": "mcpexpose.run.id",
    "query_class": "mcpexpose.profile",
    "gateway_route": "mcpexpose.route",
    "candidates": "mcpexpose.candidates",
    "policy_state": "mcpexpose.policy_state",
    "side_effect": "mcpexpose.side_effect",
    "exposure": "mcpexpose.exposure",
    "outcome": "mcpexpose.outcome",
    "size_bytes": "mcpexpose.size",
    "limit_bytes": "mcpexpose.size.limit",
    "plan": "mcpexpose.plan.digest",
}
"""Fields of an event that no convention has a name for. An event holds no arguments, results, queries or paths."""
_FAILED = {"tool-error": "tool_error", "timed-out": "timeout", "failed": "_OTHER"}
"""Outcomes that have a name of their own in the conventions."""
_SOUND = frozenset({"ok", "allowed", "ask", "granted", "denied", "unchanged", "changed", "completed", "not-completed"})
Attributes = dict[str, str | int]


class TelemetrySink:
    """A sink of events that makes spans and metrics of them, and hands each on to ALSO, which comes first.

    Telemetry is no evidence: what ALSO cannot keep refuses calls as ever, what telemetry loses refuses nothing. Without
    providers the global ones are used. Raises UsageRefused where opentelemetry-api is not installed.
    """

    def __init__(
        self,
        also: Sink | None = None,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        try:
            from opentelemetry.metrics import get_meter
            from opentelemetry.trace import get_tracer
        except ModuleNotFoundError:
            raise UsageRefused(
                'telemetry needs the package opentelemetry-api: pip install "mcpexpose[telemetry]"'
            ) from None
        from mcpexpose import __version__

        self._also = also
        self._tracer = get_tracer("mcpexpose", __version__, tracer_provider)
        meter = get_meter("mcpexpose", __version__, meter_provider)
        self._durations = meter.create_histogram(
            "mcp.client.operation.duration",
            unit="s",
            description="From the proposed call, its gate and its approval included, to its outcome.",
            explicit_bucket_boundaries_advisory=_BUCKETS,
        )
        self._events = meter.create_counter("mcpexpose.events", unit="{event}", description="By kind and outcome.")

    def write(self, event: Event, *, effects: bool) -> None:
        """Hands the event on, and makes spans and metrics of it. Raises what the sink beside it raises."""
        try:
            if self._also is not None:
                self._also.write(event, effects=effects)
        finally:
            try:
                self._export(event)
            except Exception as error:
                _log.warning("telemetry of an event was lost: %s", type(error).__name__)

    def _export(self, event: Event) -> None:
        self._events.add(1, {"mcpexpose.event": event.event, **_few(event)})
        if event.latency_ms is None:
            from opentelemetry.trace import get_current_span

            get_current_span().add_event(f"mcpexpose.{event.event}", _all(event))
            return
        self._span(event)
        if method := _method(event):
            self._durations.record(event.latency_ms / 1000, _convention(event, method) | _few(event))

    def _span(self, event: Event) -> None:
        from opentelemetry.trace import SpanKind, Status, StatusCode

        assert event.latency_ms is not None
        method = _method(event)
        end = time.time_ns()
        span = self._tracer.start_span(
            _span_name(event, method),
            kind=SpanKind.CLIENT if method else SpanKind.INTERNAL,
            attributes=_convention(event, method) | _all(event),
            start_time=end - round(event.latency_ms * 1e6),
        )
        if _error(event) is not None:
            span.set_status(Status(StatusCode.ERROR))
        span.end(end)


def _method(event: Event) -> str | None:
    """The MCP request behind an event, where one was sent."""
    if event.event == "refresh":
        return "tools/list"
    outcome = event.outcome or ""
    sent = event.event == "call" and outcome != "not-sent" and not outcome.startswith("refused:")
    return "tools/call" if sent else None


def _span_name(event: Event, method: str | None) -> str:
    """Low in number: a tool that no plan has was named by a model, and is left out."""
    target = f" {event.tool}" if event.tool and event.policy_state else ""
    if method == "tools/list":
        return method
    if event.event == "search":
        return "execute_tool find_tools"
    kind = method or ("execute_tool" if event.event == "call" else f"mcpexpose.{event.event}")
    return f"{kind}{target}"


def _convention(event: Event, method: str | None) -> Attributes:
    found: Attributes = {}
    if method is not None:
        found["mcp.method.name"] = method
    if event.event in ("call", "search"):
        found["gen_ai.operation.name"] = "execute_tool"
    tool = "find_tools" if event.event == "search" else event.tool if event.policy_state else None
    if tool is not None:
        found["gen_ai.tool.name"] = tool
    if (error := _error(event)) is not None:
        found["error.type"] = error
    return found


def _error(event: Event) -> str | None:
    outcome = event.outcome or "ok"
    if outcome in _SOUND or event.event == "search":
        return None
    return _FAILED.get(outcome, outcome)


def _all(event: Event) -> Attributes:
    return {name: value for field, name in _OWN.items() if (value := getattr(event, field)) is not None}


def _few(event: Event) -> Attributes:
    """For metrics, where each new value costs: nothing that a model or a run chooses."""
    found: Attributes = {"mcpexpose.outcome": event.outcome or "ok"}
    if event.server is not None and event.revision is not None:
        found["mcpexpose.server"] = event.server
    if event.side_effect is not None:
        found["mcpexpose.side_effect"] = event.side_effect
    return found
