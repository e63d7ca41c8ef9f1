# SPDX-License-Identifier: BSD-3-Clause
"""The enumerations of the library.

>>> import op2
>>> op2.READ
<Access.READ: 1>
"""
from __future__ import annotations

from enum import IntEnum

from ._native import lib


class Access(IntEnum):
    """How a kernel uses an argument."""

    READ = lib.OP2_READ
    WRITE = lib.OP2_WRITE
    RW = lib.OP2_RW
    INC = lib.OP2_INC
    MIN = lib.OP2_MIN
    MAX = lib.OP2_MAX


class Norm(IntEnum):
    """A norm of a dat, global or matrix. Of dats and globals FROBENIUS is the same as TWO; matrices
    have neither ONE nor TWO."""

    ONE = lib.OP2_NORM_1
    TWO = lib.OP2_NORM_2
    INF = lib.OP2_NORM_INF
    FROBENIUS = lib.OP2_NORM_FROBENIUS


class Side(IntEnum):
    """What Mat.drop() leaves out."""

    ROWS = lib.OP2_ROWS
    COLUMNS = lib.OP2_COLUMNS
    ROWS_AND_COLUMNS = lib.OP2_ROWS_AND_COLUMNS


class DataState(IntEnum):
    """The place of the values of a dat or global."""

    DEVICE_UNALLOCATED = lib.OP2_STATE_DEVICE_UNALLOCATED
    HOST_UNALLOCATED = lib.OP2_STATE_HOST_UNALLOCATED
    DEVICE = lib.OP2_STATE_DEVICE
    HOST = lib.OP2_STATE_HOST
    BOTH = lib.OP2_STATE_BOTH
    SPLIT = lib.OP2_STATE_SPLIT


class Place(IntEnum):
    """A place for values."""

    HOST = lib.OP2_PLACE_HOST
    DEVICE = lib.OP2_PLACE_DEVICE


class PartitionMethod(IntEnum):
    """How Context.partition() chooses the owners of elements."""

    BLOCKS = lib.OP2_PARTITION_BLOCKS
    COORDINATES = lib.OP2_PARTITION_COORDINATES
    GIVEN = lib.OP2_PARTITION_GIVEN
    KWAY = lib.OP2_PARTITION_KWAY


class Reason(IntEnum):
    """The reason why a solve has ended; values below 0 are failures."""

    NOT_SOLVED = lib.OP2_NOT_SOLVED
    CONVERGED_RTOL = lib.OP2_CONVERGED_RTOL
    CONVERGED_ATOL = lib.OP2_CONVERGED_ATOL
    CONVERGED_OTHER = lib.OP2_CONVERGED_OTHER
    DIVERGED_ITERATIONS = lib.OP2_DIVERGED_ITERATIONS
    DIVERGED_DTOL = lib.OP2_DIVERGED_DTOL
    DIVERGED_NAN = lib.OP2_DIVERGED_NAN
    DIVERGED_INDEFINITE = lib.OP2_DIVERGED_INDEFINITE
    DIVERGED_BREAKDOWN = lib.OP2_DIVERGED_BREAKDOWN
    DIVERGED_PRECONDITIONER = lib.OP2_DIVERGED_PRECONDITIONER
    DIVERGED_OTHER = lib.OP2_DIVERGED_OTHER
    SOLVE_CANCELLED = lib.OP2_SOLVE_CANCELLED
    SOLVE_FAILED = lib.OP2_SOLVE_FAILED


READ, WRITE, RW = Access.READ, Access.WRITE, Access.RW
INC, MIN, MAX = Access.INC, Access.MIN, Access.MAX

#: Take all slots of a map: the kernel gets an array of pointers.
ALL: int = lib.OP2_ALL
#: Take all slots of a map: the kernel gets one private buffer with arity * dim values.
PACKED: int = lib.OP2_PACKED


def ITER(space: int) -> int:
    """All slots in one private buffer, as all such arguments of an index space (0 or 1)."""
    return lib.op2_python_iter(space)
