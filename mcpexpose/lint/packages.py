"""What package a command line runs: npx, uvx, docker and their kin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NPM = frozenset({"npx", "bunx", "pnpx"})
_NPM_RUN = {"npm": ("exec", "x"), "pnpm": ("dlx", "exec"), "yarn": ("dlx",), "bun": ("x",)}
_PYTHON = frozenset({"uvx"})
_PYTHON_RUN = {"uv": ("tool", "run"), "pipx": ("run",)}
_CONTAINER = frozenset({"docker", "podman", "nerdctl"})
_SHELL_WRAPPERS = {"cmd": ("/c", "/C")}

_NPM_VALUES = frozenset({"-c", "--call", "--registry", "--cache", "--userconfig", "--prefix", "-w", "--workspace"})
_PYTHON_VALUES = frozenset(
    {"--python", "-p", "--with", "--index-url", "--default-index", "--index", "--extra-index-url", "--cache-dir"}
    | {"--env-file", "--directory", "--refresh-package", "--pip-args"}
)
_CONTAINER_FLAGS = frozenset(
    {"-i", "-t", "-it", "-ti", "-d", "--rm", "--init", "--privileged", "--interactive", "--tty", "--read-only"}
    | {"-P", "--detach", "--no-healthcheck", "-itd", "--publish-all", "--oom-kill-disable"}
)
_EXACT = re.compile(r"v?\d+(\.\d+)*([-+.]?[0-9A-Za-z][0-9A-Za-z.+-]*)?")
_SHA = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Package:
    """A package that a runner fetches: `kind` is npx, uvx or docker; `index` is its place in `args`."""

    kind: str
    spec: str
    index: int


def program(command: str) -> str:
    """The program's name without folder, case and Windows ending."""
    words = command.strip().split()
    name = re.split(r"[\\/]", words[0] if words else "")[-1].lower()
    return re.sub(r"\.(exe|cmd|bat|ps1)$", "", name)


def package_of(command: str, args: Sequence[str]) -> Package | None:
    """The package that COMMAND fetches and runs; None where it is no runner, or runs something local."""
    name = program(command)
    start = 0
    if name in _SHELL_WRAPPERS and len(args) > 1 and args[0] in _SHELL_WRAPPERS[name]:
        name, start = program(args[1]), 2
    if name in _NPM_RUN:
        if start >= len(args) or args[start] not in _NPM_RUN[name]:
            return None
        return _npm(args, start + 1)
    if name in _NPM:
        return _npm(args, start)
    if name in _PYTHON_RUN:
        words = _PYTHON_RUN[name]
        if tuple(args[start : start + len(words)]) != words:
            return None
        return _python(args, start + len(words))
    if name in _PYTHON:
        return _python(args, start)
    return _container(args, start) if name in _CONTAINER else None


def pinned(package: Package) -> bool:
    """Whether the same bytes come tomorrow, as far as a version can promise it."""
    spec = package.spec
    if "${" in spec or spec.startswith(("./", "../", "/", "file:", "~")):
        return True
    if package.kind == "docker":
        if "@sha256:" in spec:
            return True
        tag = spec.rpartition("/")[2].partition(":")[2]
        return bool(_EXACT.fullmatch(tag)) and any(char.isdigit() for char in tag)
    if "://" in spec or spec.startswith(("git+", "github:")):
        return bool(_SHA.fullmatch(re.split("[#@]", spec)[-1])) or spec.endswith((".tgz", ".whl", ".tar.gz"))
    if package.kind == "uvx" and "==" in spec:
        return bool(_EXACT.fullmatch(spec.partition("==")[2].strip())) and "*" not in spec
    version = spec.removeprefix("@").partition("@")[2]
    return bool(_EXACT.fullmatch(version)) and version.count(".") >= 1


def _npm(args: Sequence[str], at: int) -> Package | None:
    while at < len(args):
        arg = args[at]
        if arg in ("-p", "--package") and at + 1 < len(args):
            return Package("npx", args[at + 1], at + 1)
        if arg.startswith("--package="):
            return Package("npx", arg.partition("=")[2], at)
        if arg in _NPM_VALUES:
            at += 1
        elif not arg.startswith("-"):
            return Package("npx", arg, at)
        at += 1
    return None


def _python(args: Sequence[str], at: int) -> Package | None:
    while at < len(args):
        arg = args[at]
        if arg in ("--from", "--spec") and at + 1 < len(args):
            return Package("uvx", args[at + 1], at + 1)
        if arg.startswith(("--from=", "--spec=")):
            return Package("uvx", arg.partition("=")[2], at)
        if arg in _PYTHON_VALUES:
            at += 1
        elif not arg.startswith("-"):
            return Package("uvx", arg, at)
        at += 1
    return None


def _container(args: Sequence[str], at: int) -> Package | None:
    if args[at : at + 2] == ["container", "run"] or tuple(args[at : at + 2]) == ("container", "run"):
        at += 1
    if at >= len(args) or args[at] != "run":
        return None
    at += 1
    while at < len(args):
        arg = args[at]
        if not arg.startswith("-"):
            return Package("docker", arg, at)
        at += 1 if "=" in arg or arg in _CONTAINER_FLAGS else 2
    return None
