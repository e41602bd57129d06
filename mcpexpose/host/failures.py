"""A server's own account of a failure, as a model may read it: cleaned, without credentials, within the budget."""

from __future__ import annotations

from typing import Any

from mcpexpose.host.cleaning import cleaned, error_text
from mcpexpose.host.results import compact, model_text


def error_result(result: dict[str, Any], size: int, limit: int, secrets: tuple[str, ...]) -> dict[str, Any]:
    """RESULT, one with `isError` of SIZE bytes, without credentials; of one text where it is over LIMIT bytes.

    Takes its time where the result is large, but no longer than its first LIMIT bytes ask for.
    """
    if size <= limit:
        struck = _struck(cleaned(result), limit, secrets)
        if len(compact(struck)) <= limit:
            return dict(struck)
        said = model_text(struck)
    else:
        said = _head(result, 2 * limit)
    text = error_text(said, max(limit - 100, 0) // 2, secrets)
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _head(result: dict[str, Any], length: int) -> str:
    """The first texts of a result, LENGTH characters of them at most."""
    parts: list[str] = []
    for part in result["content"]:
        if length <= 0:
            break
        if part["type"] == "text":
            parts.append(part["text"][:length])
            length -= len(parts[-1]) + 1
    return "\n".join(parts)


def _struck(value: Any, limit: int, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return error_text(value, limit, secrets)
    if isinstance(value, list):
        return [_struck(item, limit, secrets) for item in value]
    if isinstance(value, dict):
        return {error_text(key, limit, secrets): _struck(item, limit, secrets) for key, item in value.items()}
    return value
