"""Real servers out of npm and PyPI: installed, captured over stdio, compiled, served to a host. Run with `-m live`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

NPM = {
    "filesystem": ("@modelcontextprotocol/server-filesystem@2026.8.31", "mcp-server-filesystem", ["."], {}),
    "memory": ("@modelcontextprotocol/server-memory@2026.8.31", "mcp-server-memory", [], {}),
    "playwright": ("@playwright/mcp@0.0.83", "playwright-mcp", [], {}),
    "context7": ("@upstash/context7-mcp@4.1.1", "context7-mcp", [], {}),
    "notion": ("@notionhq/notion-mcp-server@2.5.2", "notion-mcp-server", [], {"NOTION_TOKEN": "${LIVE_DUMMY}"}),
    "azure": ("@azure/mcp@2.0.5", "azmcp", ["server", "start"], {}),
    "kubernetes": ("kubernetes-mcp-server@0.0.67", "kubernetes-mcp-server", [], {"KUBECONFIG": "kubeconfig"}),
    "gitlab": (
        "@zereight/mcp-gitlab@2.1.64",
        "zereight-mcp-gitlab",
        [],
        {"GITLAB_PERSONAL_ACCESS_TOKEN": "${LIVE_DUMMY}"},
    ),
}
PYPI = {
    "git": ("mcp-server-git==2026.10.19", "mcp-server-git", [], {}),
    "time": ("mcp-server-time==2026.10.19", "mcp-server-time", [], {}),
    "fetch": ("mcp-server-fetch==2026.10.24", "mcp-server-fetch", [], {}),
    "aws-docs": (
        "awslabs.aws-documentation-mcp-server==1.2.3",
        "awslabs.aws-documentation-mcp-server",
        [],
        {},
    ),
}
KUBECONFIG = """apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
users: [{name: u, user: {token: dummy}}]
"""


def test_a_dozen_servers_from_the_registries_end_to_end(tmp_path: Path) -> None:
    """C06, C02, C03: captured over stdio, compiled to a bundle, loaded by a host that has no server up."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, and eight of the servers come from there")
    subprocess.run(["npm", "init", "-y"], cwd=tmp_path, check=True, capture_output=True)
    packages = [package for package, *_ in NPM.values()]
    subprocess.run(["npm", "install", "--silent", *packages], cwd=tmp_path, check=True, capture_output=True)
    # Apart from each other, since servers of different authors want different versions of mcp.
    commands: dict[str, tuple[str, list[str], dict[str, str]]] = {
        name: (str(tmp_path / "node_modules" / ".bin" / command), args, env)
        for name, (_, command, args, env) in NPM.items()
    }
    for name, (package, command, args, env) in PYPI.items():
        home = tmp_path / "venvs" / name
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, capture_output=True)
        subprocess.run([str(home / "bin" / "pip"), "install", "-q", package], check=True, capture_output=True)
        commands[name] = (str(home / "bin" / command), args, env)
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    (tmp_path / "config.toml").write_text("".join(_table(name, *rest) for name, rest in sorted(commands.items())))

    environ = {**os.environ, "LIVE_DUMMY": "dummy-value-of-a-test", "MCPEXPOSE_STATE_DIR": str(tmp_path / "state")}
    captured = _mcpexpose(["capture", "--yes", "--format", "json"], tmp_path, environ)
    assert captured.returncode == 0, captured.stdout + captured.stderr
    servers = {row["server"]: len(row["tools"]) for row in json.loads(captured.stdout)["servers"]}
    print("tools by server:", servers, "in all:", sum(servers.values()))
    assert set(servers) == set(commands)
    assert all(count > 0 for count in servers.values())

    planned = _mcpexpose(["plan", "--out", "plan", "--format", "json"], tmp_path, environ)
    assert planned.returncode in (0, 1), planned.stderr
    plan = json.loads(planned.stdout)
    print("in the plan:", len(plan["tools"]), "left out:", [row["id"] for row in plan["left_out"]])
    assert {tool["server"] for tool in plan["tools"]} == set(commands)

    import mcpexpose

    session = mcpexpose.load_plan(tmp_path / "plan").session()
    assert session.find_tools("commit staged changes to the repository").matches[0].tool.server == "git"
    for file in tmp_path.glob("catalogs/*"):
        assert "dummy-value-of-a-test" not in file.read_text()


def _table(name: str, command: str, args: list[str], env: dict[str, str]) -> str:
    pairs = ", ".join(f"{key} = {json.dumps(value)}" for key, value in env.items())
    return (
        f"[mcp_servers.{name}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args)}\nenv = {{ {pairs} }}\n"
        f'description = "The real {name} server"\nstartup_timeout_sec = 120\n\n'
    )


def _mcpexpose(args: list[str], cwd: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(root), environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return subprocess.run(
        [sys.executable, "-m", "mcpexpose", *args],
        cwd=cwd,
        env={**environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
