"""The texts of a transport as we write them: references in our form, and no literal credential."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcpexpose.importers import credentials, references
from mcpexpose.importers.credentials import Literals
from mcpexpose.importers.references import Token
from mcpexpose.importers.values import VARIABLE
from mcpexpose.model import secrets
from mcpexpose.model.secrets import Secret
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcpexpose.importers.credentials import Variables
    from mcpexpose.importers.draft import Draft, Leaf, Notes
    from mcpexpose.importers.tree import Path


_NAMED = ("bearer_token_env_var", "env_http_headers")


def settle(
    drafts: Iterable[Draft], inputs: Mapping[str, Mapping[str, Any]], variables: Variables, notes: Notes
) -> None:
    """Fill in `texts` of every draft. INPUTS are what a host asks for, by id."""
    drafts = list(drafts)
    for draft in drafts:
        variables.named |= _referred(draft)
    every = [_Texts(draft, inputs, variables, notes) for draft in drafts]
    known = Literals(literal for texts in every for literal in texts.literals() if _is_no_word(literal))
    for texts in every:
        texts.all(known)


def variable_of(input_id: str) -> str:
    """The variable in the place of a prompted input: `api-key` is API_KEY."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", input_id).strip("_").upper()
    return name if VARIABLE.fullmatch(name) else f"INPUT_{name}".rstrip("_")


def _referred(draft: Draft) -> set[str]:
    lines = _shell_lines(draft)
    found = {name for leaf in draft.leaves.values() if leaf.made for name in re.findall(r"\$\{(\w+)\}", leaf.raw)}
    for tail, leaf in draft.leaves.items():
        if not leaf.made and tail[0] not in _NAMED:
            found |= {token.name for token in references.tokens(leaf.raw, tail, draft.dialect, in_shell=tail in lines)}
            found |= {variable_of(each) for each in re.findall(r"\$\{input:([^{}]{1,200})\}", leaf.raw)}
    return found - {""}


def _shell_lines(draft: Draft) -> frozenset[Path]:
    command = draft.leaves.get(("command",))
    tails = [tail for tail in draft.leaves if tail[0] == "args"]
    if command is None or not tails:
        return frozenset()
    found = references.shell_lines(command.raw, [draft.leaves[tail].raw for tail in tails])
    return frozenset(tails[n] for n in found)


