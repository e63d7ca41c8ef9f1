/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROCESS_H
#define OP2I_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "op2/types.h"

/* The state that the library keeps for the process: the contexts that live in it, and whether it is
 * a forked child. Any thread may call these functions. */

/* Contexts are started one after the other, since the first that needs StarPU or hwloc starts
 * them. */
void op2i_process_begin_context(void);
void op2i_process_context_begun(void);

/* A lock for a few instructions on data that all threads share. fork() waits until it is free: in a
 * child no thread would be left to unlock it. */
void op2i_process_lock(void);
void op2i_process_unlock(void);

/* dlopen and dlclose. fork() waits for these as well: in a child, the loader's own locks would stay
 * taken for ever. They use a separate lock, since constructors of loaded libraries may call this
 * library. */
void *op2i_process_load(const char *path, int flags);
void op2i_process_unload(void *handle);
/* Around calls of a library that takes locks of its own: fork() waits for these too. */
void op2i_process_library_begin(void);
void op2i_process_library_end(void);
/* dl_iterate_phdr: call `visit` for each loaded object until it returns a value other than 0, which
 * is returned. No object is loaded or unloaded meanwhile, so `visit` must not do so either. */
struct dl_phdr_info;
int op2i_process_objects(int (*visit)(struct dl_phdr_info *object, size_t size, void *closure),
                         void *closure);

/* Register and unregister a context. When the process exits, registered contexts are asked for
 * loops that never ran. When the process forks, they are marked in the child as finalized and
 * forked, so that the checks that every call makes anyway suffice. One that has left is remembered
 * until it is forgotten. */
void op2i_process_enter(op2_context ctx);
void op2i_process_leave(op2_context ctx);
void op2i_process_forget(op2_context ctx);

/* True if this process is a child that fork() made while the library was loaded: threads of
 * libraries existed in the parent and are missing here. */
bool op2i_process_forked(void);

/* Free the memory of a destroyed object, but only after a fixed number of further objects were
 * destroyed: until then copies of its handle are recognised as stale. */
enum op2i_deferred_kind { OP2I_DEFERRED_OBJECT, OP2I_DEFERRED_CONTEXT, OP2I_DEFERRED_KINDS };
void op2i_free_deferred(enum op2i_deferred_kind kind, void *memory);

#endif
