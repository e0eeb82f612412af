import pytest

from labsim.kube.tabwriter import TabWriter, describe_writer, get_writer


def lay_out(writer: TabWriter, text: str) -> list[str]:
    writer.write(text)
    return writer.flush().split("\n")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("plain", ["plain"]),
        ("plain\n", ["plain", ""]),
        ("Name:\tweb\nNamespace:\tdefault\n", ["Name:       web", "Namespace:  default", ""]),
        # an empty text after a tab leaves trailing blanks; the last cell is not padded
        ("  Kube-Proxy Version:\t\n  A:\tb\n", ["  Kube-Proxy Version:  ", "  A:                   b", ""]),
        # a line without a tab ends the columns above it
        ("a\tb\ntitle\nlonger\tb\n", ["a  b", "title", "longer  b", ""]),
        # two tabs: an empty column, as wide as the padding
        ("N\t\tC\nweb\t\tx\n", ["N      C", "web    x", ""]),
        # a column is a run of lines: the second line interrupts column two
        ("a\tbbbb\tc\na\tb\na\tb\tc\n", ["a  bbbb  c", "a  b", "a  b  c", ""]),
        # widths count runes
        ("é\tx\nab\ty\n", ["é   x", "ab  y", ""]),
        # a form feed ends the columns too
        ("aaaa\tb\fa\tb\n", ["aaaa  b", "a  b", ""]),
        ("a\tb", ["a  b"]),
        ("a\t", ["a"]),
    ],
)
def test_describe(text: str, lines: list[str]) -> None:
    assert lay_out(describe_writer(), text) == lines


def test_get() -> None:
    text = "NAME\tREADY\tSTATUS\tAGE\nweb-0\t1/1\tRunning\t3d5h\nb\t0/1\tPending\t\n"
    assert lay_out(get_writer(), text) == [
        "NAME    READY   STATUS    AGE",
        "web-0   1/1     Running   3d5h",
        "b       0/1     Pending   ",
        "",
    ]


def test_widths_are_remembered_between_flushes() -> None:
    writer = get_writer()
    assert lay_out(writer, "NAME\tSTATUS\nweb-long-name\tRunning\n")[0] == "NAME            STATUS"
    assert lay_out(writer, "b\tPending\n") == ["b               Pending", ""]
    assert lay_out(writer, "a-much-longer-name\tPending\n") == ["a-much-longer-name   Pending", ""]
    assert lay_out(writer, "b\tPending\n") == ["b                    Pending", ""]


def test_without_remembering_each_block_is_its_own() -> None:
    writer = TabWriter(6, 3)
    assert lay_out(writer, "web-long-name\tRunning\n") == ["web-long-name   Running", ""]
    assert lay_out(writer, "b\tPending\n") == ["b     Pending", ""]


def test_pieces_make_the_same_as_the_whole() -> None:
    text = "a\tbb\tccc\nx\n\nlong\tb\td\n\tq\tr\n"
    whole, pieces = describe_writer(), describe_writer()
    whole.write(text)
    for char in text:
        pieces.write(char)
    assert pieces.flush() == whole.flush() == "a  bb  ccc\nx\n\nlong  b  d\n      q  r\n"
