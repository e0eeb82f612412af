"""What kubectl says when something fails: API Status answers and its own errors (kubectl.md 4.8, 4.9)."""

from __future__ import annotations

from collections.abc import Iterable

from labsim.kube.errors import ApiError


class Failure(Exception):
    """Ends a verb: `error: TEXT` on stderr (unless it begins otherwise), exit code `code`.

    `shown` is what had been printed when it happened; it still goes to stdout.
    """

    def __init__(self, text: str, code: int = 1, *, prefix: bool = True, shown: str = "") -> None:
        super().__init__(text)
        self.text, self.code, self.prefix, self.shown = text, code, prefix, shown


class Failures(Exception):
    """Several errors at once (utilerrors.Aggregate): one text after another without `error: `, exit 1."""

    def __init__(self, errors: Iterable[Exception]) -> None:
        self.errors = list(errors)
        super().__init__(", ".join(map(str, self.errors)).join("[]" if len(self.errors) > 1 else ("", "")))


class UsageFailure(Failure):
    """A wrong call of the verb at `path`; adds where help is."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{text}\nSee '{path} -h' for help and examples")


class Exit(Exception):
    """End with this code and no further text (all has been said)."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def not_simulated(what: str) -> Failure:
    return Failure(f"labsim: {what} is not simulated", prefix=False)


def standard_text(error: ApiError, prefix: str = "Error from server") -> str:
    """The message of an API error, without `error: `; `prefix` may carry what was being done."""
    if error.code == 422 and error.reason == "Invalid":
        return invalid_text(error)
    if error.code == 401:
        return f"error: You must be logged in to the server ({error.message})"
    if error.reason:
        return f"{prefix} ({error.reason}): {error.message}"
    return f"{prefix}: {error.message}"


def invalid_text(error: ApiError) -> str:
    """`The KIND "NAME" is invalid`, then one cause on the line or several below it."""
    details = error.details
    if not details:
        return f"The request is invalid: {error.message}"
    kind, name, causes = details.get("kind", ""), details.get("name", ""), details.get("causes") or ()
    if kind and name:
        text = f'The {kind} "{name}" is invalid'
    elif kind:
        text = f"The {kind} is invalid"
    elif name:
        text = f'The "{name}" is invalid'
    else:
        text = "The request is invalid"
    found: list[str] = []
    for cause in causes:
        line = f"{cause['field']}: {cause['message']}" if cause.get("field") else str(cause.get("message", ""))
        if line not in found:
            found.append(line)
    if len(found) == 1:
        return f"{text}: {found[0]}"
    if found:
        return f"{text}: \n" + "\n".join(f"* {line}" for line in found)
    return f"{text}: {error.message}" if error.message else text


def with_context(error: ApiError, text: str) -> ApiError:
    """The same error with `text: ` before its message (`error when creating "f"`), as cmdutil.AddSourceToErr does."""
    return ApiError(error.code, error.reason, f"{text}: {error.message}", error.details)


def texts(error: Exception) -> list[str]:
    """All lines for stderr, without newlines at their ends."""
    if isinstance(error, Failures):
        return [texts(inner)[0] if isinstance(inner, ApiError) else str(inner) for inner in error.errors]
    if isinstance(error, ApiError):
        return [standard_text(error)]
    if isinstance(error, Failure) and not error.prefix:
        return [error.text]
    text = error.text if isinstance(error, Failure) else str(error)
    return [text if text.startswith("error: ") else f"error: {text}"]
