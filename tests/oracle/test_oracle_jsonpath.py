"""kubectl prints one object through many templates; stdout, stderr and exit code are compared."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from binary import kubectl_path
from jsonpath_cases import OBJECT, TEMPLATES
from mini import Kubectl, serve

from labsim.kube.jsonpath import JSONPathError, Template, parse_error, run_error

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(kubectl_path() is None, reason="the real kubectl is not here"),
]


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with serve(tmp_path_factory.mktemp("kubectl"), [OBJECT]) as found:
        yield found


def labsim(text: str, as_json: bool = False, allow_missing: bool = True) -> tuple[int, str, str]:
    try:
        template = Template.parse(text, allow_missing)
    except JSONPathError as error:
        return 1, "", f"error: {parse_error(text, error)}\n"
    try:
        return 0, template.execute_json(OBJECT) if as_json else template.execute(OBJECT), ""
    except JSONPathError as error:
        return 1, "", f"error: {run_error(text, OBJECT, error)}"


@pytest.mark.parametrize(
    ("mode", "allow_missing", "share"), [("jsonpath", True, 1), ("jsonpath-as-json", True, 4), ("jsonpath", False, 3)]
)
def test_templates(kubectl: Kubectl, mode: str, allow_missing: bool, share: int) -> None:
    chosen = TEMPLATES[::share]
    flags = [] if allow_missing else ["--allow-missing-template-keys=false"]

    def judge(text: str) -> tuple[int, str, str]:
        made = kubectl("get", "cm", "one", *flags, "-o", f"{mode}={text}")
        return made.returncode, made.stdout.decode(errors="replace"), made.stderr.decode(errors="replace")

    with ThreadPoolExecutor(2) as pool:
        judged = list(pool.map(judge, chosen))
    assert sum(code for code, _, _ in judged) > 10
    for text, found in zip(chosen, judged, strict=True):
        if found[2].startswith("panic:"):  # a null or nothing in a range: kubectl dies there
            continue
        assert labsim(text, mode == "jsonpath-as-json", allow_missing) == found, text
