"""What a team asserts of its plan: `*.expose.toml` as frozen tables, and the source of its JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from mcpexpose.model.config import ApprovalSetting, Text
from mcpexpose.model.table import Field, Table

Class = Literal["read_only", "write", "destructive", "unknown"]
Some = Annotated[tuple[Text, ...], Field(min_length=1)]
ASSERTIONS = ("sees", "not_visible", "finds", "never_finds", "max_tokens", "side_effect", "approval")
"""The keys of a test that assert something; each entry of a list or table is one assertion."""


class Expectation(Table):
    """`[[tests]]`: one test. Tools are named "server/tool", with patterns as elsewhere; the server may be one, too."""

    name: Text = Field(description="What is asserted, as a report names it; each name once in a file.")
    profile: Text | None = Field(None, description="As in a session of this profile; absent: without one.")
    sees: Some | None = Field(
        None, description="Declared in request 1. Of a pattern: every captured tool that it meets."
    )
    not_visible: Some | None = Field(
        None, description="Neither declared nor to be found nor callable. Of a pattern: no tool that it meets is."
    )
    query: Text | Some | None = Field(None, description="What a model asks find_tools; of a list, each for itself.")
    finds: Text | Some | None = Field(
        None, description="What the query gives among its first matches. Of a pattern: one tool that it meets."
    )
    within: int | None = Field(
        None, ge=1, le=20, description="How many matches are looked at for finds; absent: [exposure] search_limit."
    )
    never_finds: Some | None = Field(
        None, description="What the query does not give among the 20 matches that a model may ask for at most."
    )
    max_tokens: int | None = Field(
        None, ge=0, description="Request 1 carries at most so many: tools, find_tools and servers section."
    )
    side_effect: Mapping[str, Class] | None = Field(
        None, min_length=1, description="The class of every tool within reach that a name or pattern meets."
    )
    approval: Mapping[str, ApprovalSetting] | None = Field(
        None, min_length=1, description="auto or ask, of every tool within reach that a name or pattern meets."
    )

    @property
    def queries(self) -> tuple[str, ...]:
        """What is asked, in its order."""
        return (self.query,) if isinstance(self.query, str) else self.query or ()

    @property
    def wanted(self) -> tuple[str, ...]:
        """What is to be found, in its order."""
        return (self.finds,) if isinstance(self.finds, str) else self.finds or ()

    @property
    def named(self) -> tuple[str, ...]:
        """Every name and pattern in it, each once."""
        lists = (self.sees, self.not_visible, self.wanted, self.never_finds, self.side_effect, self.approval)
        return tuple(dict.fromkeys(text for each in lists for text in each or ()))


class ExpectationFile(Table):
    """A file of policy tests, `NAME.expose.toml`, beside the config or in `tests/` beside it."""

    schema_version: Literal[1] = Field(1, description="Version of this format.")
    tests: tuple[Expectation, ...] = Field((), description="The tests.")
