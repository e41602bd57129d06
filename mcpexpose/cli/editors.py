"""What an editor completes and checks a config by: its JSON Schema in a file beside it, and the line that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.errors import InputMissing
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ".mcpexpose"
NAME = "config.schema.json"


def schema_beside(config: Path) -> tuple[Path, str]:
    """Where the schema of CONFIG stands, and the first line by which editors find it.

    The line has a path from the config's folder, so it holds in every clone.
    """
    if config.absolute().parent.name == FOLDER:
        return config.parent / NAME, f"#:schema ./{NAME}\n"
    return config.parent / FOLDER / NAME, f"#:schema ./{FOLDER}/{NAME}\n"


def write_schema(path: Path) -> bool:
    """Put this version's schema at PATH; False where another file is there, which stays. Raises InputMissing."""
    from mcpexpose.config import shipped

    if path.parent.is_symlink():  # a repository of somebody else may have it lead anywhere
        raise InputMissing(f"{shown(str(path.parent))} is a link, and nothing is written to where it leads")
    try:
        if not path.parent.is_dir():
            path.parent.mkdir()
        if path.exists():
            return False
        with path.open("xb") as out:
            out.write(shipped.path("schemas", "config").read_bytes())
    except OSError as error:
        raise InputMissing(f"{shown(str(path))} cannot be written: {error.strerror}") from None
    return True
