"""The small vocabularies that rules lean on."""

from __future__ import annotations

import pytest

from mcpexpose.lint.confusable import foreign_letters, skeleton, slip
from mcpexpose.lint.mentions import distinctive
from mcpexpose.lint.packages import package_of, pinned, program
from mcpexpose.lint.verbs import verb_of_name, verb_of_text
from mcpexpose.model.reserved import is_own, is_reserved_server_id


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("delete_project", "destructive"),
        ("deleteProject", "destructive"),
        ("project-remove", "destructive"),
        ("get_deleted_items", "read_only"),
        ("deploy_logs_get", "read_only"),
        ("send_mail", "write"),
        ("post", "write"),
        ("blog_post", None),
        ("order_status", None),
        ("order_pizza", "write"),
        ("deploy_status", None),
        ("cancel_order", "write"),
        ("reset_password", "write"),
        ("set_status", "write"),
        ("add_member", "write"),
        ("data_set_export", "read_only"),
        ("result_set", None),
        ("get_set_list", "read_only"),
        ("weather", None),
        ("get_or_create_user", "write"),
        ("searchAndDestroy", "destructive"),
        ("search_and_rank", "read_only"),
        ("rollback_release", "write"),
        ("get_rollback_plan", "read_only"),
        ("plan_rollback", None),
        ("flush_queue", "destructive"),
        ("image_prune_preview", "read_only"),
        ("delete_preview", "destructive"),
    ],
)
def test_names_say_what_a_tool_does(name: str, effect: str | None) -> None:
    found = verb_of_name(name)
    assert (found[1] if found else None) == effect


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("Delete a project and all of its data", "destructive"),
        ("Permanently deletes all contacts", "destructive"),
        ("This tool will remove the file", "destructive"),
        ("Notes on deleted items", None),
        ("Lists what was deleted", "read_only"),
        ("Set of rules for a project", None),
        ("Sets the status of an issue", "write"),
        ("Order history of a customer", None),
        ("Order a pizza", "write"),
        ("Cancels an order", "write"),
        ("Reads and deletes the next message of the queue", "destructive"),
        ("Reads and explains a file", "read_only"),
        ("Lists the users and deleted groups", "read_only"),
        ("", None),
    ],
)
def test_texts_say_it_with_their_first_verb(text: str, effect: str | None) -> None:
    found = verb_of_text(text)
    assert (found[1] if found else None) == effect


def test_letters_of_other_scripts_are_seen_through() -> None:
    assert skeleton("list_οrders") == skeleton("list_orders") == skeleton("LIST_0RDERS")
    assert foreign_letters("list_οrders") == ("ο",)
    assert foreign_letters("pаypаl") == ("а",)
    assert foreign_letters("λίστα") == foreign_letters("検索_orders") == foreign_letters("naïve") == ()


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("send_invoice", "send_invoiec", ("invoice", "invoiec")),
        ("search_all", "serch_all", ("search", "serch")),
        ("search", "serach", ("search", "serach")),
        ("create", "crete", None),
        ("get_user", "get_users", None),
        ("get_user_list", "get_users_list", None),
        ("get_v1_data", "get_v2_data", None),
        ("list", "lost", None),
        ("send_invoice", "send_receipt", None),
    ],
)
def test_a_slip_is_one_letter_inside_a_word(one: str, other: str, words: tuple[str, str] | None) -> None:
    assert slip(one, other) == words


def test_programs_are_named_without_folder_and_ending() -> None:
    assert program("C:\\Program\\npx.CMD") == program("/usr/bin/npx") == "npx"


def test_what_is_local_is_no_package() -> None:
    assert package_of("node", ["server.js"]) is None
    assert package_of("docker", ["compose", "up"]) is None
    found = package_of("npx", ["./server"])
    assert found is not None
    assert pinned(found)


def test_only_joined_names_are_told_from_prose() -> None:
    assert distinctive("get_contact")
    assert distinctive("getContact")
    assert not distinctive("contacts")
    assert not distinctive("read-only")
    assert not distinctive("get_user", 3)


@pytest.mark.parametrize(
    "name",
    [
        "データを取得",
        "サーバー一覧",
        "検索_API",
        "read_µs",
        "nº_pedido",
        "1ª_linha",
        "ㇰ_ー〱",
        "中文search",
        "ﾌｧｲﾙ検索",
        "okina_ʻāina",
    ],
)
def test_marks_that_belong_to_every_script_mix_none(name: str) -> None:
    """The long-vowel mark of Japanese, ordinals and units are no letters of a foreign script."""
    assert foreign_letters(name) == ()


@pytest.mark.parametrize("name", ["findTools", "FIND-TOOLS", "find.tools", "Find Tools", "callTool"])
def test_own_names_in_any_dress_are_own_names(name: str) -> None:
    """Letter case and separators tell no two names apart for a reader (F10)."""
    assert is_own(name)
    assert is_reserved_server_id("Find-Tools")
    assert not is_own(name + "et")
