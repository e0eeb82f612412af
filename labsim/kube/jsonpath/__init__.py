"""kubectl's JSONPath templates: `{.metadata.name}{"\\n"}`, range/end, filters, unions, slices (kubectl.md 6).

A template is a row of texts and actions; each action gives a list of values. Errors are JSONPathError with the words of
client-go; what kubectl puts round them is `parse_error` and `run_error`.
"""

from labsim.kube.jsonpath.nodes import JSONPathError
from labsim.kube.jsonpath.template import Template, parse_error, relaxed, run_error

__all__ = ["JSONPathError", "Template", "parse_error", "relaxed", "run_error"]
