"""kubectl runs many Go templates over one object; stdout, stderr and exit code are compared."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from binary import kubectl_path
from gotemplate_cases import OBJECT, TEMPLATES
from mini import serve

from labsim.kube.gotemplate import Template, TemplateError, parse_error

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(kubectl_path() is None, reason="the real kubectl is not here"),
]


def labsim(text: str, allow_missing: bool) -> tuple[int, str, str]:
    try:
        template = Template.parse(text, allow_missing)
    except TemplateError as error:
        return 1, "", f"error: {parse_error(text, error)}\n"
    stdout, error_text = template.output(OBJECT)
    return int(bool(error_text)), stdout, f"error: {error_text}\n" if error_text else ""


@pytest.mark.parametrize(("allow_missing", "share"), [(True, 1), (False, 5)])
def test_templates(tmp_path: Path, allow_missing: bool, share: int) -> None:
    chosen = TEMPLATES[::share]
    flags = [] if allow_missing else ["--allow-missing-template-keys=false"]
    with serve(tmp_path, [OBJECT]) as kubectl:

        def judge(text: str) -> tuple[int, str, str]:
            made = kubectl("get", "cm", "one", *flags, "-o", f"go-template={text}")
            return made.returncode, made.stdout.decode(errors="replace"), made.stderr.decode(errors="replace")

        with ThreadPoolExecutor(2) as pool:
            judged = list(pool.map(judge, chosen))
    assert 0.2 < sum(code for code, _, _ in judged) / len(judged) < 0.8
    for text, found in zip(chosen, judged, strict=True):
        assert labsim(text, allow_missing) == found, text
