"""Chance without an rng: every name, uid and jitter is a hash of (seed, purpose, ...). There is no state to restore."""

from __future__ import annotations

from hashlib import blake2b

# The alphabet of apimachinery's rand.String: no vowels, no look-alikes.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def digest(seed: int, *purpose: object) -> bytes:
    """32 bytes that depend on nothing but the arguments."""
    text = "\x1f".join(str(part) for part in (seed, *purpose))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest()


def suffix(seed: int, *purpose: object, length: int = 5) -> str:
    """A random-looking suffix such as `x2k4p`, in the alphabet Kubernetes uses."""
    raw = digest(seed, "suffix", *purpose)
    return "".join(_ALPHABET[b % len(_ALPHABET)] for b in raw[:length])


def safe_encode(text: str) -> str:
    """rand.SafeEncodeString: maps hash digits to the suffix alphabet (pod-template-hash)."""
    return "".join(_ALPHABET[ord(c) % len(_ALPHABET)] for c in text)


def uid(seed: int, *purpose: object) -> str:
    """A version-4-shaped UUID."""
    raw = bytearray(digest(seed, "uid", *purpose)[:16])
    raw[6] = (raw[6] & 0x0F) | 0x40
    raw[8] = (raw[8] & 0x3F) | 0x80
    h = raw.hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def number(seed: int, low: int, high: int, *purpose: object) -> int:
    """A whole number in [low, high]."""
    return low + int.from_bytes(digest(seed, "number", *purpose)[:8], "big") % (high - low + 1)
