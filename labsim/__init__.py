"""labsim: a simulated GPU cluster in a terminal, with tickets graded by results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Lab", "__version__"]

if TYPE_CHECKING:
    from labsim.lab import Lab as Lab


def __getattr__(name: str) -> Any:
    # `from labsim import Lab` must not make `import labsim` heavy (PEP 562).
    if name == "Lab":
        from labsim.lab import Lab

        return Lab
    raise AttributeError(f"module 'labsim' has no attribute {name!r}")
