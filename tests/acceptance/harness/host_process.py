"""A host in a process of its own. `Library` is the one place of the harness that knows the library's surface.

Run as a script with the numbers of two pipes: requests come in and answers go out as JSON, one a line.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

EVENTS = Path.home() / "events.jsonl"


class NotBuilt(Exception):
    """The library has no such part yet."""


class NothingLoaded(Exception):
    """A load before failed; what follows it has nothing to work on."""


class BreakableSink:
    """The product's file sink, or one that cannot write."""

    def __init__(self, sink: Any) -> None:
        self.sink = sink
        self.fails = False

    def write(self, event: Any, *, effects: bool) -> None:
        if self.fails:
            raise OSError("no space left")
        self.sink.write(event, effects=effects)


class Library:
    """The library's surface (load, session, search, inspect, call …), each answer as JSON."""

    def __init__(self) -> None:
        self.now = datetime.datetime.now(datetime.UTC)
        self.plan: Any = None
        self.session: Any = None
        self.opened: dict[str, Any] = {}
        self.handles: dict[tuple[str, str], Any] = {}
        self.sink: Any = None
        self.connected = ""

    def clock(self, now: str) -> dict[str, Any]:
        self.now = datetime.datetime.fromisoformat(now.replace("Z", "+00:00"))
        return {}

    def load(
        self, path: str, profile: str | None = None, tools: Any = None, run_id: str | None = None
    ) -> dict[str, Any]:
        import mcpexpose

        self.close()
        self.plan = self.session = None
        self.sink = BreakableSink(mcpexpose.FileSink(EVENTS))
        runtime = mcpexpose.Runtime(audit=self.sink, connections=mcpexpose.Connections(base=Path.cwd()))
        plan = mcpexpose.load_plan(path, clock=lambda: self.now, runtime=runtime)
        self.opened = {"profile": profile, "tools": tools, **({"run_id": run_id} if run_id else {})}
        return self._take(plan)

    def reload(self) -> dict[str, Any]:
        refused: list[Exception] = []
        answer = self._take(self.plan.reload(on_refused=refused.append))
        return {**answer, **({"refused": _error(refused[0])["error"]} if refused else {})}

    def state(self) -> dict[str, Any]:
        """What the session shows of itself: exposed tools, declared ones, the section, who is fresh."""
        lookup = self.session.lookup
        declared = [definition["name"] for definition in self.session.declared()]
        return {
            "tools": [_tool(tool) for tool in self.plan.plan.tools],
            "declared": [{"alias": alias, "tool": str(lookup(alias) or alias)} for alias in declared],
            "definitions": list(self.session.declared()),
            "section": self.session.prompt_section(),
            "freshness": self.freshness(),
        }

    def freshness(self) -> dict[str, str]:
        """Server: fresh, expired or stale."""
        plan = self.session.plan
        return {server: str(plan.freshness(server).state) for server in plan.servers}

    def find(self, query: str, limit: Any = None) -> dict[str, Any]:
        answer = self.session.find_tools(query, **({} if limit is None else {"limit": limit}))
        return {
            "hits": [_match(match) for match in answer.matches],
            "text": answer.text,
            "added": list(answer.added),
            "reason": answer.reason,
        }

    def inspect(self, server: str, tool: str) -> dict[str, Any]:
        found = self.session.inspect(server, tool)
        reason = getattr(found, "reason", None)
        if reason:
            return {"outcome": f"refused:{reason}", "text": found.text}
        self.handles[server, tool] = found
        return {"outcome": "ok", "definition": dict(found.definition), "revision": found.revision, "text": found.text}

    def lookup(self, alias: str) -> dict[str, Any]:
        found = self.session.lookup(alias)
        return {"tool": None if found is None else str(found)}

    def load_and_find(self, path: str, query: str) -> dict[str, Any]:
        """One load and one search in it, to be compared with those of whole plans."""
        state = self.load(path)
        return {**state, "found": [[hit["server"], hit["tool"], hit["score"]] for hit in self.find(query, 20)["hits"]]}

    # The gate, its approvals, the refresh at run time, the events.

    def approve(self, server: str, tool: str, **step: Any) -> dict[str, Any]:
        return {"needed": self.session.approve((server, tool), _given(step))}

    def call(self, server: str, tool: str, revision: str | None = None, **step: Any) -> dict[str, Any]:
        """`outcome` (ok, refused:reason …), `reason`, `pointer`, `text` (what the model gets)."""
        handle = self.handles.get((server, tool))
        named = (server, tool) if handle is None or revision is None else replace(handle, revision=revision)
        outcome = asyncio.run(self.session.call(named, _given(step)))
        fields = ("reason", "pointer", "wanted", "revision", "server", "tool", "size")
        told = {name: value for name in fields if (value := getattr(outcome, name, None)) is not None}
        return {"outcome": outcome.outcome, "text": outcome.text, **told}

    def resolve(self, server: str, tool: str, settled: str, **step: Any) -> dict[str, Any]:
        if not self.session.settle((server, tool), _given(step), settled):
            raise LookupError("no such call is open")
        return {}

    def connect(self, server: str) -> dict[str, Any]:
        """Have the server connected, where the plan has it; how many of its notifications were heard."""
        self.connected = server
        known = self.plan.newest.servers.get(server)
        if known is not None:
            self.plan.runtime.connections.open(server, known.transport).result(100)
        return {"heard": self.plan.runtime.heard.get(server, 0)}

    def hear(self, server: str, more_than: int, seconds: float) -> dict[str, Any]:
        """Wait until more notifications were heard."""
        end = time.monotonic() + seconds
        while self.plan.runtime.heard.get(server, 0) <= more_than and time.monotonic() < end:
            time.sleep(0.005)
        return {"heard": self.plan.runtime.heard.get(server, 0)}

    def listed(self) -> dict[str, Any]:
        """`names` in the last list that the host took."""
        return {"names": list(self.plan.runtime.listed.get(self.connected, ()))}

    def settle(self, seconds: float) -> dict[str, Any]:
        from mcpexpose.host.refreshing import is_quiet

        end = time.monotonic() + seconds
        while not is_quiet(self.plan.runtime):
            if time.monotonic() > end:
                raise TimeoutError("a request is still open")
            time.sleep(0.01)
        return {}

    def audit(self) -> dict[str, Any]:
        """`path` of the file that holds the events so far."""
        return {"path": str(EVENTS)}

    def audit_sink(self, fails: bool) -> dict[str, Any]:
        self.sink.fails = fails
        return {}

    def close(self) -> None:
        if self.plan is not None:
            self.plan.runtime.close()

    def _take(self, plan: Any) -> dict[str, Any]:
        self.plan = plan
        self.session = plan.session(**self.opened)
        self.handles.clear()
        return self.state()


