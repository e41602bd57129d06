"""Files that come with the package: `schemas/` and `policies/`, from the wheel or from the source tree."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Kind = Literal["schemas", "policies"]
_PACKAGE = Path(__file__).resolve().parent.parent


def folder(kind: Kind) -> Path:
    """Where the shipped files of a kind stand."""
    inside = _PACKAGE / "_shipped" / kind
    return inside if inside.is_dir() else _PACKAGE.parent / kind


def names(kind: Kind) -> tuple[str, ...]:
    """Names of the shipped files, without their endings, sorted."""
    ending = _ending(kind)
    return tuple(sorted(path.name.removesuffix(ending) for path in folder(kind).glob(f"*{ending}")))


def path(kind: Kind, name: str) -> Path:
    """The file of that name. Raises KeyError where none is shipped."""
    if name not in names(kind):
        raise KeyError(name)
    return folder(kind) / f"{name}{_ending(kind)}"


def _ending(kind: Kind) -> str:
    return ".schema.json" if kind == "schemas" else ".toml"
