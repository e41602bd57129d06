"""Names in a shared `config.toml` that belong to other programs: https://developers.openai.com/codex (2026-11)."""

from __future__ import annotations

PROFILE_KEYS = frozenset(
    {
        "analytics",
        "approval_policy",
        "approvals_reviewer",
        "chatgpt_base_url",
        "experimental_compact_prompt_file",
        "experimental_instructions_file",
        "experimental_use_freeform_apply_patch",
        "experimental_use_unified_exec_tool",
        "features",
        "include_apply_patch_tool",
        "include_apps_instructions",
        "include_collaboration_mode_instructions",
        "include_environment_context",
        "include_permissions_instructions",
        "js_repl_node_path",
        "js_repl_node_module_dirs",
        "model",
        "model_auto_compact_token_limit",
        "model_catalog_json",
        "model_context_window",
        "model_instructions_file",
        "model_provider",
        "model_reasoning_effort",
        "model_reasoning_summary",
        "model_supports_reasoning_summaries",
        "model_verbosity",
        "oss_provider",
        "personality",
        "plan_mode_reasoning_effort",
        "sandbox_mode",
        "sandbox_workspace_write",
        "service_tier",
        "tools",
        "tools_view_image",
        "tui",
        "web_search",
        "windows",
        "zsh_path",
    }
)
"""Keys of Codex in `[profiles.NAME]`. A profile of these alone is the host's and none of ours."""
