# SPDX-License-Identifier: BSD-3-Clause
"""Names of PyOP2's that have no counterpart, and what there is instead."""

REASONS = {
    "DecoratedMap": "there are no extruded sets, and maps with negative entries leave out values",
    "GlobalKernel": "op2.ParLoop.generate() of the package op2 shows the code of a loop",
    "Halo": "op2.Set.halo() and Context.partition() of the package op2 share sets among ranks",
    "LoopyLocalKernel": "kernels are text in C",
    "PassthroughArg": "op2.opaque() of the package op2 hands a pointer to a kernel",
    "PetscMatType": "op2.opaque() of the package op2 hands a pointer to a kernel",
}
