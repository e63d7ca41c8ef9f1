/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_BASE_H
#define OP2I_SIMD_BASE_H

#include "simd_tree.h"

/* simd_base.c. Memory that is taken is zeroed and freed as a whole; null without memory. */
void *op2i_simd_take(struct op2i_simd *l, size_t bytes);
const char *op2i_simd_string(struct op2i_simd *l, const char *text, size_t length);
void op2i_simd_release(struct op2i_simd *l);
struct op2i_simd_node *op2i_simd_node(struct op2i_simd *l, enum op2i_simd_kind kind, int line);
struct op2i_simd_var *op2i_simd_var(struct op2i_simd *l, const char *name);
/* Refuse the kernel; only the first reason is kept. */
void op2i_simd_refuse(struct op2i_simd *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline bool op2i_simd_stopped(const struct op2i_simd *l) { return l->refused || l->failed; }
/* Called before recursion, with op2i_simd_leave() after it. Returns true if recursion may go on,
 * and refuses what is too deep. */
bool op2i_simd_enter(struct op2i_simd *l, int line);
static inline void op2i_simd_leave(struct op2i_simd *l) { l->depth--; }

#endif
