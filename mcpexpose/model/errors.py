"""The exceptions of this package: a stage has no result. Each carries the exit code that a command ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding


class McpexposeError(Exception):
    """The family. `findings` hold what can be said at a place; the text never holds arguments, results or secrets."""

    exit_code = 70

    def __init__(self, message: str, findings: tuple[Finding, ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings


class InputMissing(McpexposeError):
    """A named file is not there, or cannot be read or written (exit 2)."""

    exit_code = 2


class UsageRefused(McpexposeError):
    """A command or a call was asked for what cannot be: a bad limit, an unknown profile (exit 2)."""

    exit_code = 2


class PlanRefused(McpexposeError):
    """The config, a pack or the lock is at fault, so there is no plan to write (exit 1)."""

    exit_code = 1


class BundleRefused(McpexposeError):
    """A bundle is damaged, unsafe or of another version; nothing of it is used (exit 1)."""

    exit_code = 1


class BundleNotWritten(McpexposeError):
    """No rights, no room, or another build holds the folder; the old bundle stays (exit 2)."""

    exit_code = 2


class NothingChecked(McpexposeError):
    """No config was found (exit 4)."""

    exit_code = 4


class ServerUnavailable(McpexposeError):
    """A server could not be reached or asked (exit 5)."""

    exit_code = 5


class SelectionRefused(McpexposeError):
    """A host asked for a tool, profile or state that its plan does not give (exit 2)."""

    exit_code = 2
