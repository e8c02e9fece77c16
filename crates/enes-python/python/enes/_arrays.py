"""Arrays of other libraries as NumPy's: by DLPack where they have it, so that memory is shared and not copied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Memory that the processor reads, by DLPack's numbers: its own, memory pinned for CUDA and for ROCm, CUDA's managed memory.
READABLE = (1, 3, 11, 13)

DEVICES = {2: "a CUDA device", 4: "an OpenCL device", 7: "a Vulkan device", 8: "a Metal device", 10: "a ROCm device"}


class Unreadable(TypeError):
    """Another library's array whose numbers NumPy does not get; the message is whole."""


def as_numpy(name: str, value: Any) -> NDArray[Any]:
    """An array of whatever type its numbers have; it shares memory wherever the two libraries can.

    What `value` is called in a refusal is `name`. Only arrays of other libraries are refused here.
    """
    if is_foreign(value):
        return _received(name, value)
    if isinstance(value, (list, tuple)) and any(map(is_foreign, value)):
        return np.array([_received(name, entry) if is_foreign(entry) else entry for entry in value])
    return np.asarray(value)


def is_foreign(value: Any) -> bool:
    """Whether another library's array has to be asked for its memory."""
    return hasattr(type(value), "__dlpack__") and not isinstance(value, np.ndarray)


def local(name: str, value: Any) -> Any:
    """A single number as it is, unless it is in an array of another library."""
    if not is_foreign(value):
        return value
    try:
        return float(value)  # the library's own way, from any device
    except (TypeError, ValueError, RuntimeError):
        return _received(name, value)


def _received(name: str, value: Any) -> NDArray[Any]:
    device = _device(value)
    readable = device is None or device[0] in READABLE
    try:
        # An array that lies elsewhere may still be made NumPy's by itself, by a copy: JAX does, PyTorch and CuPy refuse.
        return np.from_dlpack(value) if readable else _copied(value)
    except Exception as error:
        if not readable:
            raise Unreadable(_elsewhere(name, device)) from error
        refused = error
    try:
        return _copied(value)
    except Exception:
        # For example "Can't export tensors that require gradient, use tensor.detach()", or a type that NumPy has not.
        raise Unreadable(
            f"{name} cannot be read as an array: {refused}; give float64 or float32 numbers without a gradient "
            "(PyTorch: .detach().float())"
        ) from None


def _device(value: Any) -> tuple[int, int] | None:
    try:
        kind, number = value.__dlpack_device__()
        return int(kind), int(number)
    except Exception:  # none, or an exchange that is not allowed: the exchange itself says why
        return None


def _copied(value: Any) -> NDArray[Any]:
    if not hasattr(type(value), "__array__"):
        raise TypeError("there is no way to NumPy")
    return np.asarray(value)


def _elsewhere(name: str, device: tuple[int, int] | None) -> str:
    kind, number = device or (0, 0)
    where = DEVICES.get(kind, f"a device of DLPack's type {kind}")
    return (
        f"{name} must be in the processor's memory, and is on {where} (number {number}): copy it first, "
        "with PyTorch .cpu(), with JAX jax.device_get(array), with CuPy .get()"
    )
