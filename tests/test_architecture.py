"""The layers and the owners of libraries, read from the sources: an import may only go down."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "mcpexpose"

LAYERS = (
    {"model"},
    {"toolschema"},
    {"surface"},
    {"config", "catalog", "client", "compiler", "search"},
    {"bundle", "sources", "importers"},
    {"workspace", "report", "host"},
    {"lint", "testing", "gateway", "adapters"},
    {"cli"},
)
"""From the bottom up. Rooms on one line do not import each other."""

OWNERS = {
    "click": {"cli"},
    "tomlkit": {"config/document.py", "config/edits.py"},
    "tomllib": {"config"},
    "jsonschema": {"toolschema"},
    "referencing": {"toolschema"},
    "mcp": {"client", "gateway", "adapters/mcp_sdk.py"},
    "mcp_types": {"client", "gateway", "adapters/mcp_sdk.py"},
    "pydantic_ai": {"adapters/pydantic_ai.py"},
    "langchain_core": {"adapters/langchain.py", "adapters/langchain_agent.py"},
    "langchain": {"adapters/langchain_agent.py"},
    "langgraph": {"adapters/langchain_agent.py"},
    "agents": {"adapters/openai_agents.py"},
    "whoosh": {"search"},
    "yaml": {"importers/yamltext.py"},
    "cryptography": {"bundle/signature.py"},
    "opentelemetry": {"host/telemetry.py"},
    # What the mcp client raises is pydantic's; LangChain's tools and Pydantic AI's validators are its models.
    "pydantic": {
        "model/mirror.py",
        "model/schemas.py",
        "client",
        "adapters/langchain.py",
        "adapters/mcp_sdk.py",
    },
    "pydantic_core": {"model/mirror.py", "config", "adapters/pydantic_ai.py"},
}
"""Library to the rooms or files that may import it."""

LAZY = {"tomlkit", "jsonschema", "referencing", "mcp", "mcp_types", "whoosh", "cryptography", "opentelemetry", "yaml"}
"""Imported inside the functions that need them, so that the rest starts fast."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def level(name: str) -> int | None:
    return next((n for n, layer in enumerate(LAYERS) if name in layer), None)


def imports(tree: ast.AST) -> list[tuple[str, ast.stmt]]:
    """Every imported module with its statement; `from mcpexpose import x` counts as mcpexpose.x."""
    found: list[tuple[str, ast.stmt]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            module = node.module or ""
            if module == "mcpexpose":
                found += [(f"mcpexpose.{alias.name}", node) for alias in node.names]
            else:
                found.append((module, node))
    return found


def at_import_time(tree: ast.Module) -> set[ast.stmt]:
    """Statements that run when the module is imported; not those of functions, nor under TYPE_CHECKING."""
    seen: set[ast.stmt] = set()

    def walk(body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                walk(node.orelse)
                continue
            seen.add(node)
            for field in ("body", "orelse", "finalbody"):
                walk(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                walk(handler.body)

    walk(tree.body)
    return seen


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_down_only(path: Path) -> None:
    """A room imports from rooms below it, never from above or beside."""
    here = room(path)
    if here in {"__init__", "__main__"}:
        return
    mine = level(here)
    assert mine is not None, f"{here} has no layer: give it one in LAYERS"
    for module, node in imports(ast.parse(path.read_text("utf-8"))):
        if not module.startswith("mcpexpose."):
            continue
        other = module.split(".")[1]
        if other in {here, "__version__"}:
            continue
        theirs = level(other)
        assert theirs is not None, f"line {node.lineno}: {other} has no layer"
        assert theirs < mine, f"line {node.lineno}: {here} imports {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_each_library_has_one_owner(path: Path) -> None:
    """Third-party libraries are imported by their owners alone, the heavy ones inside functions."""
    name = path.relative_to(PACKAGE).as_posix()
    tree = ast.parse(path.read_text("utf-8"))
    early = at_import_time(tree)
    for module, node in imports(tree):
        library = module.partition(".")[0]
        if library in OWNERS:
            owners = OWNERS[library]
            assert name in owners or room(path) in owners, f"line {node.lineno}: {name} imports {library}"
        if library in LAZY:
            assert node not in early, f"line {node.lineno}: {library} is imported when {name} is"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_modules_say_what_they_are_for_and_stay_small(path: Path) -> None:
    """Each module opens with a docstring and the future import, and is read at a sitting."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1 or "from __future__ import annotations" in text
    assert text.count("\n") <= 400


def test_the_host_never_sees_config_catalog_or_compiler() -> None:
    """A host opens a bundle; it cannot decide policy again (law 1)."""
    for path in MODULES:
        if room(path) in {"host", "bundle", "surface"}:
            for module, node in imports(ast.parse(path.read_text("utf-8"))):
                forbidden = ("mcpexpose.config", "mcpexpose.catalog", "mcpexpose.compiler")
                assert not module.startswith(forbidden), f"{path}:{node.lineno} imports {module}"


def test_nobody_imports_an_adapter() -> None:
    """Each imports its framework when it is imported itself, which a host does that wants it."""
    for path in MODULES:
        for module, node in imports(ast.parse(path.read_text("utf-8"))):
            adapter = module.startswith("mcpexpose.adapters") and module != "mcpexpose.adapters.model_tools"
            allowed = path.name == "langchain_agent.py" and module == "mcpexpose.adapters.langchain"
            assert not adapter or allowed, f"{path}:{node.lineno} imports {module}"


def test_the_compiler_sees_neither_disk_nor_network_nor_clock() -> None:
    """Same inputs, same plan (law 5)."""
    forbidden = {"os", "pathlib", "time", "datetime", "socket", "random", "secrets", "uuid", "tempfile", "subprocess"}
    for path in MODULES:
        if room(path) == "compiler":
            tree = ast.parse(path.read_text("utf-8"))
            early = at_import_time(tree)
            for module, node in imports(tree):
                library = module.partition(".")[0]
                assert library not in forbidden or node not in early, f"{path}:{node.lineno} imports {module}"
            calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
            assert not calls & {"open", "print", "input"}, path


def test_no_test_asserts_a_measured_time() -> None:
    """Speed is measured in tests/benchmarks; a test counts work (tests/work.py), or asserts what comes out."""
    measured = re.compile(r"\b(process_time|perf_counter|thread_time|getrusage)\b|assert .*\bmonotonic\(\) -")
    found = [
        f"{path.name}:{number}"
        for path in sorted(Path(__file__).parent.rglob("test_*.py"))
        if path != Path(__file__)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if measured.search(line)
    ]
    assert found == []
