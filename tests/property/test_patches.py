"""Applying the patch between two objects gives the second; nothing changes its inputs.

Finalizers are sorted here: upstream sorts them before it compares, and so misses a mere change of their order.
"""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from labsim.kube.patch import create_merge_patch, create_two_way, merge_patch, strategic_merge
from labsim.kube.schema import load

DEPLOYMENT = load().for_gvk("apps", "v1", "Deployment")
VALUES = st.recursive(
    st.booleans() | st.integers(0, 2) | st.sampled_from(["", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


def named(names: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    item = st.fixed_dictionaries({"name": st.sampled_from(names)}, optional=fields)
    return st.lists(item, min_size=1, max_size=3, unique_by=lambda entry: str(entry["name"]))


CONTAINERS = named(
    "abc",
    image=st.sampled_from(["1", "2"]),
    env=named("EF", value=st.sampled_from("12")),
    args=st.lists(st.sampled_from("xy"), max_size=2),
    resources=st.dictionaries(st.just("limits"), st.dictionaries(st.sampled_from(["cpu", "memory"]), st.just("1"))),
)
SPECS = st.fixed_dictionaries(
    {"template": st.fixed_dictionaries({"spec": st.fixed_dictionaries(
        {"containers": CONTAINERS},
        optional={"volumes": named("v", emptyDir=st.just({}), hostPath=st.just({"path": "/"})),
                  "tolerations": st.lists(st.fixed_dictionaries({"key": st.sampled_from("ab")}), max_size=2),
                  "nodeSelector": st.dictionaries(st.sampled_from("ab"), st.sampled_from("12"))})})},
    optional={"replicas": st.integers(0, 2),
              "strategy": st.sampled_from([{"type": "Recreate"}, {"type": "RollingUpdate",
               "rollingUpdate": {"maxSurge": 1}}])},
)  # fmt: skip
DEPLOYMENTS = st.fixed_dictionaries(
    {"spec": SPECS, "metadata": st.fixed_dictionaries({"name": st.just("d")}, optional={
        "labels": st.dictionaries(st.sampled_from("ab"), st.sampled_from("12")),
        "finalizers": st.lists(st.sampled_from("xyz"), min_size=1, unique=True).map(sorted)})}
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(OBJECTS, OBJECTS)
def test_merge_patch(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = copy.deepcopy((old, new))
    assert merge_patch(old, create_merge_patch(old, new)) == new
    assert (old, new) == before


@settings(max_examples=200, deadline=None)
@given(DEPLOYMENTS, DEPLOYMENTS)
def test_strategic(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = copy.deepcopy((old, new))
    patch = create_two_way(old, new, DEPLOYMENT)
    assert strategic_merge(old, patch, DEPLOYMENT) == new
    assert (old, new) == before
    assert strategic_merge(new, create_two_way(new, new, DEPLOYMENT), DEPLOYMENT) == new
