"""What holds of a case as a whole: diagnostics, by whatever command, and words that must show up nowhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import findings
from tests.acceptance.harness.scene import Scene, file_bytes

if TYPE_CHECKING:
    from tests.acceptance.harness.product import Ran


def check_diagnostics(scene: Scene) -> None:
    """Every diagnostic that the case wants was reported, and none that it forbids, by whatever command or step."""
    checks, expect = scene.checks, scene.case.expect
    for wanted in expect.get("diagnostics", []):
        found = [seen for seen in scene.seen if findings.matches(wanted, seen, scene.servers)]
        what = " ".join(str(wanted[key]) for key in ("severity", "kind", "subject") if key in wanted)
        for key in findings.unknown_fields(wanted):
            checks.that(False, f"diagnostic {what}: a field that the harness knows", key)
        if not found:
            near = [seen for seen in scene.seen if seen.slug in {wanted["kind"], *wanted.get("or_kind", [])}]
            if not near and _may_come_later(scene):
                checks.leave_out(f"diagnostic {what}", "the step that reports it is left out")
                continue
            other = near or [seen for seen in scene.seen if seen.severity == "error"]
            checks.that(False, f"diagnostic {what}", _some(other) or "nothing of this kind")
            continue
        missing = findings.lacks(wanted, found)
        checks.that(not missing, f"diagnostic {what}" + (f" with {missing}" if missing else ""), _some(found))
        if "subject" in wanted:
            _named_in_text(scene, wanted["subject"], found, what)
    for rule in expect.get("no_diagnostics", []):
        broken = [seen for seen in scene.seen if findings.forbidden(rule, seen, scene.servers)]
        checks.that(not broken, f"no diagnostic {rule}", _some(broken))
    if expect.get("exit") == "zero":
        judged = [seen for seen in scene.seen if seen.command in ("lint", "plan") and not seen.label.startswith("step")]
        errors = [seen for seen in judged if seen.severity == "error"]
        checks.that(not errors, "exit zero: no diagnostic is an error", _some(errors))


def _may_come_later(scene: Scene) -> bool:
    parts = scene.left_out_parts
    return bool(parts & {"lock", "machine"}) or scene.clouded("lint") or scene.clouded("plan")


def _named_in_text(scene: Scene, subject: str, found: list[findings.Seen], what: str) -> None:
    """The text output of a command that reports it in JSON names the subject too."""
    commands = {seen.command for seen in found}
    texts = [ran.text for ran in scene.runs if ran.command in commands and not ran.in_json]
    if not texts:
        return
    slugs = {seen.slug for seen in found}
    told = [passage for text in texts for _, slug, passage in findings.passages(text) if slug in slugs]
    named = any(findings.named_in(subject, passage) for passage in told)
    scene.checks.that(named, f"diagnostic {what} named in text", told or "no such finding in text")


def check_words(scene: Scene, *, aside: str) -> None:
    """No plain string of `must_not` occurs in what was printed or written. ASIDE is a bundle beside the folder."""
    words = [word for word in scene.case.expect.get("must_not", []) if not re.search(r"\s", word)]
    plain = [(word, _character(word)) for word in words] + [(text, text) for text in scene.secrets]
    if not plain:
        return
    written = _written(scene, aside)
    for word, text in plain:
        if word.lower() == "traceback":
            continue  # held against every command
        where = [str(ran) for ran in scene.runs if _prints(ran, text, is_character=word != text)]
        where += [f"the library: {said[:120]}" for said, echoes in scene.said if _says(said, echoes, text)]
        raw = text.encode("utf-8")
        where += [name for name, data in written.items() if raw in data]
        scene.checks.that(not where, f"{word} occurs in nothing printed or written", where[:6])


def _written(scene: Scene, aside: str) -> dict[str, bytes]:
    """What the product wrote: all that stands in its folders now and was not put there by the test."""
    found = {f"home/{name}": data for name, data in file_bytes(scene.around.home).items()}
    for name, data in file_bytes(scene.work).items():
        if scene.given.get(name) != data and not name.startswith("catalogs/"):
            found[name] = data
    for folder in (scene.aside / aside, *scene.aside.glob("alone-*")):
        found.update({f"{folder.name}/{name}": data for name, data in file_bytes(folder).items()})
    printed = scene.aside / "host.printed"
    if printed.is_file():
        found["what the host printed"] = printed.read_bytes()
    return found


def _character(word: str) -> str:
    match = re.fullmatch(r"U\+([0-9A-Fa-f]{4,6})", word)
    return chr(int(match[1], 16)) if match else word


def _prints(ran: Ran, text: str, *, is_character: bool) -> bool:
    """Whether a command printed TEXT, other than as an echo of what it was given."""
    if any(text.casefold() in echo.casefold() for echo in ran.echoes):
        return False
    if text in ran.text:
        return True
    return not is_character and any(text in string for string in _strings(ran.json))


def _says(said: str, echoes: tuple[str, ...], text: str) -> bool:
    return text in said and not any(text.casefold() in echo.casefold() for echo in echoes)


def _strings(value: Any) -> list[str]:
    """Every string of a JSON value, as it reads once it is decoded."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *_strings(item))]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return []


def _some(found: list[findings.Seen]) -> str:
    return "; ".join(dict.fromkeys(str(seen) for seen in found[:8]))
