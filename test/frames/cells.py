# SPDX-License-Identifier: BSD-3-Clause
"""Cells with values, a kernel and a matrix, for statements in Python."""
import math

import numpy

import op2

context = op2.Context()
cells, nodes = op2.Set(context, 4, "cells"), op2.Set(context, 4, "nodes")
kernel = op2.Kernel(context, "add", "void add(double *x) { *x += 1; }")
flow = op2.Dat(cells, name="flow")
total = op2.Dat(nodes, name="total")
speed = op2.Dat(cells, [[1.0] * 3] * 4, name="speed")
own = op2.Map(cells, nodes, [[0], [1], [2], [3]], "own")
A = op2.Mat(op2.Sparsity((own, own)), name="A")
step = 7
x = op2.Dat(cells, [[0.0] * 3] * 4, name="x")
# the page's statements
context.flush()
