"""The texts that findings are about, by the names that findings give them: config, packs, catalogs, lock, tests."""

from __future__ import annotations

import dataclasses
from posixpath import normpath
from typing import TYPE_CHECKING

from mcpexpose.model.finding import Location, Place
from mcpexpose.model.lock import LOCK_NAME

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from mcpexpose.catalog.places import CatalogText
    from mcpexpose.config.document import Document


class Sources:
    """Reads a file again for its lines only when something in it is shown, and once."""

    def __init__(
        self,
        config: Document,
        folder: Path,
        packs: Collection[str],
        catalog_folder: Path,
        catalog_name: str,
        catalog_texts: dict[str, CatalogText | None],
    ) -> None:
        """PACKS are named as `extends` writes them; CATALOG_TEXTS holds what was read already, and is added to."""
        self._config = config
        self._folder = folder
        self._packs = packs
        self._catalog_folder = catalog_folder
        self._catalog_name = catalog_name
        self._catalog_texts = catalog_texts
        self._documents: dict[str, Document | None] = {}

    def locate(self, place: Place) -> Location | None:
        """Line and column of a place; None where the file is not at hand."""
        if document := self._document(place.file):
            at = document.locate(place.path, place.on)
            return at and dataclasses.replace(at, file=normpath(at.file))
        if text := self._catalog_text(place.file):
            return Location(place.file, *text.span(place.path, "value" if place.on == "header" else place.on))
        return None

    def line(self, file: str, number: int) -> str | None:
        """A line, without its end; None where there is none."""
        if document := self._document(file):
            return document.line(number)
        text = self._catalog_text(file)
        return text.line(number) if text else None

    def _document(self, file: str) -> Document | None:
        if file == self._config.name:
            return self._config
        if file not in self._documents:
            self._documents[file] = self._pack_document(file) or self._test_document(file)
        return self._documents[file]

    def _pack_document(self, file: str) -> Document | None:
        """The text of a pack, of one that could not be used too."""
        wanted = (
            each for each in sorted(self._packs) if normpath(each) == normpath(file) and each != self._config.name
        )
        written = next(wanted, None)
        if written is None:
            return None
        from mcpexpose.config.packs import document

        return document(written, self._folder)

    def _test_document(self, file: str) -> Document | None:
        from mcpexpose.config.document import read
        from mcpexpose.config.tests import SUFFIX
        from mcpexpose.model.errors import InputMissing

        if not file.endswith(SUFFIX) or file.startswith(self._catalog_name + "/"):
            return None
        try:
            return read(self._folder / file, file)
        except InputMissing:
            return None

    def _catalog_text(self, file: str) -> CatalogText | None:
        if file != LOCK_NAME and not file.startswith(self._catalog_name + "/"):
            return None
        if file not in self._catalog_texts:
            from mcpexpose.catalog.places import CatalogText
            from mcpexpose.catalog.store import read_text

            of_catalog = self._catalog_folder / file.removeprefix(self._catalog_name + "/")
            path = self._folder / LOCK_NAME if file == LOCK_NAME else of_catalog
            try:
                self._catalog_texts[file] = CatalogText(read_text(path))
            except (OSError, ValueError):  # a finding already
                self._catalog_texts[file] = None
        return self._catalog_texts[file]
