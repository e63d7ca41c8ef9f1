# SPDX-License-Identifier: BSD-3-Clause
"""Three edges and a kernel, for statements in Python."""
import op2

context = op2.Context()
edges, nodes = op2.Set(context, 3, "edges"), op2.Set(context, 3, "nodes")
length = op2.Dat(edges, [1.0, 10.0, 100.0], name="length")
spread = op2.Kernel(context, "spread", """
    void spread(const double *length, double *a, double *b) {
      *a += *length;
      *b += *length;
    }""")
# the page's statements
assert list(total.get()) == [101, 11, 110]  # noqa: F821
