"""kubectl prints custom columns and sorts; every byte and the order are compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from binary import kubectl_path
from jsonpath_cases import OBJECT
from mini import Kubectl, serve

from labsim.kube.customcolumns import parse_spec, print_objects
from labsim.kube.sorting import SortError, UnsortableError, sort_objects, sort_rows

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(kubectl_path() is None, reason="the real kubectl is not here"),
]

SPECS = [
    "A:.metadata.name", "A:metadata.name,B:{.kind}", "A:{metadata.name}", "", "A", "A:", ":.metadata.name", "A:.none",
    "A:.nul", "A:.nums", "A:.nums[*]", "A:.m", "A:.mixed[*]", 'A:.list[?(@.n=="x")].v', "A:.nums[0,1]", "A:.nums[9]",
    "A:.nums[", "A:.metadata.name,B:.nums[9]", "A:.x&", "A:{.a}{.b}", "A:.uni,B:.q,C:.html", "A:@", "A:[metadata]",
    "Name:.metadata.name,LAB:.metadata.labels", "A:.t,B:.f,C:.empty,D:.elist", "a b:.kind", "A:B:C", ",", "A:.kind,",
    r"A:.metadata.labels.nvidia\.com/gpu\.count", "A:..n", "A:{@}", "A:range .list[*]",
]  # fmt: skip
FIELDS = [
    ".metadata.name", "{.metadata.name}", "metadata.name", ".n", ".s", ".mix", ".l", ".opt", ".none", "{.a}{.b}", ".x[",
    ".tags[0]", "{.n", "", "{.opt}", ".metadata", ".tags[*]", ".l[0]", ".kind", ".b",
]  # fmt: skip


def config_map(name: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, **fields}


STRINGS = ["10", "9", "1Gi", "500Mi", "100m", "b", "a", "B", None]
MIXED = [1, "a", 2.5, True, None, [1], {"a": 1}, 3, "b"]
SORTED = [
    config_map(
        f"o{i}", s=STRINGS[i], n=[3, 1, 2, 1, 5, 4, 3, 3, 0][i], mix=MIXED[i], l=[i], tags=["x"] * i, b=i > 4,
        **({"opt": i} if i % 3 else {}),
    )
    for i in range(9)
]  # fmt: skip


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with serve(tmp_path_factory.mktemp("kubectl"), SORTED) as found:
        yield found


def test_columns(tmp_path_factory: pytest.TempPathFactory) -> None:
    both = [OBJECT, config_map("two", nums=[7], list=[{"n": "q", "v": 9}])]
    with serve(tmp_path_factory.mktemp("kubectl"), both) as kubectl:
        for names, objects, flags in ((["one"], both[:1], []), ([], both, []), ([], both, ["--no-headers"])):
            for spec in SPECS:
                made = kubectl("get", "cm", *names, *flags, "-o", f"custom-columns={spec}")
                try:
                    text, error = print_objects(parse_spec(spec), objects, not flags)
                except ValueError as wrong:
                    text, error = "", str(wrong)
                shown = f"error: {error}\n" if error else ""
                assert (text, shown) == (made.stdout.decode(), made.stderr.decode()), (spec, names)


@pytest.mark.parametrize("field", FIELDS)
def test_sorting_objects(kubectl: Kubectl, field: str) -> None:
    made = kubectl("get", "cm", f"--sort-by={field}", "-o", "name")
    try:
        found = "".join(f"configmap/{obj['metadata']['name']}\n" for obj in sort_objects(SORTED, field))
        assert (found, "") == (made.stdout.decode(), made.stderr.decode())
    except UnsortableError as error:
        assert made.returncode == 1
        assert made.stderr.decode().endswith(f" {error.source}] {error}\n")
    except SortError as error:
        assert made.stderr.decode() == f"error: {error}\n"


@pytest.mark.parametrize("field", FIELDS)
def test_sorting_rows(kubectl: Kubectl, field: str) -> None:
    made = kubectl("get", "cm", f"--sort-by={field}", "--no-headers")
    try:
        found = "".join(f"{obj['metadata']['name']}\n" for obj in sort_rows(SORTED, field, lambda obj: obj))
        assert (found, "") == (made.stdout.decode(), made.stderr.decode())
    except UnsortableError as error:
        assert made.stderr.decode().endswith(f" {error.source}] {error}\n")
    except SortError:
        assert (made.returncode, made.stderr) == (0, b"No resources found in default namespace.\n")