def _given(step: dict[str, Any]) -> Any:
    """The arguments of a step: a value, the text that a model wrote, or a Python expression."""
    if "expr" in step:
        return eval(step["expr"], {"float": float})
    return step["args_json"] if "args_json" in step else step["args"]


def _tool(tool: Any) -> dict[str, Any]:
    fields = ("server", "name", "alias", "exposure", "policy_state", "side_effect", "definition_digest")
    return {name: str(getattr(tool, name)) for name in fields}


def _match(match: Any) -> dict[str, Any]:
    tool = match.tool
    return {
        "server": tool.server,
        "tool": tool.name,
        "alias": tool.alias,
        "score": match.score,
        "exposure": str(tool.exposure),
        "policy_state": str(tool.policy_state),
        "side_effect": str(tool.side_effect),
        "description": tool.description,
        "revision": match.revision,
        "declared": match.declared,
        "fresh": match.fresh,
        "weak": match.weak,
    }


def _error(error: Exception) -> dict[str, Any]:
    findings = []
    for finding in getattr(error, "findings", ()):
        fields = {name: getattr(finding, name) for name in ("slug", "message", "advice")}
        details = dict(finding.details)
        findings.append(
            {**fields, "severity": str(finding.severity), "subjects": list(finding.subjects), "details": details}
        )
    return {
        "error": {
            "type": type(error).__name__,
            "message": str(error),
            "findings": findings,
            "reason": str(getattr(error, "reason", "")),
            "ours": type(error).__module__.startswith("mcpexpose") or isinstance(error, NothingLoaded),
            "not_built": isinstance(error, NotBuilt),
        }
    }


def serve(requests: int, answers: int) -> None:
    library = Library()
    with open(requests, encoding="utf-8") as lines:
        for line in lines:
            request = json.loads(line)
            act = getattr(library, request.pop("do").replace("-", "_"))
            try:
                if library.session is None and act.__name__ not in ("clock", "load", "load_and_find"):
                    raise NothingLoaded("no plan is loaded")
                answer = act(**request)
            except Exception as error:
                answer = _error(error)
            os.write(answers, json.dumps(answer, default=str).encode("utf-8", "surrogatepass") + b"\n")
    library.close()


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    serve(int(sys.argv[1]), int(sys.argv[2]))
