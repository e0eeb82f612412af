"""Patches: applying and making them. Nothing here changes its inputs; results share what did not change."""

from labsim.kube.patch.create import create_three_way_strategic, create_two_way
from labsim.kube.patch.errors import PatchError
from labsim.kube.patch.json_patch import json_patch
from labsim.kube.patch.merge_patch import create_merge_patch, merge_patch, three_way_merge_json
from labsim.kube.patch.strategic import strategic_merge

__all__ = [
    "PatchError",
    "create_merge_patch",
    "create_three_way_strategic",
    "create_two_way",
    "json_patch",
    "merge_patch",
    "strategic_merge",
    "three_way_merge_json",
]
