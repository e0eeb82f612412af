"""What a patch is refused for."""

from __future__ import annotations


class PatchError(Exception):
    """A patch that cannot be read or applied. `code` is the HTTP status the API server answers with.

    With 422 the real server keeps the reason to itself and says only `REJECTED`; `str(error)` is that reason, as the
    patch library words it.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code

    @property
    def shown(self) -> str:
        """The message of the API server's Status."""
        return REJECTED if self.code == 422 else str(self)


REJECTED = "the server rejected our request due to an error in our request"
