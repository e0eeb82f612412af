"""`-o go-template`: Go's text/template as kubectl offers it.

All of the language but complex numbers and methods: pipelines, variables, if, with and range with else, break,
continue, define, template, block, comments, trim markers, printf with Go's verbs. Errors are TemplateError with
Go's words.
"""

from labsim.kube.gotemplate.nodes import TemplateError
from labsim.kube.gotemplate.template import Output, Template, parse_error

__all__ = ["Output", "Template", "TemplateError", "parse_error"]
