"""The program kubectl, imitating 1.35.2. One verb a file; nothing of a verb is imported before its first call.

Where things are
  main.py          `main(ctx) -> int` (the program) and `complete(ctx, words, index)` (candidates for Tab)
  registry.py      every command of `kubectl --help`: its summary, and whether labsim plays it or refuses it
  verbs/X.py       one command; `rollout status` is verbs/rollout_status.py (dashes become underscores)
  flags.py         pflag: `Flag`, `parse`, `Values`;  global_flags.py  flags of all verbs, shared groups of flags
  session.py       `Kubectl`: what a verb is given;  config.py  the kubeconfig file
  mapping.py       type words -> Resource;  builder.py  `type/name`, `-l`, `-f` ... -> `Info`s
  printers/        `-o` in all its forms, tables;  describers/  one file a kind
  errors.py        `Failure` and the texts for API errors;  help.py  `--help`;  dispatch.py  finds the command

A verb file defines
  USAGE: str                  the line under "Usage:", without "kubectl "
  ABOUT: str                  what it does, in own words
  EXAMPLES: str               lines for "Examples:" ("  # text" / "  kubectl ..."), may be ""
  SPEC: tuple[Flag, ...]      its own flags; a flag with refused=True answers "not simulated" and exits 1
  ALIASES: tuple[str, ...]    optional
  run(kubectl: Kubectl) -> int   the exit code

What `run` uses
  kubectl.args, kubectl.dash            arguments; how many stood before `--` (-1: there was none)
  kubectl.flags["name"], kubectl.given("name")   value of a flag; whether it was typed
  kubectl.client, kubectl.namespace, kubectl.namespace_given, kubectl.now()
  kubectl.out(text), kubectl.err(text), kubectl.emit(text)  (emit: seen while waiting), kubectl.warn(server warnings)
  kubectl.ctx.advance(until, timeout_ms), .edit, .ask, .spawn, .fs
  kubectl.resources(...)                a Builder's result (builder.py)
  printers.printer(kubectl)             what `-o` asks for, as a function from an object to text
Raise `Failure("text")` for `error: text` and exit 1; let `ApiError` pass (`Error from server (Reason): text`).
`Failures([...])` carries several. `UsageFailure(kubectl.path, text)` adds "See 'kubectl x -h' for help and examples".
"""
