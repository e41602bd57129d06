"""Which config is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcpexpose.config.discover import find
from mcpexpose.model.errors import InputMissing, NothingChecked

if TYPE_CHECKING:
    from pathlib import Path


def put(path: Path, source: str = '[mcp_servers.a]\ncommand = "x"\n') -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / "a" / "b").mkdir(parents=True)
    return root.resolve()


def test_the_nearest_in_its_order(repository: Path) -> None:
    """mcpexpose.toml, .mcpexpose/config.toml, config.toml; nearer beats farther (C04)."""
    far = put(repository / "mcpexpose.toml")
    assert find(repository / "a" / "b", None, {}) == far
    shared = put(repository / "a" / "config.toml")
    assert find(repository / "a" / "b", None, {}) == shared
    hidden = put(repository / "a" / ".mcpexpose" / "config.toml", "")
    assert find(repository / "a" / "b", None, {}) == hidden
    own = put(repository / "a" / "mcpexpose.toml", "")
    assert find(repository / "a" / "b", None, {}) == own


@pytest.mark.parametrize(
    ("source", "is_ours"),
    [
        ('[mcp_servers.a]\ncommand = "x"\n', True),
        ('  [ mcp_servers . a ]\ncommand = "x"\n', True),
        ('[[mcp_servers]]\nname = "a"\n', True),
        ('mcp_servers = "broken"\n', True),
        ("mcp_servers.a.command = 'x'\n", True),
        ('["mcp_servers".a]\n', True),
        ("[mcp_servers.a]\ncommand = “broken”\n", True),
        ("\ufeff[mcp_servers]\n", True),
        ("[mcp_servers.a]\rcommand = 1\r", True),
        ("title = 'a site'\n[mcp]\n# [mcp_servers]\n", False),
        ("[mcp_servers_old.a]\n", False),
    ],
)
def test_a_shared_file_counts_where_it_has_servers(repository: Path, source: str, is_ours: bool) -> None:
    """Another program's config.toml is passed by; a broken one of ours is found, to be told of (X02)."""
    parent = put(repository / "mcpexpose.toml")
    shared = put(repository / "a" / "config.toml")
    shared.write_bytes(source.encode())
    assert find(repository / "a", None, {}) == (shared if is_ours else parent)


@pytest.mark.parametrize("header", ["[mcpServers.a]", "[mcp-servers.a]", "[mcp_server.a]", "[MCP_Servers.a]"])
def test_a_shared_file_with_almost_our_table_is_found_where_no_other_is(repository: Path, header: str) -> None:
    """A misspelt table is told of, and not passed by as if nothing were there; a right one beats it (C04, law 8)."""
    shared = put(repository / "a" / "config.toml", f'{header}\ncommand = "x"\n')
    assert find(repository / "a" / "b", None, {}) == shared
    right = put(repository / "mcpexpose.toml")
    assert find(repository / "a" / "b", None, {}) == right


def test_a_shared_file_of_another_encoding_is_found(repository: Path) -> None:
    """So that it is told of, and not passed by (C04)."""
    shared = put(repository / "config.toml")
    shared.write_bytes('[mcp_servers.a]\ncommand = "x"\n'.encode("utf-16"))
    assert find(repository, None, {}) == shared


def test_not_past_the_repository(repository: Path) -> None:
    """What lies above the repository is somebody else's (C04)."""
    put(repository.parent / "mcpexpose.toml")
    with pytest.raises(NothingChecked) as caught:
        find(repository / "a", None, {})
    assert caught.value.exit_code == 4


def test_the_root_may_be_a_worktree(repository: Path) -> None:
    """`.git` may be a file (C04)."""
    put(repository / "mcpexpose.toml")
    (repository / "a" / ".git").write_text("gitdir: x")
    with pytest.raises(NothingChecked):
        find(repository / "a" / "b", None, {})


def test_without_a_repository_the_start_alone(tmp_path: Path) -> None:
    """Nothing is picked up from a folder above that nobody named (C04)."""
    put(tmp_path / "mcpexpose.toml")
    (tmp_path / "a").mkdir()
    with pytest.raises(NothingChecked):
        find(tmp_path / "a", None, {})
    assert find(tmp_path, None, {}) == (tmp_path / "mcpexpose.toml").resolve()


def test_what_is_named_is_taken_at_its_word(repository: Path) -> None:
    """The argument beats the variable, and the variable beats the search (C04)."""
    put(repository / "mcpexpose.toml")
    one, two = put(repository / "a" / "x.toml", ""), put(repository / "b" / "y.toml", "")
    assert find(repository, one, {"MCPEXPOSE_CONFIG": str(two)}) == one
    assert find(repository, None, {"MCPEXPOSE_CONFIG": "b/y.toml"}) == two
    assert find(repository, None, {"MCPEXPOSE_CONFIG": ""}) == repository / "mcpexpose.toml"
    assert find(repository / "a", repository, {}) == repository / "mcpexpose.toml"


def test_what_is_named_and_not_there(repository: Path) -> None:
    """A named file that is missing is 2, a folder without a config 4 (C04)."""
    put(repository / "mcpexpose.toml")
    with pytest.raises(InputMissing):
        find(repository, repository / "none.toml", {})
    with pytest.raises(InputMissing):
        find(repository, None, {"MCPEXPOSE_CONFIG": "none.toml"})
    with pytest.raises(NothingChecked):
        find(repository, repository / "a", {})
