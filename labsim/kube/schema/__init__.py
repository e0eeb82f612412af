"""The API's types: fields, required ones, merge keys and descriptions, for built-in kinds and for CRDs.

The built-in kinds come from `openapi-1.35.json.gz`, cut by tools/cut_schema.py from the published OpenAPI document.
"""

from labsim.kube.schema.decode import prune, strict_errors, strict_message, type_errors
from labsim.kube.schema.model import FieldMeta, Schema, TypeRef, load

__all__ = ["FieldMeta", "Schema", "TypeRef", "load", "prune", "strict_errors", "strict_message", "type_errors"]
