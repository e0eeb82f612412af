"""--from-literal, --from-file and --from-env-file of `create configmap` and `create secret generic`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

SPEC = (
    Flag("append-hash", kind="bool", help="Add a hash of the data to the name", refused=True),
    Flag("from-literal", kind="array", help="KEY=VALUE; may be repeated"),
    Flag("from-file", kind="slice", help="A file, KEY=FILE, or a directory with all its files; may be repeated"),
    Flag("from-env-file", kind="slice", help="A file with lines of KEY=VALUE; may be repeated"),
)


def read(kubectl: Kubectl, kind: str, name: str) -> dict[str, bytes]:
    """All keys with their content. Raises Failure with kubectl's texts. `kind` is ConfigMap or Secret."""
    flags = kubectl.flags
    if flags["from-env-file"] and (flags["from-file"] or flags["from-literal"]):
        raise Failure("from-env-file cannot be combined with from-file or from-literal")
    found: dict[str, bytes] = {}

    def add(key: str, value: bytes) -> None:
        from labsim.kube.validation import config_map_key

        problems = config_map_key(key)
        if problems:
            what = f" for a {kind}" if kind == "ConfigMap" else " for a Secret"
            raise Failure(f'"{key}" is not valid key name{what} {";".join(problems)}')
        if key in found:
            where = f' in Data for ConfigMap "{name}"' if kind == "ConfigMap" else ""
            shown = f'"{key}"' if kind == "ConfigMap" else key
            raise Failure(f"cannot add key {shown}, another key by that name already exists{where}")
        found[key] = value

    for text in flags["from-literal"] if kind == "Secret" else ():
        add(*_literal(text))
    for source in flags["from-file"]:
        for key, value in _files(kubectl, source):
            add(key, value)
    for text in flags["from-literal"] if kind != "Secret" else ():
        add(*_literal(text))
    for path in flags["from-env-file"]:
        for key, value in _env_file(kubectl, path):
            add(key, value)
    return found


def _literal(text: str) -> tuple[str, bytes]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise Failure(f"invalid literal source {text}, expected key=value")
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return key, value.encode()


def _files(kubectl: Kubectl, source: str) -> list[tuple[str, bytes]]:
    key, equals, path = source.partition("=")
    if equals and (not key or not path):
        missing = "key name" if not key else "file path"
        raise Failure(f"{missing} for {'file path ' + path if not key else 'key ' + key} missing")
    if not equals:
        key, path = source.rstrip("/").rpartition("/")[2], source
    fs = kubectl.ctx.fs
    try:
        if fs.is_dir(path):
            if equals:
                raise Failure("cannot give a key name for a directory path")
            names = [name for name in sorted(fs.listdir(path)) if not fs.is_dir(f"{path.rstrip('/')}/{name}")]
            return [(name, fs.read_bytes(f"{path.rstrip('/')}/{name}")) for name in names]
        return [(key, fs.read_bytes(path))]
    except OSError as error:
        raise Failure(f"error reading {path}: {(error.strerror or '').lower()}") from None


def _env_file(kubectl: Kubectl, path: str) -> list[tuple[str, bytes]]:
    from labsim.kube.validation import env_var_name

    try:
        lines = kubectl.ctx.fs.read_text(path).splitlines()
    except OSError as error:
        raise Failure(f"error reading {path}: {(error.strerror or '').lower()}") from None
    found: list[tuple[str, bytes]] = []
    for line in lines:
        text = line.lstrip()
        if not text or text.startswith("#"):
            continue
        key, equals, value = text.partition("=")
        problems = env_var_name(key)
        if problems:
            raise Failure(f'"{key}" is not a valid key name: {";".join(problems)}')
        found.append((key, value.encode() if equals else kubectl.ctx.env.get(key, "").encode()))
    return found
