"""MIG geometry: the enumerations of gpu.md 1.2, and what must hold after any sequence of creations and destructions."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labsim.hardware import h100, mig
from labsim.hardware.machine import new_gpu

Gpu = dict[str, Any]


def empty() -> Gpu:
    return mig.set_mode(new_gpu("gpu-node1", 1, 0), True, busy=False)


def multisets(names: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Every multiset of profiles that can be placed at all, found by trying all placements."""
    seen: set[tuple[str, ...]] = set()
    stack: list[tuple[Gpu, int]] = [(empty(), 0)]
    slots = [(h100.BY_NAME[name], start) for name in names for start in h100.BY_NAME[name].starts]
    while stack:
        gpu, first = stack.pop()
        seen.add(tuple(sorted(mig.profile_of(gi).name for gi in gpu["instances"])))
        for position in range(first, len(slots)):
            profile, start = slots[position]
            if mig.fits(gpu["instances"], profile, start):
                stack.append((mig.create_gi(gpu, profile, start)[0], position + 1))
    return seen


def maximal(sets: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    def contains(big: tuple[str, ...], small: tuple[str, ...]) -> bool:
        return big != small and all(big.count(name) >= small.count(name) for name in set(small))

    return {one for one in sets if not any(contains(other, one) for other in sets)}


BASE = ("1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb")


@pytest.mark.parametrize(("names", "every", "most"), [(BASE, 38, 12), ((*BASE, "1g.20gb"), 78, 28)])
def test_enumerations(names: tuple[str, ...], every: int, most: int) -> None:
    sets = multisets(names)
    assert len(sets) == every
    assert len(maximal(sets)) == most


def test_the_twelve_maximal_sets() -> None:
    def of(text: str) -> tuple[str, ...]:
        full = {"1": "1g.10gb", "2": "2g.20gb", "3": "3g.40gb", "4": "4g.40gb", "7": "7g.80gb"}
        return tuple(sorted(full[c] for c in text))

    wanted = ("7", "43", "33", "322", "421", "2221", "3211", "4111", "22111", "31111", "211111", "1111111")
    assert maximal(multisets(BASE)) == {of(text) for text in wanted}


def test_impossible_sets() -> None:
    sets = multisets((*BASE, "1g.20gb", "1g.10gb+me"))
    for names in (
        ("4g.40gb", "4g.40gb"),
        ("1g.10gb", "3g.40gb", "3g.40gb"),
        ("2g.20gb",) * 4,
        ("1g.10gb",) * 8,
        ("1g.10gb", "7g.80gb"),
        ("1g.10gb+me", "1g.10gb+me"),
    ):
        assert tuple(sorted(names)) not in sets


def test_gi_ids_are_a_bijection() -> None:
    placements = {(profile.size, start) for profile in h100.PROFILES for start in profile.starts}
    assert len({h100.gi_id(start, size) for size, start in placements}) == len(placements)


def brute_force_free(gpu: Gpu, profile: h100.GpuInstanceProfile) -> int:
    best = 0
    for choice in product((False, True), repeat=len(profile.starts)):
        instances = list(gpu["instances"])
        fitted = 0
        for start, wanted in zip(profile.starts, choice):
            if wanted and mig.fits(instances, profile, start):
                trial = {**gpu, "instances": instances}
                instances = mig.create_gi(trial, profile, start)[0]["instances"]
                fitted += 1
        best = max(best, fitted)
    return best


def holds_the_rule(gpu: Gpu) -> None:
    slices: list[int] = []
    for gi in gpu["instances"]:
        profile = mig.profile_of(gi)
        assert gi["start"] in profile.starts
        assert gi["size"] == profile.size
        assert gi["giId"] == h100.gi_id(gi["start"], gi["size"])
        slices += range(gi["start"], gi["start"] + gi["size"])
    assert len(slices) == len(set(slices))
    assert all(0 <= s < h100.MEMORY_SLICES for s in slices)
    assert sum(mig.profile_of(gi).g for gi in gpu["instances"]) <= h100.COMPUTE_SLICES
    assert sum(mig.profile_of(gi).media_extensions for gi in gpu["instances"]) <= 1


actions = st.lists(
    st.tuples(st.sampled_from(["create", "create", "place", "destroy"]), st.integers(0, 6), st.integers(0, 7)),
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(actions)
def test_any_sequence_keeps_the_rule(steps: list[tuple[str, int, int]]) -> None:
    gpu = empty()
    for verb, which, where in steps:
        profile = h100.PROFILES[which]
        before = repr(gpu)
        try:
            if verb == "destroy":
                if not gpu["instances"]:
                    continue
                target = gpu["instances"][where % len(gpu["instances"])]["giId"]
                for compute in mig.find_gi(gpu, target)["compute"]:
                    gpu = mig.destroy_ci(gpu, target, compute["ciId"])
                after = mig.destroy_gi(gpu, target)
            else:
                room = mig.free(gpu, profile)
                after, gi = mig.create_gi(gpu, profile, where if verb == "place" else None)
                assert room > 0
                after = mig.create_ci(after, gi["giId"])[0]
        except mig.InsufficientResources:
            assert verb == "place" or mig.free(gpu, profile) == 0
            continue
        except mig.InvalidArgument:
            assert verb == "place" and where not in profile.starts
            continue
        if verb != "destroy":
            assert repr(gpu) == before
        gpu = after
        holds_the_rule(gpu)
        for each in h100.PROFILES:
            assert mig.free(gpu, each) == brute_force_free(gpu, each)
    devices = mig.mig_devices(gpu)
    assert [d.index for d in devices] == list(range(len(devices)))
    assert len({d.uuid for d in devices}) == len(devices)
    assert [(d.gi_id, d.ci_id) for d in devices] == sorted((d.gi_id, d.ci_id) for d in devices)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(h100.PROFILES), st.lists(st.sampled_from(h100.CI_PROFILES), max_size=8))
def test_compute_instances_never_overlap(
    profile: h100.GpuInstanceProfile, wanted: list[h100.ComputeInstanceProfile]
) -> None:
    gpu, gi = mig.create_gi(empty(), profile)
    for ci in wanted:
        room = mig.ci_free(mig.find_gi(gpu, gi["giId"]), ci)
        try:
            gpu = mig.create_ci(gpu, gi["giId"], ci)[0]
            assert room > 0
        except (mig.InsufficientResources, mig.InvalidArgument):
            assert room == 0
    taken: list[int] = []
    for compute in mig.find_gi(gpu, gi["giId"])["compute"]:
        cores = h100.CI_BY_ID[compute["profileId"]].cores
        taken += range(compute["start"], compute["start"] + cores)
    assert len(taken) == len(set(taken))
    assert all(0 <= core < profile.g for core in taken)
