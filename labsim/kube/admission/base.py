"""What an admission plugin is."""

from __future__ import annotations

from labsim.kube import errors
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, meta, name_of
from labsim.kube.strategy import Request, Strategy


class Plugin:
    """`admit` may return a changed object; `validate` raises ApiError to refuse. `old` is None for a create, `new` for
    a delete."""

    def admit(self, strategy: Strategy, new: Object, old: Object | None, request: Request) -> Object:
        return new

    def validate(self, strategy: Strategy, new: Object | None, old: Object | None, request: Request) -> None:
        return None


def refused(strategy: Strategy, obj: Object, detail: str) -> ApiError:
    """403 as a plugin gives it: `pods "x" is forbidden: DETAIL`."""
    name = name_of(obj) or str(meta(obj).get("generateName", ""))
    return errors.forbidden(strategy.resource.plural, name, detail, strategy.resource.group)
