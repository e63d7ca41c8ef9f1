# SPDX-License-Identifier: BSD-3-Clause
"""PyOP2's interface: `from op2 import pyop2 as op2` instead of `from pyop2 import op2`.

doc/from-pyop2.md has every name, and what means something else here.
"""
import logging

from ..enums import INC, MAX, MIN, READ, RW, WRITE, Access
from . import _others, exceptions
from ._configuration import (Configuration, configuration, configure, context, exit, init,
                             initialised)
from .arguments import Arg
from .data import Dat, DatView, MixedDat
from .exceptions import *  # noqa: F401,F403 (the classes that exceptions.__all__ names)
from .loops import (ON_ALL, ON_BOTTOM, ON_INTERIOR_FACETS, ON_TOP, CStringLocalKernel,
                    IterationRegion, Kernel, LegacyParloop, ParLoop, Parloop, PyParLoop, par_loop,
                    parloop)
from .maps import ComposedMap, Map, MixedMap, PermutedMap, i
from .matrices import DEFAULT_SOLVER_PARAMETERS, Mat, Solver, Sparsity, solve
from .scalars import Const, Constant, Global
from .sets import (DataSet, ExtrudedSet, GlobalDataSet, GlobalSet, MixedDataSet, MixedSet, Set,
                   Subset)

#: The whole of an extruded set.
ALL = ON_ALL

_logger = logging.getLogger("op2.pyop2")
#: Messages of the program, by Python's logging.
debug, info, warning = _logger.debug, _logger.info, _logger.warning
error, critical, set_log_level = _logger.error, _logger.critical, _logger.setLevel


def __getattr__(name: str) -> object:
    """MPI of mpi4py, and what there is in place of names that do not exist here."""
    if name == "MPI":
        from mpi4py import MPI
        return MPI
    if name in _others.REASONS:
        raise AttributeError(f"op2.pyop2 has no {name}: {_others.REASONS[name]}")
    raise AttributeError(f"module 'op2.pyop2' has no attribute '{name}'")


__all__ = [
    "ALL", "Access", "Arg", "CStringLocalKernel", "ComposedMap", "Configuration", "Const",
    "Constant", "DEFAULT_SOLVER_PARAMETERS", "Dat", "DatView", "DataSet", "ExtrudedSet", "Global",
    "GlobalDataSet", "GlobalSet", "INC", "IterationRegion", "Kernel", "LegacyParloop", "MAX", "MIN",
    "Map", "Mat", "MixedDat", "MixedDataSet", "MixedMap", "MixedSet", "ON_ALL", "ON_BOTTOM", "ON_INTERIOR_FACETS", "ON_TOP",
    "ParLoop", "Parloop", "PermutedMap", "PyParLoop", "READ", "RW", "Set", "Solver", "Sparsity",
    "Subset", "WRITE", "configuration", "configure", "context", "critical", "debug", "error",
    "exit", "i", "info", "init", "initialised", "par_loop", "parloop", "set_log_level", "solve",
    "warning", *exceptions.__all__,
]
