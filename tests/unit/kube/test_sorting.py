from typing import Any

import pytest

from labsim.kube.sorting import SortError, UnsortableError, sort_objects, sort_rows


def objects(*values: Any) -> list[dict[str, Any]]:
    return [{"name": str(i), **({} if value is ... else {"v": value})} for i, value in enumerate(values)]


def order(found: list[dict[str, Any]]) -> str:
    return "".join(obj["name"] for obj in found)


@pytest.mark.parametrize(
    ("values", "sorted_as"),
    [
        ((3, 1, 2), "120"),
        (("b", "a", "B"), "210"),
        (("1Gi", "500Mi", "100m", "9", "10"), "23410"),
        # one that is no quantity is compared as text
        (("10", "9", "x"), "102"),
        ((2.5, 1.5), "10"),
        ((2, 1, 2, 1, 2), "13024"),
        # what is missing comes first, turned round; null before what is there
        ((1, ..., 0, ...), "3120"),
        ((1, None, 0), "120"),
    ],
)
def test_order(values: tuple[Any, ...], sorted_as: str) -> None:
    found = objects(*values)
    assert (
        order(sort_objects(found, ".v"))
        == order(sort_objects(found, "{.v}"))
        == order(sort_objects(found, "v"))
        == sorted_as
    )
    assert order(sort_rows(found, "v", lambda row: row)) == sorted_as
    assert order(found) == "".join(str(i) for i in range(len(values)))


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (".none", 'couldn\'t find any field with path "{.none}" in the list of objects'),
        (".v[", "unterminated array"),
        (
            "{.a}{.b}",
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
        ),
        (".v[5]", "array index out of bounds: index 5, length 1"),
    ],
)
def test_errors(field: str, message: str) -> None:
    with pytest.raises(SortError) as caught:
        sort_objects(objects([1], [2]), field)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (("a", 1), "unsortable interface: interface"),
        ((True, False), "unsortable type: bool"),
        (([1], [0]), "unsortable type: []interface {}"),
        (({"a": 1}, {}), "unsortable type: map[string]interface {}"),
    ],
)
def test_unsortable(values: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(UnsortableError) as caught:
        sort_objects(objects(*values), ".v")
    assert caught.value.source == "sorter.go:329"
    assert str(caught.value) == (
        f"Field {{.v}} in *unstructured.Unstructured is an unsortable type: interface, err: {problem}"
    )
    with pytest.raises(UnsortableError) as caught:
        sort_rows(objects(*values), ".v", lambda row: row)
    assert caught.value.source == "sorter.go:375"
    assert str(caught.value) == f"Field {{.v}} in [][][]reflect.Value is an unsortable type: interface, err: {problem}"


def test_little_is_left_alone() -> None:
    assert sort_objects([], ".v") == []
    assert order(sort_rows(objects(1), ".none", lambda row: row)) == "0"
    assert order(sort_objects(objects(2, 1), "")) == "01"


def test_rows_whose_field_cannot_be_read() -> None:
    with pytest.raises(SortError, match="sorting error: unclosed action"):
        sort_rows(objects(2, 1), "{.v", lambda row: row)
    with pytest.raises(SortError, match="Failed to get values for"):
        sort_rows(objects([], []), ".v[0]", lambda row: row)
