"""The API server: decode, default, admit, validate, store, answer. The one door to the store.

Every method takes the caller's identity first. Bodies are plain dicts; replies are stored objects, never to be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from labsim.kube import errors
from labsim.kube.metadata import validate_metadata, validate_metadata_update
from labsim.kube.objects import Object, merge_in, meta, name_of, set_in
from labsim.kube.scheme import Resource, Scheme
from labsim.kube.selectors import parse_field, parse_label
from labsim.kube.store import Store
from labsim.kube.strategy import Request, Strategy
from labsim.sim import names
from labsim.sim.clock import parse_time, rfc3339

if TYPE_CHECKING:
    from labsim.kube.admission import Plugin

# Identities that may see the hidden groups: controllers, kubelets and operators, never a learner or API client.
INTERNAL_PREFIX = "system:"

Objects = list[Object]
Errors = list[errors.FieldError]
Warnings = list[str]


class APIServer:
    """`schema` (labsim.kube.schema.Schema) does strict decoding; `admission` runs in order."""

    def __init__(self, store: Store, seed: int, *, admission: Sequence[Plugin] = ()) -> None:
        self.store, self.seed = store, seed
        self.scheme = Scheme()
        self.strategies: dict[str, Strategy] = {}
        self.admission = [*admission]

    def install(self, strategy: Strategy) -> None:
        """Serve a kind. Called for every built-in at start and for custom resources when their CRD is accepted."""
        self.scheme.add(strategy.resource)
        self.strategies[strategy.resource.key] = strategy
        if strategy.on_change is not None:
            self.store.observers[strategy.resource.key] = strategy.on_change
        for name, index in strategy.indexes.items():
            self.store.add_index(strategy.resource.key, name, index)

    def uninstall(self, key: str) -> None:
        """Serve a custom resource no longer."""
        self.scheme.remove(key)
        del self.strategies[key]

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

    def served(self, user: str, resource: str, verb: str) -> Strategy:
        """The strategy of a resource that offers `verb`. Raises 404 or 405."""
        strategy = self.strategies[self.resource(user, resource).key]
        if verb not in strategy.resource.verbs:
            raise errors.method_not_allowed()
        return strategy

    def get(self, user: str, resource: str, name: str, namespace: str = "") -> Object:
        strategy = self.served(user, resource, "get")
        res = strategy.resource
        scope = namespace if res.namespaced else ""
        computed = strategy.computed(self, scope)
        if computed is not None:
            for obj in computed:
                if name_of(obj) == name:
                    return obj
            raise errors.not_found(res.plural, name, res.group)
        return strategy.render(self.stored(strategy, scope, name), self)

    def stored(self, strategy: Strategy, scope: str, name: str) -> Object:
        """The object as it is kept. Raises 404."""
        obj = self.store.get(strategy.storage, scope, name)
        if obj is None:
            raise errors.not_found(strategy.resource.plural, name, strategy.resource.group)
        return obj

    def list(
        self, user: str, resource: str, namespace: str = "", *, label_selector: str = "", field_selector: str = ""
    ) -> Objects:
        """Objects in the order of namespace and name. Uses indexes where the selectors allow it."""
        strategy = self.served(user, resource, "list")
        match = self.matcher(strategy.resource.key, label_selector, field_selector)
        scope = namespace if strategy.resource.namespaced else ""
        computed = strategy.computed(self, scope)
        if computed is not None:
            return [obj for obj in computed if match(obj)]
        found = self._candidates(strategy, scope, label_selector, field_selector)
        if strategy.storage != strategy.resource.key:
            return [shown for obj in found if match(shown := strategy.render(obj, self))]
        return [strategy.render(obj, self) for obj in found if match(obj)]

    def table(
        self, user: str, resource: str, objects: Objects, *, include: str = "Metadata", version: str = ""
    ) -> Object:
        """Objects of one resource as a meta.k8s.io/v1 Table; `include` is includeObject."""
        from labsim.kube.tables.wire import table

        strategy = self.strategies[self.resource(user, resource).key]
        return table(strategy, objects, self.now, include=include, version=version)

    def _candidates(self, strategy: Strategy, namespace: str, labels: str, fields: str) -> Objects:
        """The smallest indexed superset of a selection."""
        key = strategy.storage
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
        res = strategy.resource
        shown = f"{res.api_version if res.group else '/' + res.version}, Resource={res.plural}"
        selection = (
            f'Unable to find "{shown}" that match label selector "{label_selector}", field selector "{field_selector}"'
        )
        try:
            labels = parse_label(label_selector)
            fields = parse_field(field_selector).requirements
        except ValueError as error:
            raise errors.bad_request(f"{selection}: {error}") from None
        for path, _, _ in fields:
            if strategy.field_value({"metadata": {}}, path) is None:
                raise errors.bad_request(f"{selection}: field label not supported: {path}")

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
        warnings: Warnings | None = None,
    ) -> Object:
        """Create and return the stored object; reviews (subject access and the like) are answered, not stored."""
        strategy = self.served(user, resource, "create")
        res = strategy.resource
        request = Request(self, user, dry_run=dry_run, warnings=warnings if warnings is not None else [])
        obj = self._decode(res, obj, field_validation, request)
        if strategy.storage != res.key:
            stored = self.create(user, strategy.storage, strategy.to_stored(obj), namespace, dry_run=dry_run)
            return strategy.render(stored, self)
        metadata = dict(meta(obj))
        namespace = self._place(res, metadata, namespace)
        answer = strategy.answer({**obj, "metadata": metadata}, request)
        if answer is not None:
            return answer
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = self._generate_name(res, namespace, str(metadata["generateName"]))
        for key in _SET_BY_SERVER:
            metadata.pop(key, None)
        purpose = (res.key, namespace, self.store.journal.revision)
        metadata["uid"] = names.uid(self.seed, *purpose, metadata.get("name", ""))
        metadata["creationTimestamp"] = rfc3339(self.now)
        if strategy.has_generation:
            metadata["generation"] = 1
        obj = strategy.prepare_create(strategy.default({**obj, "metadata": _without_empty(metadata)}), request)
        for plugin in self.admission:
            obj = plugin.admit(strategy, obj, None, request)
        name = name_of(obj)
        found = validate_metadata(obj, strategy) + strategy.validate(obj, request)
        if found:
            raise errors.invalid(res.kind, name or str(metadata.get("generateName", "")), found, res.group)
        for plugin in self.admission:
            plugin.validate(strategy, obj, None, request)
        if self.store.get(res.key, namespace, name) is not None:
            raise errors.already_exists(res.plural, name, res.group)
        request.warnings.extend(strategy.warn(obj, None))
        if dry_run:
            return obj
        stored = self.store.put(user, res.key, namespace, name, obj)
        strategy.after_create(stored, request)
        return strategy.render(stored, self)

    @staticmethod
    def _place(res: Resource, metadata: Object, namespace: str) -> str:
        """Settle the namespace of a new object, in its metadata too."""
        if not res.namespaced:
            metadata.pop("namespace", None)
            return ""
        namespace = namespace or str(metadata.get("namespace") or "default")
        if (metadata.get("namespace") or namespace) != namespace:
            raise errors.bad_request(
                "the namespace of the provided object does not match the namespace sent on the request"
            )
        metadata["namespace"] = namespace
        return namespace

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
        warnings: Warnings | None = None,
    ) -> Object:
        """Replace. A resourceVersion in the body must be the stored one; the namespace may be left to the URL."""
        strategy = self.served(user, resource, "update")
        res = strategy.resource
        request = Request(self, user, subresource, dry_run, warnings if warnings is not None else [], updating=True)
        obj = self._decode(res, obj, field_validation, request)
        scope = (namespace or str(meta(obj).get("namespace") or "") or "default") if res.namespaced else ""
        if strategy.storage != res.key:
            stored = self.update(user, strategy.storage, strategy.to_stored(obj), scope, dry_run=dry_run)
            return strategy.render(stored, self)
        old = self.store.get(res.key, scope, name_of(obj))
        if old is None and strategy.creates_on_update and not subresource:
            return self.create(user, resource, obj, scope, dry_run=dry_run, warnings=warnings)
        return self._update(strategy, obj, old or self.stored(strategy, scope, name_of(obj)), request)

    def _update(self, strategy: Strategy, obj: Object, old: Object, request: Request) -> Object:
        res = strategy.resource
        name, namespace = name_of(old), str(meta(old).get("namespace", ""))
        metadata = dict(meta(obj))
        version = metadata.get("resourceVersion")
        if version and version != meta(old)["resourceVersion"]:
            raise errors.conflict(res.plural, name, errors.MODIFIED, res.group)
        self._same_uid(res, old, metadata.get("uid"))
        for kept in _KEPT_BY_SERVER:
            if kept in meta(old):
                metadata[kept] = meta(old)[kept]
            else:
                metadata.pop(kept, None)
        new = {**obj, "apiVersion": res.api_version, "kind": res.kind, "metadata": _without_empty(metadata)}
        new = strategy.prepare_update(strategy.default(new), old, request)
        for plugin in self.admission:
            new = plugin.admit(strategy, new, old, request)
        if strategy.has_generation and _desired(new) != _desired(old):
            new = set_in(new, ("metadata", "generation"), int(meta(old).get("generation", 0)) + 1)
        if new == old:
            return strategy.render(old, self)
        found = validate_metadata_update(new, old, strategy)
        if request.subresource != "status":
            found += strategy.validate(new, request)
        found += strategy.validate_update(new, old, request)
        if found:
            raise errors.invalid(res.kind, name, found, res.group)
        for plugin in self.admission:
            plugin.validate(strategy, new, old, request)
        request.warnings.extend(strategy.warn(new, old))
        if request.dry_run:
            return new
        stored = self.store.put(request.user, res.key, namespace, name, new)
        if self._last_hold_gone(strategy, new):
            self.store.remove(request.user, res.key, namespace, name)
        return strategy.render(stored, self)

    @staticmethod
    def _last_hold_gone(strategy: Strategy, obj: Object) -> bool:
        """An object that is being deleted has lost its last finalizer and has no grace period left."""
        metadata = meta(obj)
        return bool(
            metadata.get("deletionTimestamp")
            and not metadata.get("finalizers")
            and not int(metadata.get("deletionGracePeriodSeconds") or 0)
            and not strategy.holds(obj)
        )

    @staticmethod
    def _same_uid(res: Resource, old: Object, uid: str | None) -> None:
        if uid and uid != meta(old).get("uid"):
            detail = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {meta(old).get('uid')}"
            raise errors.conflict(res.plural, name_of(old), detail, res.group)

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
        warnings: Warnings | None = None,
        field_manager: str = "",
        force: bool = False,
    ) -> Object:
        """`kind` is json, merge, strategic or apply (server-side). Raises what the real server answers."""
        from labsim.kube.patching import apply_patch

        strategy = self.served(user, resource, "patch")
        res = strategy.resource
        scope = (namespace or "default") if res.namespaced else ""
        request = Request(self, user, subresource, dry_run, warnings if warnings is not None else [], updating=True)
        if kind == "apply" and not subresource and self.store.get(strategy.storage, scope, name) is None:
            body = set_in(patch, ("metadata", "name"), name)
            return self.create(
                user, resource, body, scope, dry_run=dry_run, field_validation=field_validation, warnings=warnings
            )
        old = self.stored(strategy, scope, name)
        shown = strategy.render(old, self) if strategy.storage != res.key else old
        new = apply_patch(kind, shown, patch, res, field_manager=field_manager, force=force)
        new = self._decode(res, new, field_validation, request)
        if name_of(new) != name:
            raise errors.bad_request(
                f"the name of the object ({name_of(new)}) does not match the name on the URL ({name})"
            )
        if strategy.storage != res.key:
            return strategy.render(self.update(user, strategy.storage, strategy.to_stored(new), scope), self)
        return self._update(strategy, new, old, request)

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

        `propagation` is Background, Foreground or Orphan, or empty to keep what an earlier delete asked for;
        the garbage collector does the rest.
        """
        strategy = self.served(user, resource, "delete")
        res = strategy.resource
        scope = (namespace or "default") if res.namespaced else ""
        old = self.stored(strategy, scope, name)
        self._same_uid(res, old, (preconditions or {}).get("uid"))
        version = (preconditions or {}).get("resourceVersion")
        if version and version != meta(old)["resourceVersion"]:
            detail = (
                f"Precondition failed: ResourceVersion in precondition: {version}, "
                f"ResourceVersion in object meta: {meta(old)['resourceVersion']}"
            )
            raise errors.conflict(res.plural, name, detail, res.group)
        request = Request(self, user, dry_run=dry_run)
        for plugin in self.admission:
            plugin.validate(strategy, None, old, request)
        if dry_run:
            return old
        grace = strategy.delete_grace(old, grace_seconds)
        finalizers = list(meta(old).get("finalizers") or ())
        if propagation:
            finalizers = [f for f in finalizers if f not in _PROPAGATION.values()]
            finalizers += [_PROPAGATION[propagation]] if propagation in _PROPAGATION else []
        if not finalizers and grace == 0 and not strategy.holds(old):
            self.store.remove(user, strategy.storage, scope, name)
            return old
        shown = meta(old).get("deletionTimestamp")
        before = int(meta(old).get("deletionGracePeriodSeconds") or 0)
        if shown and (grace_seconds is None or grace >= before):
            grace = before  # a second delete may only shorten the grace period
        # deletionTimestamp is when the grace period ends; a shorter one brings it forward.
        began = parse_time(shown) - before * 1000 if shown else self.now
        changes = {
            "deletionTimestamp": rfc3339(began + grace * 1000),
            "deletionGracePeriodSeconds": grace,
            "finalizers": finalizers or None,
        }
        new = strategy.deleting(merge_in(old, ("metadata",), changes))
        if new == old:
            return old
        if int(meta(old).get("generation") or 0) and not shown:
            new = set_in(new, ("metadata", "generation"), int(meta(old)["generation"]) + 1)
        return self.store.put(user, strategy.storage, scope, name, new)

    def delete_collection(
        self,
        user: str,
        resource: str,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        grace_seconds: int | None = None,
        propagation: str = "",
        dry_run: bool = False,
    ) -> Objects:
        """Delete each object of a selection; one that vanishes meanwhile is no error. Returns what each delete did."""
        strategy = self.served(user, resource, "deletecollection")
        found = self.list(user, resource, namespace, label_selector=label_selector, field_selector=field_selector)
        deleted = []
        for obj in found:
            at = (name_of(obj), str(meta(obj).get("namespace", "")))
            if self.store.get(strategy.storage, at[1], at[0]) is not None:
                deleted.append(
                    self.delete(
                        user, resource, *at, grace_seconds=grace_seconds, propagation=propagation, dry_run=dry_run
                    )
                )
        return deleted


_PROPAGATION = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}
_SET_BY_SERVER = (
    "resourceVersion",
    "selfLink",
    "managedFields",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
)
_KEPT_BY_SERVER = (
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
    "managedFields",
)


def _without_empty(metadata: Object) -> Object:
    """Empty maps and lists of metadata are not kept (omitempty)."""
    lists = ("labels", "annotations", "finalizers", "ownerReferences")
    return {k: v for k, v in metadata.items() if v or k not in lists}


def _desired(obj: Object) -> Object:
    """All but metadata and status: what metadata.generation counts changes of."""
    return {k: v for k, v in obj.items() if k not in ("metadata", "status")}
