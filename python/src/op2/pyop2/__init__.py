# SPDX-License-Identifier: BSD-3-Clause
"""PyOP2's interface: `from op2 import pyop2 as op2` instead of `from pyop2 import op2`.

doc/from-pyop2.md has every name, and what means something else here.
"""
from ..enums import INC, MAX, MIN, READ, RW, WRITE, Access
from . import exceptions
from .arguments import Arg
from ._configuration import (Configuration, configuration, configure, context, exit, init,
                            initialised)
from .data import Dat, MixedDat
from .exceptions import *  # noqa: F401,F403 (the classes that exceptions.__all__ names)
from .loops import (ON_ALL, ON_BOTTOM, ON_INTERIOR_FACETS, ON_TOP, IterationRegion, Kernel, ParLoop,
                    Parloop, PyParLoop, par_loop, parloop)
from .maps import ComposedMap, Map, MixedMap, PermutedMap, i
from .matrices import DEFAULT_SOLVER_PARAMETERS, Mat, Solver, Sparsity, solve
from .scalars import Const, Constant, Global
from .sets import DataSet, ExtrudedSet, MixedDataSet, MixedSet, Set, Subset

#: The whole of an extruded set.
ALL = ON_ALL

__all__ = [
    "ALL", "Access", "Arg", "ComposedMap", "Configuration", "Const", "Constant",
    "DEFAULT_SOLVER_PARAMETERS", "Dat", "DataSet", "ExtrudedSet", "Global", "INC",
    "IterationRegion", "Kernel", "MAX", "MIN", "Map", "Mat", "MixedDat", "MixedDataSet",
    "MixedMap", "MixedSet", "ON_ALL", "ON_BOTTOM", "ON_INTERIOR_FACETS", "ON_TOP", "ParLoop",
    "Parloop", "PermutedMap", "PyParLoop", "READ", "RW", "Set", "Solver", "Sparsity", "Subset", "WRITE",
    "configuration", "configure", "context", "exit", "i", "init", "initialised", "par_loop",
    "parloop", "solve", *exceptions.__all__,
]
