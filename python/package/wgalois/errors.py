"""The exceptions, one for each kind of the library's errors, with the same words.

All are a :class:`Error`. Wrong input is also a ``ValueError``, a failure of a device a ``RuntimeError``, a lack of
memory a ``MemoryError``, and a file that cannot be read an ``OSError``.
"""

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

__all__ = [
    "CheckError",
    "DeviceError",
    "DeviceLostError",
    "Error",
    "FileError",
    "FormatError",
    "InputError",
    "NoDeviceError",
    "NoSolutionError",
    "NonsenseError",
    "OutOfMemoryError",
    "ShaderError",
    "SingularError",
    "StoppedError",
    "TooLargeError",
    "UsageError",
]


class Error(Exception):
    """An error of wgalois.

    ``kind`` names the fault, such as ``"WrongLength"``, and ``data`` has what is known of it, such as ``expected`` and
    ``found``: the variants and fields of the Rust library's ``Error``. ``kind`` is ``None`` for faults that only the Python
    package finds.
    """

    kind: str | None = None

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.data: dict[str, Any] = {}


class CheckError(Error, RuntimeError):
    """A result failed its verification."""


class NonsenseError(Error, RuntimeError):
    """The device returned values that no correct computation returns."""


class UsageError(Error, ValueError):
    """The call names something that does not exist, or its arguments contradict each other."""


class InputError(Error, ValueError):
    """The input does not fit the task: a value out of range, a modulus that is not prime, shapes that do not match."""


class TooLargeError(Error, MemoryError):
    """An input takes more memory than may be used to read it."""


class FormatError(Error, ValueError):
    """A file, or bytes in a file's format, violate the format."""


class NoDeviceError(Error, RuntimeError):
    """No adapter matches ``device=``."""


class DeviceLostError(Error, RuntimeError):
    """The device was lost. The next call opens its device anew."""


class OutOfMemoryError(Error, MemoryError):
    """The task needs more memory than the device or the host has."""


class DeviceError(Error, RuntimeError):
    """A call to the driver failed."""


class ShaderError(Error, RuntimeError):
    """A shader does not compile."""


class StoppedError(Error, RuntimeError):
    """The work was ended before its answer was known: by a time limit, or because Ctrl-C ended other work of the same
    plan, bases or device array."""


class FileError(Error, OSError):
    """A file cannot be read."""


class SingularError(InputError, LinAlgError):
    """A matrix has no inverse: ``data`` has its ``rank`` and its ``size``, the larger number that the rank should be."""

    kind = "NotInvertible"

    def __init__(self, words: str, rank: int | None = None, size: int | None = None) -> None:
        super().__init__(words if rank is None else f"{words}: the rank is {rank}, less than {size}")
        self.data = {"rank": rank, "size": size}


class NoSolutionError(InputError, LinAlgError):
    """A linear system has no solution.

    ``columns`` has the numbers of the right sides without a solution, 0 for a vector; of many systems, ``systems`` those of the
    systems that have such a right side. ``solutions`` has the form of the result that was wanted, with the solutions of the
    other right sides, and zeros in the columns without one; of many systems, zeros in the systems without one.
    """

    kind = "NoSolution"

    def __init__(self, words: str, columns: Any = None, solutions: Any = None, systems: Any = None) -> None:
        super().__init__(words)
        self.columns: NDArray[np.int64] = np.array([] if columns is None else columns, np.int64)
        self.systems: NDArray[np.int64] = np.array([] if systems is None else systems, np.int64)
        self.solutions = solutions
        self.data = {"columns": self.columns.tolist(), "systems": self.systems.tolist()}
