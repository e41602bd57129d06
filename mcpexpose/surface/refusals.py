"""What a model reads in place of a result: why a call was refused, or what became of it. One paragraph, no content."""

from __future__ import annotations

from mcpexpose.surface.wording import compact


def named(server: str, tool: str) -> str:
    """`"server/tool"`, quoted as JSON, at most 200 characters."""
    return compact(f"{server}/{tool}"[:200])


def not_inspected(server: str, tool: str) -> str:
    return f"{named(server, tool)} was not inspected, or its inspection is void. Inspect it, then call it."


def stale_revision(server: str, tool: str, revision: str) -> str:
    return (
        f"{named(server, tool)} was not called: the definition at revision {compact(revision[:64])} of server "
        f"{compact(server[:100])} is not known to be current. Inspect the tool again before the next call."
    )


def invalid_arguments(server: str, tool: str, pointer: str, wanted: str) -> str:
    where = f"at {compact(pointer[:500])}" if pointer else "as a whole"
    return (
        f"{named(server, tool)} was not called: its arguments do not fit, {where}; wanted: {wanted}. "
        "Inspect the tool again before the next call."
    )


def validation_timeout(server: str, tool: str) -> str:
    return f"{named(server, tool)} was not called: its arguments could not be checked within the time there is."


def outcome_unknown(server: str, tool: str) -> str:
    return (
        f"{named(server, tool)} was not called: an equal call was sent before, and it is not known whether the server "
        "carried it out. Do not repeat it; somebody has to settle it first."
    )


def approval_required(server: str, tool: str) -> str:
    return f"{named(server, tool)} was not called: it needs an approval, and there is none."


def approval_mismatch(server: str, tool: str) -> str:
    return f"{named(server, tool)} was not called: what was approved are other arguments."


def audit_unavailable(server: str, tool: str) -> str:
    return f"{named(server, tool)} was not called: no record of it can be kept now. Try again later."


def timed_out(server: str, tool: str, *, lost: bool) -> str:
    what = "the connection ended before its answer" if lost else "it gave no answer in time"
    return f"{named(server, tool)}: {what}. It only reads, so it may be inspected and called again."


def unknown_completion(server: str, tool: str) -> str:
    return (
        f"{named(server, tool)} was sent and gave no answer, so it is not known whether the server carried it out. "
        "Do not repeat it: an equal call is refused until somebody settles this one."
    )


def not_sent(server: str, tool: str) -> str:
    return f"{named(server, tool)} was not called: server {compact(server[:100])} cannot be reached. Nothing was sent."


def wants_input(server: str, tool: str) -> str:
    return f"{named(server, tool)} asked for more input in place of a result, which this host does not give."


def too_large(server: str, tool: str, revision: str, size: int | None, limit: int) -> str:
    how = f"{size:,} bytes" if size is not None else "more bytes than are read"
    return (
        f"The result of {named(server, tool)} (server {compact(server[:100])}, revision {revision}) is withheld: it "
        f"has {how}, and {limit:,} are allowed. The call was carried out. Ask for less."
    )


def malformed(server: str, tool: str, revision: str, why: str) -> str:
    return (
        f"The result of {named(server, tool)} (server {compact(server[:100])}, revision {revision}) is withheld: "
        f"{why}. The call was carried out."
    )
