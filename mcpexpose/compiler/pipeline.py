"""The compiler on one screen: every pass in its order, from a config and captured catalogs to a frozen plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.compiler import entries
from mcpexpose.compiler.approve import approve
from mcpexpose.compiler.assemble import assemble
from mcpexpose.compiler.budget import define
from mcpexpose.compiler.captured import Inputs, gather
from mcpexpose.compiler.classify import classify
from mcpexpose.compiler.constrain import constrain
from mcpexpose.compiler.decide import Verdicts, decide, with_profiles
from mcpexpose.compiler.effects import check_effects
from mcpexpose.compiler.expose import expose, reaches_model, wishes
from mcpexpose.compiler.naming import aliases
from mcpexpose.compiler.profiles import plan_profiles
from mcpexpose.compiler.required import check_required
from mcpexpose.compiler.screen import screen
from mcpexpose.compiler.select import select
from mcpexpose.compiler.settings import Tables, in_force, settle
from mcpexpose.compiler.texts import check_texts
from mcpexpose.model.finding import Severity
from mcpexpose.model.plan import Compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.config import ResolvedConfig
    from mcpexpose.model.names import ToolId


def compile_plan(
    resolved: ResolvedConfig,
    catalogs: Mapping[str, Catalog],
    *,
    tool_version: str,
    analyzer_version: str,
    ranking_version: str,
) -> Compiled:
    """The plan, what was decided on every captured tool, and what is wrong with config, packs and catalogs.

    CATALOGS has the usable ones by server id; on a server without one nothing is judged. Reads no file, no clock and
    no network: the same meaning of the inputs gives the same plan, byte for byte. Raises nothing.
    """
    inputs = gather(resolved, catalogs)
    named = aliases(inputs.ids)
    selections, of_lists = select(inputs)
    tables, of_tables = settle(inputs)
    groups = _groups(inputs, tables)
    classes = classify(inputs, tables)
    limits, of_packs = constrain(inputs, classes, groups)
    approvals, of_approvals = entries.read(
        inputs, ("policy", "auto_approve"), resolved.config.policy.auto_approve, classes=True
    )
    consents = approve(inputs, tables, approvals, classes, limits)
    wished = wishes(inputs, tables)

    def wanted(tool: ToolId) -> bool:
        return wished[tool].setting != "hidden" and not selections[tool].denied

    def met(tool: ToolId) -> bool:
        return reaches_model(wished[tool], selections[tool], limits[tool])

    broken, of_catalogs = screen(inputs, met)
    defined, of_values = define(inputs, tables, named, wanted, met, broken)
    left_out = dict(broken) | {
        tool: "catalog-invalid" for tool in inputs.ids if met(tool) and tool not in broken and not defined[tool].line
    }
    tokens = {tool: each.tokens for tool, each in defined.items()}
    exposed = expose(inputs, wished, selections, limits, tokens, left_out)
    verdicts = Verdicts(named, groups, selections, tables, classes, limits, consents, exposed, defined, left_out)
    first = decide(inputs, verdicts)
    profiles, of_profiles = plan_profiles(inputs, first, limits)
    decisions = with_profiles(first, profiles)
    of_texts = check_texts(inputs)
    of_required = check_required(inputs, tables, decisions)
    of_effects = check_effects(inputs, tables, approvals, decisions)

    versions = (tool_version, analyzer_version, ranking_version)
    plan, definitions = assemble(inputs, tables, decisions, defined, profiles.profiles, versions)
    own = (
        *of_lists,
        *of_tables,
        *of_packs,
        *of_approvals,
        *of_profiles,
        *of_texts,
        *of_required,
        *of_effects,
    )
    faults = tuple(finding for finding in own if finding.severity is Severity.ERROR)
    return Compiled(
        plan=plan,
        definitions=definitions,
        decisions=tuple(decisions.values()),
        findings=(*own, *of_catalogs, *of_values),
        writable=not faults,
        faults=faults,
    )


def _groups(inputs: Inputs, tables: Tables) -> Mapping[ToolId, tuple[str, ...]]:
    """A tool table's groups, where given, replace the server's."""
    found: dict[ToolId, tuple[str, ...]] = {}
    for tool in inputs.ids:
        own = in_force(tables.get(tool), "groups")
        found[tool] = tuple(own.value) if own else tuple(sorted(set(inputs.servers[tool.server].table.groups)))
    return found
