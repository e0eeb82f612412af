"""The flags that every verb takes (`kubectl options`), and the groups of flags that several verbs share."""

from __future__ import annotations

from labsim.commands.kubectl.flags import Flag

GLOBAL: tuple[Flag, ...] = (
    Flag("as", help="User to act as"),
    Flag("as-group", kind="array", help="Group to act as (may be repeated)", refused=True),
    Flag("as-uid", help="UID to act as", refused=True),
    Flag("as-user-extra", kind="array", help="Extra of the user to act as (may be repeated)", refused=True),
    Flag("cache-dir", default="/root/.kube/cache", help="Where discovery is cached (labsim needs no cache)"),
    Flag("certificate-authority", help="File with the certificate of the authority", refused=True),
    Flag("client-certificate", help="File with a client certificate", refused=True),
    Flag("client-key", help="File with a client key", refused=True),
    Flag("cluster", help="Cluster of the kubeconfig to use"),
    Flag("context", help="Context of the kubeconfig to use"),
    Flag("disable-compression", kind="bool", help="Ask for uncompressed answers (no difference in labsim)"),
    Flag("insecure-skip-tls-verify", kind="bool", help="Do not check the server's certificate", refused=True),
    Flag("kubeconfig", help="The kubeconfig file to use"),
    Flag("kuberc", help="The kuberc file to use", refused=True),
    Flag("log-flush-frequency", kind="duration", default=5000, shown="5s", help="How often logs are flushed"),
    Flag("match-server-version", kind="bool", help="Refuse to work with a server of another version"),
    Flag("namespace", "n", help="Namespace of this request"),
    Flag("password", help="Password for basic authentication", refused=True),
    Flag("profile", default="none", help="Profile to capture", refused=True),
    Flag("profile-output", default="profile.pprof", help="File for the profile", refused=True),
    Flag("request-timeout", default="0", help="How long one request may take; 0 is for ever"),
    Flag("server", "s", help="Address of the API server", refused=True),
    Flag("tls-server-name", help="Name to check the server's certificate for", refused=True),
    Flag("token", help="Bearer token", refused=True),
    Flag("user", help="User of the kubeconfig to use"),
    Flag("username", help="User name for basic authentication", refused=True),
    Flag("v", "v", kind="int", help="Log level (labsim has no client log: refused above 5)"),
    Flag("vmodule", kind="string", help="Log levels by file", shown=":", refused=True),
    Flag("warnings-as-errors", kind="bool", help="Exit with 1 when the server warned"),
)

HELP = Flag("help", "h", kind="bool", help="Help for this command")

SELECTOR = Flag("selector", "l", help="Label query: =, ==, !=, in, notin, exists; comma means and")
FIELD_SELECTOR = Flag("field-selector", help="Field query: =, ==, !=; what fields exist depends on the kind")
ALL_NAMESPACES = Flag("all-namespaces", "A", kind="bool", help="Look in all namespaces")
FILENAME = (
    Flag("filename", "f", kind="slice", shown="[]", help="File or directory that names the objects; - is stdin"),
    Flag("kustomize", "k", help="Kustomization directory; cannot be used with -f or -R"),
    Flag("recursive", "R", kind="bool", help="Read directories of -f with all below them"),
)
OUTPUT = (
    Flag(
        "output",
        "o",
        help="json, yaml, kyaml, name, jsonpath=, jsonpath-as-json=, jsonpath-file=, go-template=, go-template-file=",
    ),
    Flag("template", help="Template, or its file, for the template formats"),
    Flag("allow-missing-template-keys", kind="bool", default=True, help="A missing key in a template is no error"),
    Flag("show-managed-fields", kind="bool", help="Keep managedFields in JSON and YAML"),
)
CHUNK_SIZE = Flag("chunk-size", kind="int", default=500, help="Size of the pieces of a long list; 0 for one piece")
