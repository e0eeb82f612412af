"""What is printed reads back as the same object."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from labsim.kube.codec import dump_compact, dump_json, dump_kyaml, dump_yaml, load, load_all

# U+0085 is folded by YAML readers, other control characters are refused; the key << is a merge for every reader
TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufeff\ufffe\uffff\u2028\u2029",
                             whitelist_characters="\n\t")) | st.sampled_from(
    ["y", "null", "1e3", "0x10", "010", "a: b", " #", "- ", "word " * 40, "\n\n", "2026-01-01", "1:20", "|"]
)  # fmt: skip
KEYS = TEXT.filter(lambda text: text != "<<" and len(text) < 200)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.sampled_from([1.5, 1e21, 0.1, 1e-7]) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_round_trips(value: object) -> None:
    obj = {"v": value}
    assert load(dump_yaml(obj)) == obj
    assert load(dump_kyaml(obj)) == obj
    assert load_all(dump_json(obj)) == [obj]
    assert json.loads(dump_compact(obj)) == obj
