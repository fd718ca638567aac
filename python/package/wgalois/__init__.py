"""Galois-field algebra on any vendor's GPU, and on the CPU.

- :func:`ntt`, :func:`intt`: number-theoretic transforms modulo primes below 2**31
- :func:`polymul`, :func:`convolve`: products of polynomials modulo a prime, or exactly over the integers
- :mod:`wgalois.gf2`: rank, echelon forms, null spaces, solutions, inverses, products over GF(2)
- :func:`msm`, :class:`Bases`: multi-scalar multiplication on BLS12-381, BLS12-377, BN254 and BLS24-315
- :class:`Plan`: computations prepared once and run many times
- :func:`asdevice`, :class:`DeviceArray`: vectors that stay on a device
- :func:`devices`: the GPUs that ``device=`` can name

Every function takes ``device=``: "auto" (the default: the device that is expected to finish first, opening included), "cpu",
"gpu" (the first adapter), "all" (all adapters together), a number of :func:`devices`, numbers with commas between them, or
a part of an adapter's name. A GPU is opened once and stays open.

Functions release the interpreter's lock, so that other threads run. Ctrl-C raises ``KeyboardInterrupt`` within a twentieth of
a second; the computation itself cannot be cancelled and goes on in the background to its end.

Errors are the exceptions of :mod:`wgalois.errors`, with the words of the program.
"""

from importlib.metadata import version as _version

from . import errors, gf2
from ._arrays import prime_value
from ._device_array import DeviceArray, asdevice
from ._msm import Bases, msm
from ._native import devices
from ._ntt import convolve, intt, ntt, polymul
from ._plan import Plan
from .errors import Error

__version__ = _version("wgalois")

__all__ = [
    "Bases",
    "DeviceArray",
    "Error",
    "Plan",
    "asdevice",
    "convolve",
    "devices",
    "errors",
    "gf2",
    "intt",
    "msm",
    "ntt",
    "polymul",
    "prime_value",
]
