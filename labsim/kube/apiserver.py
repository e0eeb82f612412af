"""The API server: decode, default, admit, validate, store, answer. The one door to the store.

Every method takes the caller's identity first. Bodies are plain dicts; replies are stored objects, never to be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from labsim.kube import errors
from labsim.kube.objects import Object, merge_in, meta, name_of, set_in
from labsim.kube.scheme import Resource, Scheme
from labsim.kube.selectors import Selector, parse_field, parse_label
from labsim.kube.store import Store
from labsim.kube.strategy import Request, Strategy
from labsim.sim import names
from labsim.sim.clock import parse_time, rfc3339

# Identities that may see the hidden groups: controllers, kubelets and operators, never a learner or API client.
INTERNAL_PREFIX = "system:"


class Admission(Protocol):
    """An admission plugin. `admit` may return a changed object; `validate` raises ApiError to refuse.

    `old` is None for a create; `new` is None for a delete.
    """

    def admit(self, strategy: Strategy, new: Object, old: Object | None, request: Request) -> Object: ...
    def validate(self, strategy: Strategy, new: Object | None, old: Object | None, request: Request) -> None: ...


class APIServer:
    """`schema` (labsim.kube.schema.Schema) does strict decoding; `admission` runs in order."""

    def __init__(self, store: Store, seed: int, *, admission: Sequence[Admission] = ()) -> None:
        self.store, self.seed = store, seed
        self.scheme = Scheme()
        self.strategies: dict[str, Strategy] = {}
        self.admission: list[Admission] = list(admission)

    def install(self, strategy: Strategy) -> None:
        """Serve a kind. Called for every built-in at start and for custom resources when their CRD is accepted."""
        self.scheme.add(strategy.resource)
        self.strategies[strategy.resource.key] = strategy
        for name, index in strategy.indexes.items():
            self.store.add_index(strategy.resource.key, name, index)

    @property
    def now(self) -> int:
        return self.store.clock.now

    # -- reading -----------------------------------------------------------------------------------------------------

    def resource(self, user: str, resource: str) -> Resource:
        """Resolve a name the caller may see. Raises 404 without naming what is hidden."""
        found = self.scheme.find(resource)
        if found is None or (found.hidden and not user.startswith(INTERNAL_PREFIX)):
            raise errors.no_such_path()
        return found

    def get(self, user: str, resource: str, name: str, namespace: str = "") -> Object:
        res = self.resource(user, resource)
        obj = self.store.get(res.key, namespace if res.namespaced else "", name)
        if obj is None:
            raise errors.not_found(res.plural, name, res.group)
        return self.strategies[res.key].render(obj, self)

    def list(
        self, user: str, resource: str, namespace: str = "", *, label_selector: str = "", field_selector: str = ""
    ) -> list[Object]:
        """Objects in the order of namespace and name. Uses indexes where the selectors allow it."""
        res = self.resource(user, resource)
        strategy = self.strategies[res.key]
        match = self.matcher(res.key, label_selector, field_selector)
        scope = namespace if res.namespaced else ""
        found = self._candidates(strategy, scope, label_selector, field_selector)
        return [strategy.render(obj, self) for obj in found if match(obj)]

    def _candidates(self, strategy: Strategy, namespace: str, labels: str, fields: str) -> list[Object]:
        """The smallest indexed superset of a selection."""
        key = strategy.resource.key
        for path, op, value in parse_field(fields).requirements:
            if op == "=" and path == "metadata.name" and (namespace or not strategy.resource.namespaced):
                obj = self.store.get(key, namespace, value)
                return [] if obj is None else [obj]
            if op == "=" and path in strategy.indexes:
                return self.store.by_index(key, path, value, namespace)
        for label, op, values in parse_label(labels).requirements:
            if op == "in" and len(values) == 1:
                return self.store.by_index(key, "label", f"{label}={values[0]}", namespace)
        return self.store.list(key, namespace)

    def matcher(self, key: str, label_selector: str, field_selector: str) -> Callable[[Object], bool]:
        """A predicate for both selectors. Raises 400 with the server's texts for bad ones."""
        strategy = self.strategies[key]
        try:
            labels: Selector = parse_label(label_selector)
        except ValueError as error:
            raise errors.bad_request(str(error)) from None
        try:
            fields = parse_field(field_selector).requirements
        except ValueError as error:
            raise errors.bad_request(str(error)) from None
        for path, _, _ in fields:
            if strategy.field_value({"metadata": {}}, path) is None:
                raise errors.bad_request(f"field label not supported: {path}")

        def match(obj: Object) -> bool:
            for path, op, value in fields:
                if (strategy.field_value(obj, path) == value) != (op == "="):
                    return False
            return labels.matches(meta(obj).get("labels") or {})

        return match

    # -- writing -----------------------------------------------------------------------------------------------------

    def create(
        self,
        user: str,
        resource: str,
        obj: Object,
        namespace: str = "",
        *,
        dry_run: bool = False,
        field_validation: str = "",
        warnings: list[str] | None = None,
    ) -> Object:
        res = self.resource(user, resource)
        strategy = self.strategies[res.key]
        request = Request(self, user, dry_run=dry_run, warnings=warnings if warnings is not None else [])
        obj = self._decode(res, obj, field_validation, request)
        metadata = dict(meta(obj))
        if res.namespaced:
            if not namespace:
                namespace = str(metadata.get("namespace") or "default")
            if metadata.get("namespace", namespace) != namespace:
                raise errors.bad_request(
                    "the namespace of the provided object does not match the namespace sent on the request"
                )
            metadata["namespace"] = namespace
        else:
            namespace = ""
            metadata.pop("namespace", None)
        purpose = (res.key, namespace, self.store.journal.revision)
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = self._generate_name(res, namespace, str(metadata["generateName"]))
        for server_owned in (
            "resourceVersion",
            "selfLink",
            "managedFields",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
        ):
            metadata.pop(server_owned, None)
        metadata["uid"] = names.uid(self.seed, *purpose, metadata.get("name", ""))
        metadata["creationTimestamp"] = rfc3339(self.now)
        metadata.pop("generation", None)
        if strategy.has_generation:
            metadata["generation"] = 1
        obj = strategy.prepare_create(strategy.default({**obj, "metadata": metadata}), request)
        for plugin in self.admission:
            obj = plugin.admit(strategy, obj, None, request)
        if found := strategy.validate(obj, request):
            raise errors.invalid(res.kind, name_of(obj), found, res.group)
        for plugin in self.admission:
            plugin.validate(strategy, obj, None, request)
        name = name_of(obj)
        if self.store.get(res.key, namespace, name) is not None:
            raise errors.already_exists(res.plural, name, res.group)
        if dry_run:
            return obj
        stored = self.store.put(user, res.key, namespace, name, obj)
        strategy.after_create(stored, request)
        return self.strategies[res.key].render(stored, self)

    def _generate_name(self, res: Resource, namespace: str, prefix: str) -> str:
        """rand.String(5) after the prefix (cut to 58), tried again while taken."""
        prefix = prefix[:58]
        for attempt in range(100):
            name = prefix + names.suffix(self.seed, res.key, namespace, prefix, self.store.journal.revision, attempt)
            if self.store.get(res.key, namespace, name) is None:
                return name
        raise errors.already_exists(res.plural, name, res.group)

    def update(
        self,
        user: str,
        resource: str,
        obj: Object,
        namespace: str = "",
        *,
        subresource: str = "",
        dry_run: bool = False,
        field_validation: str = "",
        warnings: list[str] | None = None,
    ) -> Object:
        """Replace. A resourceVersion in the body must be the stored one; the namespace may be left to the URL."""
        res = self.resource(user, resource)
        request = Request(self, user, subresource, dry_run, warnings if warnings is not None else [])
        obj = self._decode(res, obj, field_validation, request)
        name = name_of(obj)
        scope = (namespace or str(meta(obj).get("namespace", "")) or "default") if res.namespaced else ""
        old = self.store.get(res.key, scope, name)
        if old is None:
            raise errors.not_found(res.plural, name, res.group)
        return self._update(res, obj, old, request)

    def _update(self, res: Resource, obj: Object, old: Object, request: Request) -> Object:
        strategy = self.strategies[res.key]
        name, namespace = name_of(old), str(meta(old).get("namespace", ""))
        metadata = dict(meta(obj))
        version = metadata.get("resourceVersion")
        if version and version != meta(old)["resourceVersion"]:
            raise errors.conflict(res.plural, name, errors.MODIFIED, res.group)
        if metadata.get("uid", meta(old).get("uid")) != meta(old).get("uid"):
            detail = (
                f"Precondition failed: UID in precondition: {metadata['uid']}, UID in object meta: {meta(old)['uid']}"
            )
            raise errors.conflict(res.plural, name, detail, res.group)
        for kept in (
            "name",
            "namespace",
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "resourceVersion",
            "generateName",
            "selfLink",
        ):
            if kept in meta(old):
                metadata[kept] = meta(old)[kept]
            else:
                metadata.pop(kept, None)
        metadata.pop("managedFields", None)
        for empty in ("labels", "annotations", "finalizers", "ownerReferences"):
            if empty in metadata and not metadata[empty]:
                del metadata[empty]
        new = {**obj, "apiVersion": res.api_version, "kind": res.kind, "metadata": metadata}
        new = strategy.prepare_update(strategy.default(new), old, request)
        for plugin in self.admission:
            new = plugin.admit(strategy, new, old, request)
        if strategy.has_generation and _desired(new) != _desired(old):
            new = set_in(new, ("metadata", "generation"), int(meta(old).get("generation", 0)) + 1)
        found = strategy.validate(new, request) + strategy.validate_update(new, old, request)
        if found:
            raise errors.invalid(res.kind, name, found, res.group)
        for plugin in self.admission:
            plugin.validate(strategy, new, old, request)
        if new == old:
            return strategy.render(old, self)
        if request.dry_run:
            return new
        if meta(new).get("deletionTimestamp") and not meta(new).get("finalizers") and not self._graceful(new):
            # The last finalizer was taken off an object that is being deleted.
            self.store.put(request.user, res.key, namespace, name, new)
            self.store.remove(request.user, res.key, namespace, name)
            return new
        return strategy.render(self.store.put(request.user, res.key, namespace, name, new), self)

    @staticmethod
    def _graceful(obj: Object) -> bool:
        return int(meta(obj).get("deletionGracePeriodSeconds") or 0) > 0

    def patch(
        self,
        user: str,
        resource: str,
        name: str,
        patch: Any,
        kind: str,
        namespace: str = "",
        *,
        subresource: str = "",
        dry_run: bool = False,
        field_validation: str = "",
        warnings: list[str] | None = None,
        field_manager: str = "",
        force: bool = False,
    ) -> Object:
        """`kind` is json, merge, strategic or apply (server-side). Raises what the real server answers."""
        from labsim.kube.patching import apply_patch

        res = self.resource(user, resource)
        scope = (namespace or "default") if res.namespaced else ""
        request = Request(self, user, subresource, dry_run, warnings if warnings is not None else [])
        old = self.store.get(res.key, scope, name)
        if old is None:
            if kind == "apply" and not subresource:
                body = set_in(patch, ("metadata", "name"), name)
                return self.create(
                    user, resource, body, scope, dry_run=dry_run, field_validation=field_validation, warnings=warnings
                )
            raise errors.not_found(res.plural, name, res.group)
        new = apply_patch(kind, old, patch, res, field_manager=field_manager, force=force)
        new = self._decode(res, new, field_validation, request)
        if str(meta(new).get("name", name)) != name:
            raise errors.bad_request(
                f"the name of the object ({name_of(new)}) does not match the name on the URL ({name})"
            )
        return self._update(res, new, old, request)

    def _decode(self, res: Resource, obj: Any, field_validation: str, request: Request) -> Object:
        from labsim.kube.decoding import decode

        return decode(res, obj, field_validation, request)

    # -- deleting ----------------------------------------------------------------------------------------------------

    def delete(
        self,
        user: str,
        resource: str,
        name: str,
        namespace: str = "",
        *,
        grace_seconds: int | None = None,
        propagation: str = "",
        dry_run: bool = False,
        preconditions: Object | None = None,
    ) -> Object:
        """Delete or begin to delete. Returns the object as it is then (gone objects: their last state).

        `propagation` is Background (default), Foreground or Orphan; the garbage collector does the rest.
        """
        res = self.resource(user, resource)
        strategy = self.strategies[res.key]
        scope = (namespace or "default") if res.namespaced else ""
        old = self.store.get(res.key, scope, name)
        if old is None:
            raise errors.not_found(res.plural, name, res.group)
        uid = (preconditions or {}).get("uid")
        if uid and uid != meta(old)["uid"]:
            detail = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {meta(old)['uid']}"
            raise errors.conflict(res.plural, name, detail, res.group)
        request = Request(self, user, dry_run=dry_run)
        for plugin in self.admission:
            plugin.validate(strategy, None, old, request)
        if dry_run:
            return old
        grace = strategy.delete_grace(old, grace_seconds)
        finalizers = [f for f in meta(old).get("finalizers") or () if f not in ("foregroundDeletion", "orphan")]
        wanted = {"Foreground": ["foregroundDeletion"], "Orphan": ["orphan"]}.get(propagation, [])
        finalizers += wanted
        if not finalizers and grace == 0:
            self.store.remove(user, res.key, scope, name)
            return old
        shown = meta(old).get("deletionTimestamp")
        before = meta(old).get("deletionGracePeriodSeconds")
        if shown and before is not None and grace >= int(before) and finalizers == (meta(old).get("finalizers") or []):
            return old  # a second delete cannot lengthen the grace period
        # deletionTimestamp is when the grace period ends; a shorter one brings it forward.
        began = parse_time(shown) - int(before or 0) * 1000 if shown else self.now
        changes = {
            "deletionTimestamp": rfc3339(began + grace * 1000),
            "deletionGracePeriodSeconds": grace,
            "finalizers": finalizers or None,
        }
        new = merge_in(old, ("metadata",), changes)
        if strategy.has_generation and not shown:
            new = set_in(new, ("metadata", "generation"), int(meta(old).get("generation", 0)) + 1)
        return self.store.put(user, res.key, scope, name, new)


def _desired(obj: Object) -> Object:
    """All but metadata and status: what metadata.generation counts changes of."""
    return {k: v for k, v in obj.items() if k not in ("metadata", "status")}
