"""The hosts, as data: where each keeps its servers, what each key of an entry is for us, and what it expands.

Facts are of 2026-11, from the hosts' documentation and sources. A key that no row names is reported as left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcpexpose.importers.tree import Path

Keys = Mapping[str, str]
"""Key of a host to what it is for us: the name of an act of `entry`, or `-` and the reason why it has none."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One host's way of writing servers down."""

    name: str
    """As `--host` takes it."""
    title: str
    servers: tuple[Path, ...]
    """Where its map of servers may stand."""
    keys: Keys
    files: tuple[str, ...] = ()
    """Patterns of the names by which a file is known to be this host's; over the whole path, `/` before it."""
    expands: frozenset[str] = frozenset()
    """Which references the host itself fills in: `${}`, `$`, `%`. `${env:X}`, `{env:X}` and `${input:x}` are nobody's
    text and are understood everywhere."""
    expands_in: frozenset[str] = frozenset()
    """Our keys in whose texts it does so; none: in all."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Keys at the top that say more of the servers, with the name of the act of `beside` that reads each."""
    url: str = "auto"
    """A `url` without a type: "http", "sse", or "auto" where the host tries one after the other."""
    patterns: bool = False
    """Whether the host's lists of tools hold patterns."""


_SIGN_IN = "-signing in is the host's own affair"
_LOOKS = "-it says how the host shows the server"

FAMILY: Keys = {
    "command": "command",
    "args": "args",
    "env": "env",
    "cwd": "cwd",
    "url": "url",
    "headers": "headers",
    "type": "type",
    "transport": "type",
    "disabled": "disabled",
    "enabled": "enabled",
    "description": "description",
    # Gemini CLI, Qwen Code; Amp and pi's adapter
    "httpUrl": "http_url",
    "includeTools": "allow",
    "excludeTools": "deny",
    "trust": "runs_unasked",
    # Windsurf, Antigravity
    "serverUrl": "url",
    # Cline, Roo, Kiro
    "alwaysAllow": "runs_unasked",
    "autoApprove": "runs_unasked",
    "disabledTools": "deny",
    "enabledTools": "allow",
    # Clients that nobody has a row for; who does not know them keeps nothing out, and no more is let in
    **dict.fromkeys(("allowedTools", "allowed_tools", "enabled_tools", "include_tools"), "allow"),
    **dict.fromkeys(("blockedTools", "deniedTools", "excludedTools", "disabled_tools", "exclude_tools"), "deny"),
    # Copilot CLI
    "tools": "tools_list",
    # Claude Code
    "alwaysLoad": "always_load",
    # Step, pi
    "exposure": "exposure",
    "toolExposure": "tool_exposure",
    "deferred": "deferred",
    "timeout": "-its unit differs from host to host; write startup_timeout_sec or tool_timeout_sec",
    "oauth": _SIGN_IN,
    "auth": _SIGN_IN,
    "authProviderType": _SIGN_IN,
    "envFile": "-variables come from the environment: load that file where something connects",
    "displayName": _LOOKS,
    "display_name": _LOOKS,
    "title": _LOOKS,
    "icon": _LOOKS,
    "iconPath": _LOOKS,
}
"""What hosts that keep `mcpServers` have in common, and the few keys that one of them has and no other contradicts."""


def _with(**more: str) -> Keys:
    return {**FAMILY, **{key.replace("__", "."): act for key, act in more.items()}}


_IN_MILLISECONDS = _with(timeout="tool_milliseconds")
_IN_SECONDS = _with(timeout="tool_seconds")
_MAP: tuple[Path, ...] = (("mcpServers",),)
_BRACES = frozenset({"${}"})

