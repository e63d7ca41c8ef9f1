# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in a small subset of Python, translated to C.

On the host, a function in the subset computes the same bits in C as in CPython, where CPython
raises no exception. What could differ is refused, with the line. doc/python.md says what the subset
is.
"""
from __future__ import annotations

from typing import Any, Callable

from .analysis import Analysis
from .emission import emit
from .functions import Functions
from .parameters import array, number
from .reading import Source

__all__ = ["array", "number", "translate"]


def translate(function: Callable[..., Any]) -> str:
    """The C text of a function of Python.

    >>> import op2
    >>> def spread(length: op2.array("f8"), a: op2.array("f8"), b: op2.array("f8")):
    ...     a[0] += 0.5 * length[0]
    ...     b[0] += 0.5 * length[0]
    >>> print(op2.translate(spread))
    void spread(const double *length, double *a, double *b) {
      a[0] += 0.5 * length[0];
      b[0] += 0.5 * length[0];
    }
    """
    source = Source(function)
    return emit(source, Analysis(source, Functions(source.function)).of_kernel())
