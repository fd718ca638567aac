"""Galois-field algebra on any vendor's GPU, and on the CPU.

- :func:`ntt`, :func:`intt`: number-theoretic transforms modulo primes below 2**31
- :func:`polymul`, :func:`convolve`: products of polynomials modulo a prime, or exactly over the integers
- both also over the scalar fields of the curves
- :mod:`wgalois.gf2`: rank, echelon forms, null spaces, solutions, inverses, products over GF(2)
- :mod:`wgalois.mod2`, :mod:`wgalois.galois2`: the names, types and values of ``ldpc.mod2`` and of galois's GF2 arrays
- :mod:`wgalois.boolean`: solutions of polynomial equations over GF(2)
- :func:`msm`, :class:`Bases`: multi-scalar multiplication on BLS12-381, BLS12-377, BN254 and BLS24-315, in G1 and G2
- :class:`Plan`: computations prepared once and run many times
- :func:`asdevice`, :class:`DeviceArray`, :class:`wgalois.gf2.DeviceMatrix`: vectors and matrices that stay on a device
- :func:`devices`: the GPUs that ``device=`` can name

Every function takes ``device=``: "auto" (the default: the device that is expected to finish first, opening included), "cpu",
"gpu" (the first adapter), "all" (all adapters together), a number of :func:`devices` (0 or "0"), numbers with commas between
them, or a part of an adapter's name. A GPU is opened once and stays open.

After a fork (``multiprocessing`` with the method "fork") the CPU engine works in both processes. A GPU that was used before works
in its process only: in the other one "auto" takes the CPU engine, and a GPU that is named is an error, which says to start
processes by ``multiprocessing.get_context("spawn")``. So is all work if another thread was computing at the time of the fork.

Functions release the interpreter's lock, so that other threads run. Ctrl-C raises ``KeyboardInterrupt`` within a twentieth of
a second. The computation ends in the background, on a thread that keeps the memory of its arrays alive: on a GPU with the
work that was submitted; on the CPU engine eliminations, products over GF(2) and batches of transforms end at their next
step, and other work goes on to its end. Until then do not write to its inputs. At the interpreter's exit it is waited for,
at most two seconds.

Errors are the exceptions of :mod:`wgalois.errors`, with the words of the program.
"""

import atexit as _atexit
from importlib.metadata import version as _version

from . import boolean, errors, galois2, gf2, mod2
from ._arrays import prime_value
from ._device_array import DeviceArray, asdevice
from ._msm import Bases, msm
from ._native import devices
from ._native import settle as _settle
from ._ntt import convolve, intt, multiply_ml_kem, ntt, polymul, root_of_unity
from ._plan import Plan
from .errors import Error

__version__ = _version("wgalois")

# Work that Ctrl-C ended may still be in a driver, which the interpreter's exit takes down.
_atexit.register(_settle, 2.0)

__all__ = [
    "Bases",
    "DeviceArray",
    "Error",
    "Plan",
    "asdevice",
    "boolean",
    "convolve",
    "devices",
    "errors",
    "galois2",
    "gf2",
    "intt",
    "mod2",
    "msm",
    "multiply_ml_kem",
    "ntt",
    "polymul",
    "prime_value",
    "root_of_unity",
]
