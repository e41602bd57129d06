"""Files as they are at a git commit, laid out in a folder. Runs git, reads objects alone, and fetches nothing."""

from __future__ import annotations

import os
import subprocess
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from mcpexpose.model.errors import InputMissing
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024
"""Of a file that is read; a larger one is laid out as empty space of that length, which every reader refuses."""
_TIMEOUT_S = 60
_AT_ONCE = 500
_LINK = "120000"
_LINKS = 5
_PATH_MAX = 4_096
_NOWHERE = ".git"
"""No commit holds a file of that name."""


class _Refused(InputMissing):
    """Git answered, and has not what was asked for."""


class Commit:
    """One commit of the repository around a folder."""

    def __init__(self, folder: Path, ref: str) -> None:
        """Raises InputMissing where there is no git, no repository, or no such commit."""
        self._folder = folder
        self.ref = ref
        if not ref or ref.startswith("-") or any(ord(char) < 33 for char in ref):
            raise InputMissing(f"{shown(ref)!r} is no name of a commit")
        self.root = os.path.realpath(self._line("rev-parse", "--show-toplevel", what="it is in no git repository"))
        wanted = f"there is no file, folder or commit {shown(ref)}"
        self.id = self._line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", what=wanted)

    def path(self, path: Path) -> str | None:
        """PATH from the repository's root, with forward slashes; None where it lies outside."""
        found = os.path.relpath(os.path.join(os.path.realpath(path.parent), path.name), self.root)  # noqa: PTH118 - the file itself may be a link
        found = found.replace(os.sep, "/")
        return None if found.startswith("../") or found == ".." or os.path.isabs(found) else found  # noqa: PTH117 - a text, with .. in it

    def lay_out(self, paths: Sequence[str], into: Path) -> set[str]:
        """Write those of PATHS that are files at the commit below INTO, links to files as what they lead to; which ones
        there were. Raises InputMissing where the repository lacks their content.
        """
        found: dict[str, str] = {}
        asked = {path: path for path in paths if "\0" not in path and ".." not in path.split("/")}
        for _ in range(_LINKS):
            entries = self._entries(asked.values())
            links = {path: entries[at][1] for path, at in asked.items() if at in entries and entries[at][0] == _LINK}
            found |= {path: entries[at][1] for path, at in asked.items() if at in entries and path not in links}
            asked = {path: self._led_to(asked[path], oid) for path, oid in links.items()}
            if not asked:
                break
        for path, oid in found.items():
            size = int(self._git("cat-file", "-s", oid))
            target = into / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if size > MAX_BYTES:
                with target.open("wb") as file:
                    file.truncate(size)
            else:
                target.write_bytes(self._git("cat-file", "blob", oid))
        return set(found)

    def _entries(self, paths: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Mode and object of each path that is a file or a link."""
        wanted = list(dict.fromkeys(paths))
        out: dict[str, tuple[str, str]] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            listed = self._git("ls-tree", "-z", "--full-tree", self.id, "--", *wanted[start : start + _AT_ONCE])
            for line in listed.decode("utf-8", "surrogateescape").split("\0"):
                facts, _, path = line.partition("\t")
                mode, kind, oid = (*facts.split(" "), "", "", "")[:3]
                if kind == "blob":
                    out[path] = (mode, oid)
        return out

    def _led_to(self, path: str, oid: str) -> str:
        """Where a link of the commit leads, from the root; a path that is none where it leads out."""
        if int(self._git("cat-file", "-s", oid)) > _PATH_MAX:
            return _NOWHERE
        to = normpath(join(dirname(path), self._git("cat-file", "blob", oid).decode("utf-8", "surrogateescape")))
        return _NOWHERE if to.startswith(("/", "../")) or to == ".." or "\0" in to else to

    def _line(self, *words: str, what: str) -> str:
        try:
            return self._git(*words).decode("utf-8", "surrogateescape").strip("\r\n")
        except _Refused:
            raise InputMissing(what) from None

    def _git(self, *words: str) -> bytes:
        # A partial clone would fetch what it lacks; nothing here may connect.
        quiet = {
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "LC_ALL": "C",
        }
        command = ["git", "-c", "core.fsmonitor=false", "--literal-pathspecs", *words]
        try:
            done = subprocess.run(
                command,
                cwd=self._folder,
                env={**os.environ, **quiet},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError:
            raise InputMissing("git is not installed, so no commit can be compared with") from None
        except subprocess.TimeoutExpired:
            raise InputMissing(f"git did not answer within {_TIMEOUT_S} s") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise _Refused(f"the commit cannot be read: {shown(said[0], 200) if said else 'no reason is given'}")
        return done.stdout