class _Texts:
    """The texts of one server."""

    def __init__(
        self, draft: Draft, inputs: Mapping[str, Mapping[str, Any]], variables: Variables, notes: Notes
    ) -> None:
        self.draft, self.inputs, self.variables, self.notes = draft, inputs, variables, notes
        self.lines = _shell_lines(draft)
        args = [tail for tail in draft.leaves if tail[0] == "args"]
        in_args = credentials.find_in_args([draft.leaves[tail].raw for tail in args])
        self.found = dict(zip(args, in_args, strict=True))
        for tail, leaf in draft.leaves.items():
            if not leaf.made and tail not in self.found:
                self.found[tail] = credentials.find(leaf.raw, _key_of(tail))

    def literals(self) -> Iterator[str]:
        """The credentials that were found."""
        for tail, found in self.found.items():
            yield from (self.draft.leaves[tail].raw[each.start : each.end] for each in found)

    def all(self, known: Literals) -> None:
        """Write the texts; none of the credentials that are KNOWN, wherever it stands."""
        for tail, leaf in self.draft.leaves.items():
            if leaf.made:
                self.draft.texts[tail] = leaf.raw
            elif tail[0] in _NAMED:
                self.draft.texts[tail] = self._name(tail, leaf)
            elif tail[0] == "bearer_token":
                self.draft.texts["bearer_token_env_var",] = self._bearer(tail, leaf)
            else:
                found = _again(leaf.raw, self.found[tail], known)
                self.draft.texts[tail] = self._text(tail, leaf, found, _key_of(tail))

    def _name(self, tail: Path, leaf: Leaf) -> str:
        """A variable's name; what is none is taken for the credential itself."""
        if VARIABLE.fullmatch(leaf.raw) and not secrets.find(leaf.raw):
            return leaf.raw
        return self._bearer(tail, leaf)

    def _bearer(self, tail: Path, leaf: Leaf) -> str:
        own = references.tokens(leaf.raw, ("http_headers", ""), self.draft.dialect, in_shell=False)
        if len(own) == 1 and own[0].name and (own[0].start, own[0].end) == (0, len(leaf.raw)):
            return own[0].name
        variable = self.variables.stand_in(self.draft.name, tail, leaf.raw, whole=True)
        self._secret(tail, leaf, [Secret("value in the place of a name", 0, len(leaf.raw))], variable, variable)
        return variable

    def _text(self, tail: Path, leaf: Leaf, found: Sequence[Secret], name: str) -> str:
        dialect, raw = self.draft.dialect, leaf.raw
        tokens = references.tokens(raw, tail, dialect, in_shell=tail in self.lines)
        if not found and (held := credentials.placeholder(raw, name)):
            said = f'still holds the placeholder "{shown(held, 60)}": it is kept'
            advice = "Fill it in; a credential as a reference, like ${NAME}."
            self.notes.of("import-placeholder", self.draft, leaf.path, said, advice, ours=tail)
        pieces = [self._piece(tail, leaf, token) for token in tokens]
        for secret in found:
            self._strike(tail, leaf, secret, tokens, pieces)
        return self._joined(tail, leaf, sorted(pieces))

    def _piece(self, tail: Path, leaf: Leaf, token: Token) -> tuple[int, int, str]:
        """What stands in the place of a token; and what there is to say of it."""
        written = leaf.raw[token.start : token.end]
        if token.input:
            return token.start, token.end, self._input(tail, leaf, token.input)
        if token.doubt:
            said = f"holds {shown(written, 60)}, {token.doubt}"
            said += "" if token.name else ": it is kept, and will not work so"
            advice = "Write the value, or ${NAME} for a variable that you set."
            self.notes.of("import-variable-unknown", self.draft, leaf.path, said, advice, ours=tail)
        if not token.name:
            return token.start, token.end, references.kept(written)
        return token.start, token.end, references.ours(token)

    def _input(self, tail: Path, leaf: Leaf, input_id: str) -> str:
        declared = self.inputs.get(input_id)
        variable = variable_of(input_id)
        default = _default(declared or {}, variable, str(tail[-1]))
        asked = str((declared or {}).get("description") or "")
        what = f" ({shown(asked, 80)})" if asked else ""
        said = f'asked for "{shown(input_id, 60)}"{what} when the host started: it is the variable {variable} now'
        said += "" if declared is not None else ", and the file does not say what was asked"
        advice = f"Set {variable} where something connects."
        details = {"variable": variable}
        self.notes.of("import-input-mapped", self.draft, leaf.path, said, advice, ours=tail, details=details)
        return references.ours(Token(0, 0, variable, default))

    def _strike(
        self, tail: Path, leaf: Leaf, secret: Secret, tokens: Sequence[Token], pieces: list[tuple[int, int, str]]
    ) -> None:
        """A reference in the place of a credential; a reference that has it as its default loses that."""
        literal = leaf.raw[secret.start : secret.end]
        over = next((n for n, each in enumerate(tokens) if each.start < secret.end and secret.start < each.end), None)
        if over is not None and not tokens[over].name:
            return  # a host's own word
        if over is not None:
            variable = tokens[over].name
            pieces[over] = (tokens[over].start, tokens[over].end, f"${{{variable}}}")
        else:
            variable = self.variables.stand_in(self.draft.name, tail, literal, whole=literal == leaf.raw)
            pieces.append((secret.start, secret.end, f"${{{variable}}}"))
        self._secret(tail, leaf, [secret], variable, f"${{{variable}}}")

    def _secret(self, tail: Path, leaf: Leaf, found: Sequence[Secret], variable: str, written: str) -> None:
        for each in found:
            self.notes.keep_secret(self.draft.source, leaf.path, leaf.raw[each.start : each.end])
        kinds = shown(", ".join(dict.fromkeys(each.kind for each in found)), 80)
        said = f"holds a literal credential ({kinds}), which is not copied: {written} stands in its place"
        advice = f"Set {variable} where something connects, and renew it if the file was shared."
        details = {"variable": variable}
        self.notes.of("secret-in-config", self.draft, leaf.path, said, advice, ours=tail, details=details)

    def _joined(self, tail: Path, leaf: Leaf, pieces: Sequence[tuple[int, int, str]]) -> str:
        out, last = "", 0
        letters = ""
        for start, end, written in pieces:
            if start < last:
                continue  # within the one before
            letters += leaf.raw[last:start] + " "
            out += references.escaped(leaf.raw[last:start], written) + written
            last = end
        rest = leaf.raw[last:]
        if "${" in letters + rest and tail not in self.lines:
            said = "holds a `${` that is nested, empty or never closed: it is kept, and stands for itself"
            advice = "Write ${NAME} or ${NAME:-default} if a variable was meant."
            self.notes.of("import-variable-unknown", self.draft, leaf.path, said, advice, ours=tail)
        return out + references.escaped(rest, "")


def _key_of(tail: Path) -> str:
    return str(tail[1]) if tail[0] in ("env", "http_headers") else ""


def _is_no_word(literal: str) -> bool:
    """Whether a credential is one wherever it stands; "postgres" is a password, and a server's name as well."""
    return len(literal) >= 12 and any(map(str.isdigit, literal)) and any(map(str.isalpha, literal))


def _again(text: str, found: Sequence[Secret], known: Literals) -> tuple[Secret, ...]:
    """FOUND, and the credentials that were found in other texts, where nothing but that tells them."""
    out = list(found)
    for literal in known.within(text):
        for again in re.finditer(re.escape(literal), text):
            if all(again.end() <= each.start or each.end <= again.start() for each in out):
                out.append(Secret("as elsewhere", *again.span()))
    return tuple(out)


def _default(declared: Mapping[str, Any], *names: str) -> str | None:
    """What the host offers when it asks; nothing for what is asked for in secret, or is one under one of NAMES."""
    default = declared.get("default")
    if not isinstance(default, str) or not default or declared.get("password"):
        return None
    is_secret = any(credentials.find(default, name) for name in names)
    return None if is_secret or re.search(r"[{}$]", default) else default
