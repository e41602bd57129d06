"""Changes that tests make to a stored plan: cut files, links, pickles, mended or broken manifests."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpexpose.model import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

LINK_TEXT = "LINK-TARGET-CONTENT-7391"
"""What stands in a link target outside the plan, and must show up nowhere."""


class NothingToChange(Exception):
    """A path or glob of a step met no file, so the step would prove nothing."""


class Bomb:
    """Pickles to a call that writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"echo loaded > '{self.path}'",)


def targets(work: Path, step: dict[str, Any], *, may_be_new: bool = False) -> list[Path]:
    """The files that a step means by `path` or `glob`. Raises NothingToChange where there is none."""
    if "glob" in step:
        found = sorted(path for path in work.glob(step["glob"]) if path.is_file() or path.is_symlink())
    else:
        path = work / step["path"]
        found = [path] if may_be_new or path.exists() or path.is_symlink() else []
    if not found:
        raise NothingToChange(f"{step['do']}: nothing at {step.get('glob', step.get('path'))}")
    return found


def truncate(path: Path, step: dict[str, Any]) -> None:
    size = path.stat().st_size
    share = step.get("to", 0.5)
    os.truncate(path, int(size * share) if isinstance(share, float) or share in (0, 1) else int(share))


def flip_byte(path: Path, step: dict[str, Any]) -> None:
    data = bytearray(path.read_bytes())
    if not data:
        raise NothingToChange(f"{path.name} is empty")
    at = min(int(len(data) * float(step.get("to", 0.5))), len(data) - 1)
    data[at] ^= 0x01
    path.write_bytes(bytes(data))


def remove(path: Path, step: dict[str, Any]) -> None:
    del step
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def write(path: Path, step: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    work = Path(step["work"])
    path.write_bytes((work / step["copy_of"]).read_bytes() if "copy_of" in step else step.get("text", "x").encode())


def link(path: Path, step: dict[str, Any]) -> None:
    """Put a link at PATH, in place of what stood there; a target outside the plan is made where it is not there."""
    work = Path(step["work"])
    target = Path(step["to"])
    copied = (work / step["copy_of"]).read_bytes() if "copy_of" in step else None
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    place = target if target.is_absolute() else path.parent / target
    if place != path and not place.exists() and _may_make(place, work):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(copied or f"{LINK_TEXT}\n".encode())
    path.symlink_to(target)


def fifo(path: Path, step: dict[str, Any]) -> None:
    del step
    if path.exists() or path.is_symlink():
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def pickle_bomb(work: Path, step: dict[str, Any], manifest: Path) -> None:
    """Make pickles of files; with `fix_digests` the manifest says what they now are."""
    name = str(step.get("effect", "write MARK")).split()[-1]
    data = pickle.dumps(Bomb(work / name), protocol=2)
    changed = targets(work, step)
    for path in changed:
        path.write_bytes(data)
    if step.get("fix_digests"):

        def mend(content: dict[str, Any]) -> None:
            for entry in content["files"]:
                path = manifest.parent / entry["path"]
                if path in changed:
                    entry["sha256"], entry["size"] = hashlib.sha256(data).hexdigest(), len(data)

        edit_manifest(manifest, mend)


def set_json(path: Path, pointer: str, value: Any, *, is_manifest: bool) -> None:
    """Set one value in a JSON file; the rest stays as it was, but a manifest's own digest, which is mended."""

    def change(content: Any) -> None:
        *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.removeprefix("/").split("/")]
        node = content
        for part in parents:
            node = node[int(part)] if isinstance(node, list) else node[part]
        if isinstance(node, list):
            if last == "-":
                node.append(value)
            else:
                node[int(last)] = value
        else:
            node[last] = value

    if is_manifest:
        edit_manifest(path, change)
    else:
        _edit(path, change)


def edit_manifest(manifest: Path, change: Callable[[Any], None]) -> None:
    """Change a manifest and mend its own digest. Raises NothingToChange where its digest is not made as documented."""
    content = json.loads(manifest.read_bytes())
    if content.get("digest") != _own_digest(content):
        raise NothingToChange("manifest.json: its `digest` is not the digest of the canonical form of the rest")

    def both(content: Any) -> None:
        change(content)
        if "digest" in content:
            content["digest"] = _own_digest(content)

    _edit(manifest, both)


def _edit(path: Path, change: Callable[[Any], None]) -> None:
    """Rewrite a JSON file in the form that it has."""
    before = path.read_bytes()
    content = json.loads(before)
    forms: list[Callable[[Any], bytes]] = [
        canonical.canonical,
        canonical.readable,
        lambda value: canonical.canonical(value) + b"\n",
        lambda value: (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode(),
    ]
    form = next((form for form in forms if form(content) == before), canonical.readable)
    change(content)
    path.write_bytes(form(content))


def _own_digest(content: dict[str, Any]) -> str:
    return canonical.digest({key: value for key, value in content.items() if key != "digest"})


def _may_make(place: Path, work: Path) -> bool:
    """Targets are made near the working folder only, never in the machine's own folders."""
    return Path(os.path.normpath(place)).is_relative_to(work.parent)


FAULTS: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    "fs-truncate": truncate,
    "fs-flip-byte": flip_byte,
    "fs-remove": remove,
    "delete": remove,
    "fs-add": write,
    "fs-write": write,
    "fs-symlink": link,
    "symlink": link,
    "fs-fifo": fifo,
}
MAY_BE_NEW = {"fs-add", "fs-write", "fs-symlink", "symlink", "fs-fifo"}