CODEX_KEYS: Keys = {
    "command": "command",
    "args": "args",
    "env": "env",
    "env_vars": "env_vars",
    "cwd": "cwd",
    "url": "url",
    "transport": "type",
    "bearer_token_env_var": "bearer_variable",
    "bearer_token": "bearer",
    "http_headers": "headers",
    "env_http_headers": "env_headers",
    "enabled": "enabled",
    "required": "required",
    "startup_timeout_sec": "startup_seconds",
    "startup_timeout_ms": "startup_milliseconds",
    "type": "type",
    "disabled": "disabled",
    "tool_timeout_sec": "tool_seconds",
    "enabled_tools": "allow",
    "disabled_tools": "deny",
    # Ours, in a file that serves both
    "allow": "allow_patterns",
    "deny": "deny_patterns",
    "default_tools_approval_mode": "approval_mode",
    "tools": "tool_tables",
    "exposure": "exposure",
    "description": "description",
    "oauth": _SIGN_IN,
    "oauth_resource": _SIGN_IN,
    "scopes": _SIGN_IN,
    "name": _LOOKS,
}

GOOSE_KEYS: Keys = {
    "type": "type",
    "cmd": "command",
    "args": "args",
    "envs": "env",
    "env_keys": "env_names",
    "uri": "url",
    "headers": "headers",
    "timeout": "tool_seconds",
    "enabled": "enabled",
    "disabled": "disabled",
    "description": "description",
    "available_tools": "allow_unless_empty",
    "name": _LOOKS,
    "display_name": _LOOKS,
    "bundled": "-it says whether goose brought the extension along",
}

OPENCODE_KEYS: Keys = {
    "type": "type",
    "command": "command",
    "environment": "env",
    "cwd": "cwd",
    "url": "url",
    "headers": "headers",
    "enabled": "enabled",
    "disabled": "disabled",
    "timeout": "opencode_timeout",
    "oauth": _SIGN_IN,
}

LIBRECHAT_KEYS: Keys = _with(
    timeout="tool_milliseconds",
    initTimeout="startup_milliseconds",
    deferLoading="deferred",
    serverInstructions="-a server's instructions never reach a model",
    chatMenu=_LOOKS,
    startup="-servers are connected to when something asks for them",
)

OURS = {"exposure": "our_exposure", "policy": "our_limits", "extends": "our_limits", "limits": "our_limits"}
"""Of a config of ours, in a file that serves both."""
OF_GEMINI = {
    "mcp": "gemini_servers",
    "allowMCPServers": "servers_only",
    "excludeMCPServers": "servers_but",
    "tools": "gemini_tools",
    "excludeTools": "gemini_exclude",
}

DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        "claude",
        "Claude Code",
        _MAP,
        FAMILY,
        ("*/.mcp.json", "*/.claude.json"),
        _BRACES,
        beside={"permissions": "permissions", "projects": "projects"},
    ),
    Dialect(
        "claude-settings",
        "Claude Code's settings",
        (),
        {},
        ("*/.claude/settings.json", "*/.claude/settings.local.json", "*/managed-settings.json"),
        beside={
            "permissions": "permissions",
            "disabledMcpjsonServers": "servers_but",
            "deniedMcpServers": "servers_denied",
            "allowedMcpServers": "servers_allowed",
        },
    ),
    Dialect("claude-desktop", "Claude Desktop", _MAP, FAMILY, ("*claude_desktop_config*.json",), _BRACES),
    Dialect("codex", "Codex", (("mcp_servers",),), CODEX_KEYS, ("*/.codex/*.toml",), beside=OURS, url="http"),
    Dialect("step", "Step", (("mcp_servers",),), CODEX_KEYS, ("*/.stepcode/*.toml",), beside=OURS, url="http"),
    Dialect(
        "cursor",
        "Cursor",
        _MAP,
        FAMILY,
        ("*/.cursor/*.json", "*cursor*.json"),
        beside={"permissions": "permissions", "mcpAllowlist": "run_unasked"},
    ),
    Dialect(
        "vscode",
        "VS Code",
        (("servers",), ("mcp", "servers"), ("customizations", "vscode", "mcp", "servers")),
        {**FAMILY, "sandboxEnabled": "-the sandbox is the host's own", "sandbox": "-the sandbox is the host's own"},
        ("*/.vscode/*.json", "*vscode*.json", "*/devcontainer.json", "*/.devcontainer.json"),
        beside={"inputs": ""},
    ),
    Dialect(
        "gemini",
        "Gemini CLI",
        _MAP,
        _IN_MILLISECONDS,
        ("*/.gemini/*.json", "*gemini*.json"),
        frozenset({"${}", "$"}),
        beside=OF_GEMINI,
        url="sse",
    ),
    Dialect(
        "qwen",
        "Qwen Code",
        _MAP,
        _IN_MILLISECONDS,
        ("*/.qwen/*.json", "*qwen*.json"),
        frozenset({"${}", "$"}),
        beside=OF_GEMINI,
        url="sse",
    ),
    Dialect(
        "opencode",
        "opencode",
        (("mcp",), ("mcp", "servers")),
        OPENCODE_KEYS,
        ("*opencode*.json", "*opencode*.jsonc"),
        beside={"tools": "toggles", "permission": "toggles", "agent": "agents", "mode": "agents"},
    ),
    Dialect(
        "goose",
        "goose",
        (("extensions",),),
        GOOSE_KEYS,
        ("*goose*.yaml", "*goose*.yml", "*/goose/*.yaml"),
        frozenset({"${}", "$"}),
        frozenset({"http_headers", "url"}),
        {"user": "goose_user"},
        url="http",
    ),
    Dialect(
        "zed",
        "Zed",
        (("context_servers",),),
        {**FAMILY, "source": "zed_source", "settings": "-settings of an extension", "remote": "-where Zed runs it"},
        ("*/.zed/*.json", "*/zed/*.json", "*zed*.json"),
        beside={"agent": "zed"},
    ),
    Dialect("cline", "Cline", _MAP, _IN_SECONDS, ("*cline*.json",), url="sse"),
    Dialect("roo", "Roo Code", _MAP, _IN_SECONDS, ("*/.roo/*.json", "*/mcp_settings.json")),
    Dialect("kiro", "Kiro", _MAP, _IN_MILLISECONDS, ("*/.kiro/*.json", "*/.kiro/settings/*.json"), _BRACES),
    Dialect("windsurf", "Windsurf", _MAP, FAMILY, ("*/mcp_config.json", "*windsurf*.json")),
    Dialect(
        "copilot-cli",
        "Copilot CLI",
        _MAP,
        _IN_MILLISECONDS,
        ("*/.copilot/*.json", "*/mcp-config.json", "*/.github/mcp.json"),
        frozenset({"${}", "$"}),
    ),
    Dialect(
        "amp",
        "Amp",
        (("amp.mcpServers",),),
        FAMILY,
        ("*/.amp/*.json", "*/.amp/*.jsonc", "*/amp/settings.json"),
        _BRACES,
        beside={"amp.tools.disable": "amp_disable", "amp.permissions": "amp_permissions"},
        patterns=True,
    ),
    Dialect("pi", "pi", _MAP, _IN_SECONDS, ("*/.pi/*.json", "*/.pi/agent/*.json"), _BRACES, url="http", patterns=True),
    Dialect("librechat", "LibreChat", _MAP, LIBRECHAT_KEYS, ("*librechat*.yaml", "*librechat*.yml"), _BRACES),
    Dialect(
        "mcp-json",
        "a host with mcpServers",
        _MAP,
        FAMILY,
        expands=_BRACES,
        beside={"permissions": "permissions", **OF_GEMINI},
    ),
)

BY_NAME: Mapping[str, Dialect] = {dialect.name: dialect for dialect in DIALECTS}

IGNORED_KINDS = frozenset(
    {"sdk", "sse-ide", "ws-ide", "builtin", "platform", "frontend", "inline_python", "claudeai-proxy"}
)
"""Values of `type` by which a host means something that it brings along itself."""
HOST_WORDS = frozenset(
    {
        *("workspaceFolder", "workspaceFolderBasename", "workspaceRoot", "userHome", "pathSeparator", "cwd", "file"),
        *("extensionPath", "extensionInstallFolder", "__dirname", "HOST_WORKSPACE", "CLAUDE_PLUGIN_ROOT"),
        *("CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_DATA"),
    }
)
"""Names between `${` and `}` that a host fills in itself, from no environment."""
