/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_APPLICATION_H
#define BENCH_APPLICATION_H

#include "error.h"
#include "report.h"

/** @file application.h
 * The frame of an application that has an options.h and a mesh.h of its own, with these in them. */

typedef struct options options;
typedef struct mesh mesh;
int options_parse(int argc, char **argv, unsigned program, options *o);
int options_mesh(const options *o, mesh *m, bench_error *error);
void mesh_free(mesh *m);

/** The run itself, on a mesh that took `times->mesh` seconds to get. Returns false after reporting
 * an error. */
typedef bool application_run(const options *o, const mesh *m, run_times *times);

/** main() of an application; `o` and `m` are storage for its options and its mesh. */
int application_main(int argc, char **argv, options *o, mesh *m, application_run *run);

#endif
