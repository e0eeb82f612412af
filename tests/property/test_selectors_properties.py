"""A selector printed and read again selects the same; a LabelSelector and its string form agree."""

from hypothesis import given, settings
from hypothesis import strategies as st

from labsim.kube import selectors
from labsim.kube.matching import selector_matches, selector_text

KEYS = st.sampled_from(["a", "b", "in", "notin", "nvidia.com/gpu.count"])
VALUES = st.sampled_from(["", "x", "y-z", "in", "3"])
EXPRESSIONS = st.one_of(
    st.builds(
        lambda key, operator, values: {"key": key, "operator": operator, "values": values},
        KEYS,
        st.sampled_from(["In", "NotIn"]),
        st.lists(VALUES, min_size=1, max_size=3, unique=True),
    ),
    st.builds(
        lambda key, operator: {"key": key, "operator": operator}, KEYS, st.sampled_from(["Exists", "DoesNotExist"])
    ),
)
OBJECTS = st.builds(
    lambda labels, expressions: {"matchLabels": labels, "matchExpressions": expressions},
    st.dictionaries(KEYS, VALUES, max_size=2),
    st.lists(EXPRESSIONS, max_size=3),
)


@settings(max_examples=300, deadline=None)
@given(OBJECTS, st.lists(st.dictionaries(KEYS, VALUES, max_size=4), min_size=1, max_size=5))
def test_forms_agree(spec: dict[str, object], pods: list[dict[str, str]]) -> None:
    selector = selectors.from_object(spec)
    again = selectors.parse_label(str(selector))
    assert str(again) == str(selector)
    by_text = selectors.parse_label(selector_text(spec))
    for labels in pods:
        hits = {
            selector.matches(labels),
            again.matches(labels),
            by_text.matches(labels),
            selector_matches(spec, labels),
        }
        assert len(hits) == 1


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab=!(),<> in\t\n", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        selector = selectors.parse_label(text)
    except ValueError:
        return
    assert str(selectors.parse_label(str(selector))) == str(selector)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab,=\\é ", max_size=12))
def test_field_values_survive_escaping(value: str) -> None:
    assert selectors.parse_field(f"f={selectors.escape_field(value)}").requirements == (("f", "=", value),)
