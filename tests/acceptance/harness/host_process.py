"""A host in a process of its own. `Library` is the one place of the harness that knows the library's surface.

Run as a script with the numbers of two pipes: requests come in and answers go out as JSON, one a line.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from pathlib import Path
from typing import Any


class NotBuilt(Exception):
    """The library has no such part yet."""


class NothingLoaded(Exception):
    """A load before failed; what follows it has nothing to work on."""


class Library:
    """The library's surface (load, session, search, inspect, call …), each answer as JSON."""

    def __init__(self) -> None:
        self.now = datetime.datetime.now(datetime.UTC)
        self.plan: Any = None
        self.session: Any = None
        self.opened: dict[str, Any] = {}
        self.handles: dict[tuple[str, str], Any] = {}

    def clock(self, now: str) -> dict[str, Any]:
        self.now = datetime.datetime.fromisoformat(now.replace("Z", "+00:00"))
        return {}

    def load(
        self, path: str, profile: str | None = None, tools: Any = None, run_id: str | None = None
    ) -> dict[str, Any]:
        import mcpexpose

        self.plan = self.session = None
        plan = mcpexpose.load_plan(path, clock=lambda: self.now)
        self.opened = {"profile": profile, "tools": tools, **({"run_id": run_id} if run_id else {})}
        return self._take(plan)

    def reload(self) -> dict[str, Any]:
        return self._take(self.plan.reload())

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
        return {server: str(self.plan.freshness(server).state) for server in self.plan.servers}

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

    # What later rounds build: the gate, its approvals, the refresh at run time, the events.

    def approve(self, **step: Any) -> dict[str, Any]:
        raise NotBuilt("approve")

    def call(self, **step: Any) -> dict[str, Any]:
        """`outcome` (ok, refused:reason …), `reason`, `pointer`, `text` (what the model gets)."""
        raise NotBuilt("call")

    def resolve(self, **step: Any) -> dict[str, Any]:
        raise NotBuilt("resolve")

    def connect(self, server: str) -> dict[str, Any]:
        raise NotBuilt("connect")

    def listed(self) -> dict[str, Any]:
        """`names` in the last list that the host took."""
        raise NotBuilt("listed")

    def settle(self, seconds: float) -> dict[str, Any]:
        raise NotBuilt("settle")

    def audit(self) -> dict[str, Any]:
        """`path` of the file that holds the events so far."""
        raise NotBuilt("audit")

    def audit_sink(self, fails: bool) -> dict[str, Any]:
        raise NotBuilt("audit-sink")

    def _take(self, plan: Any) -> dict[str, Any]:
        self.plan = plan
        self.session = plan.session(**self.opened)
        self.handles.clear()
        return self.state()


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


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    serve(int(sys.argv[1]), int(sys.argv[2]))
