"""The parts of the terminal that know no screen: cleaning, scrollback, line editing, completion lists."""

from __future__ import annotations

import time

import pytest

from labsim.ui import tabbing
from labsim.ui.tui import clean
from labsim.ui.tui.lineedit import LineEditor
from labsim.ui.tui.promptrows import layout
from labsim.ui.tui.rows import CAP, Rows


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("a\tb", "a       b"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07", "^[]0;title^G"),
        ("\x1b[2A", "^[[2A"),
        ("12345\rab", "ab345"),
        ("a\tb\rzz", "zz      b"),
        ("dos\r", "dos"),
        ("\x00\x7f\x9b", "^@^?\\x9b"),
        ("\udc80", "\\x80"),
        ("a\u202eb", "a<U+202E>b"),
        ("日本", "日本"),
    ],
)
def test_what_is_drawn_of_a_line(raw: str, shown: str) -> None:
    assert clean.line(raw) == shown


def test_a_line_without_end_is_cut_and_says_so() -> None:
    assert clean.line("x" * (clean.LONGEST + 7)).endswith("x [7 more characters not shown]")


def test_rows_wrap_by_cells_and_come_back_after_a_resize() -> None:
    rows = Rows(10)
    rows.write("日本語日本語\nabcdefghijKLM\n")
    assert [(r.text, r.goes_on) for r in rows.rows] == [
        ("日本語日本", True), ("語", False), ("abcdefghij", True), ("KLM", False),
    ]  # fmt: skip
    rows.resize(40)
    assert [r.text for r in rows.rows] == ["日本語日本語", "abcdefghijKLM"]


def test_output_without_newline_stays_open() -> None:
    rows = Rows(40)
    rows.write("ab")
    assert (rows.rows, rows.partial) == ([], "ab")
    rows.write("c\nd\n")
    assert [r.text for r in rows.rows] == ["abc", "d"]


@pytest.mark.parametrize("text", ["0123456789\n" * 1_000_000, "x" * 10_000_000, "\x00\x1b" * 5_000_000])
def test_10_mb_are_taken_in_at_once(text: str) -> None:
    rows = Rows(80)
    started = time.process_time()
    rows.write(text)
    assert time.process_time() - started < 2
    assert len(rows.rows) <= CAP and len(rows.lines) <= CAP


def test_clear_starts_a_screen_and_a_second_one_replaces_it() -> None:
    rows = Rows(40)
    rows.write("old\n")
    rows.begin()
    rows.write("\x1b[H\x1b[Jone\n")
    rows.write("\x1b[H\x1b[Jtwo\n")
    assert [r.text for r in rows.rows] == ["old", "two"] and rows.top == 1
    assert [text for text, _ in rows.lines] == ["old", "two"]


@pytest.mark.parametrize(
    ("text", "keys", "result", "cursor"),
    [
        ("one two", ["ctrl+w"], "one ", 4),
        ("one two", ["ctrl+a", "delete"], "ne two", 0),
        ("one two", ["alt+b", "ctrl+k"], "one ", 4),
        ("one two", ["alt+b", "ctrl+u"], "two", 0),
        ("one two", ["alt+b", "ctrl+u", "ctrl+e", "ctrl+y"], "twoone ", 7),
        ("a/b-c", ["alt+backspace"], "a/b-", 4),
        ("one", ["home", "right", "backspace", "end"], "ne", 2),
        ("one two", ["ctrl+a", "alt+f", "alt+d"], "one", 3),
    ],
)
def test_readline_keys(text: str, keys: list[str], result: str, cursor: int) -> None:
    editor = LineEditor([])
    editor.set(text)
    for key in keys:
        assert editor.key(key)
    assert (editor.text, editor.cursor) == (result, cursor)


def test_up_in_a_pasted_text_moves_the_cursor_first() -> None:
    editor = LineEditor(["before"])
    editor.insert("abc\nde")
    editor.key("up")
    assert (editor.text, editor.cursor) == ("abc\nde", 2)
    editor.key("up")
    assert editor.text == "before"


def test_the_cursor_of_a_wrapped_line() -> None:
    shown = layout("$ ", "日本語", 3, 8)
    assert (shown.texts, shown.row, shown.column) == (["$ 日本語", ""], 1, 0)
    shown = layout("$ ", "abc\nd", 5, 80)
    assert (shown.texts, shown.row, shown.column) == (["$ abc", "d"], 1, 1)
    shown = layout("$ ", "a\x07b", 2, 80)
    assert (shown.texts, shown.column) == (["$ a\N{SYMBOL FOR BELL}b"], 4)


def test_candidates_in_columns() -> None:
    assert tabbing.columns(["a/one", "a/two/", "a/three"], 14) == ["one    three", "two/"]
    assert tabbing.columns([f"n{i}" for i in range(120)], 20)[-1] == "... and 20 more"
    assert tabbing.common(["gpu-node1", "gpu-node2"]) == "gpu-node"


def test_notes_wrap_by_words() -> None:
    rows = Rows(20)
    rows.write_line("-- reached: the node takes pods again", "note")
    assert [r.text for r in rows.rows] == ["-- reached: the node", "   takes pods again"]
