/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_H
#define OP2_H

/** @file op2.h
 * op2: lazily evaluated parallel loops over unstructured meshes.
 *
 * An application declares sets, maps and dats (op2/mesh.h), queues loops over them (op2/loop.h) and
 * calls of its own functions (op2/call.h), and reads data. What is queued waits in a dependency
 * graph (op2/graph.h) until a flush, or reading data that depends on it, makes it run. op2/query.h
 * has questions about objects. */

#include "op2/algebra.h"
#include "op2/call.h"
#include "op2/context.h"
#include "op2/device.h"
#include "op2/graph.h"
#include "op2/hold.h"
#include "op2/loop.h"
#include "op2/matrix.h"
#include "op2/mesh.h"
#include "op2/query.h"
#include "op2/ranks.h"
#include "op2/shape.h"
#include "op2/solve.h"
#include "op2/status.h"
#include "op2/types.h"
#include "op2/version.h"

#endif
