"""Files as they are at a git commit, laid out in a folder. Runs git, reads objects alone, and fetches nothing."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from mcpexpose.model.errors import InputMissing
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024
"""Of a file that is read; a larger one is laid out as empty space of that length, which every reader refuses."""
_TIMEOUT_S = 60


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
        found = os.path.relpath(os.path.join(os.path.realpath(path.parent), path.name), self.root)  # noqa: PTH118
        found = found.replace(os.sep, "/")
        return None if found.startswith("../") or found == ".." or os.path.isabs(found) else found  # noqa: PTH117

    def lay_out(self, paths: Sequence[str], into: Path) -> set[str]:
        """Write those of PATHS that are files at the commit below INTO; which ones there were."""
        paths = [path for path in dict.fromkeys(paths) if "\n" not in path and ".." not in path.split("/")]
        names = "".join(f"{self.id}:{path}\n" for path in paths).encode("utf-8", "surrogateescape")
        sizes = self._git("cat-file", "--batch-check=%(objecttype) %(objectsize)", given=names).decode().splitlines()
        found: set[str] = set()
        for path, line in zip(paths, sizes, strict=True):
            kind, _, size = line.rpartition(" ")
            if kind != "blob":
                continue
            found.add(path)
            target = into / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if int(size) > MAX_BYTES:
                with target.open("wb") as file:
                    file.truncate(int(size))
            else:
                target.write_bytes(self._git("cat-file", "blob", f"{self.id}:{path}"))
        return found

    def _line(self, *words: str, what: str) -> str:
        try:
            return self._git(*words).decode("utf-8", "surrogateescape").strip("\r\n")
        except InputMissing as trouble:
            raise trouble if "git" in str(trouble).split(":")[0].split() else InputMissing(what) from None

    def _git(self, *words: str, given: bytes = b"") -> bytes:
        # A partial clone would fetch what it lacks; nothing here may connect.
        quiet = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        command = ["git", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false", *words]
        try:
            done = subprocess.run(
                command,
                cwd=self._folder,
                env={**os.environ, **quiet},
                input=given,
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
            raise InputMissing(f"the commit cannot be read: {shown(said[0], 200) if said else 'no reason is given'}")
        return done.stdout
