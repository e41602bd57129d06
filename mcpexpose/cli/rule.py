"""`mcpexpose rule`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcpexpose.cli import complete, console, exits, options

if TYPE_CHECKING:
    from mcpexpose.lint.rule import Rule


@click.command("rule")
@click.argument("slug", required=False, shell_complete=complete.slugs)
@options.formats(("text", "json"))
def command(slug: str | None, form: str) -> int:
    """What a rule is about, why, and how to fix what it finds; without a name, all rules by family.

    \b
    Example:
      mcpexpose rule pattern-matches-nothing
    """
    from mcpexpose.lint.registry import all_rules

    rules = all_rules()
    if slug is None:
        _all(list(rules.values()), form)
        return exits.OK
    rule = rules.get(slug)
    if rule is None:
        from mcpexpose.config.nearest import meant

        near = meant(slug, rules)
        hint = f"; did you mean {near}?" if near else "; without a name, `mcpexpose rule` lists them"
        raise click.UsageError(f"there is no rule {slug!r}{hint}")
    if form == "json":
        from mcpexpose.report.jsonout import dump

        console.out_machine(dump({**_facts(rule), "document": rule.document}))
    else:
        console.out(console.screen().safe(rule.document))
    return exits.OK


def _all(rules: list[Rule], form: str) -> None:
    from mcpexpose.report.jsonout import dump
    from mcpexpose.report.screen import Column, table

    if form == "json":
        console.out_machine(dump({"rules": [_facts(rule) for rule in rules]}))
        return
    screen = console.screen()
    columns = [Column("RULE"), Column("SEVERITY"), Column("FINDS", least=20)]
    blocks = []
    for family in sorted({rule.family for rule in rules}):
        rows = [
            [rule.slug, rule.severity.value + (" (audit)" if rule.audit else ""), screen.safe(rule.summary)]
            for rule in rules
            if rule.family == family
        ]
        blocks.append("\n".join([family, *table(columns, rows, screen)[1:]]))
    console.out("\n\n".join(blocks) + "\n")


def _facts(rule: Rule) -> dict[str, object]:
    return {
        "slug": rule.slug,
        "family": rule.family,
        "severity": rule.severity.value,
        "since": rule.since,
        "audit": rule.audit,
        "fix": rule.fix,
        "summary": rule.summary,
    }
