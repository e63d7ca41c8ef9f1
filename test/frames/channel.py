# SPDX-License-Identifier: BSD-3-Clause
"""A context and a kernel for statements in Python about the mesh channel.msh, which is in the folder."""
import os

import op2

os.makedirs("run", exist_ok=True)
context = op2.Context()
rise = op2.Kernel(context, "rise", "void rise(double *depth) { *depth += 1; }")
# the page's statements
context.flush()
assert step == 100 and (depth.get() == 100).all() and walls.size == 16
assert os.path.exists("channel-0009.vtu") and os.path.exists("run/flow.000002.h5")
