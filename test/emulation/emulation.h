/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_EMULATION_H
#define OP2_EMULATION_H

/* The CUDA model on the CPU: what stands in for libcuda.so.1 and libnvrtc.so.13, so that tests run the
 * backend `cuda` as it is where there is no device, and for libamdhip64.so.7 and libhiprtc.so.7 of `hip`. Device code is compiled by the host's compiler
 * (nvrtc.c); a launch runs its blocks one after the other, and the threads of a block one after the other
 * from barrier to barrier, both in orders that change from launch to launch (launch.c); each access to
 * memory is looked at (memory.c). All that is asynchronous is put off as long as it may be (stream.c).
 *
 * OP2_TEST_EMULATION says what the device is like, as NAME=NUMBER separated by commas:
 *
 *   check=0         accesses are not looked at
 *   warps=1         what warps ask of memory at once is counted, and reported at the end (warps.c)
 *   order=1,2,3     threads and blocks forwards, backwards, at random; 0: by turns
 *   memory shared threads units   bytes and numbers that the device has
 *   sm=80           its target
 *   newest=90       the newest target that NVRTC knows
 *   driver=13000    the driver's version
 *   translates=0    the driver does not translate PTX
 *   devices=0       how many there are; CUDA_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES hide some
 *   instantiate=N   the Nth graph, and all after it, cannot be made
 *   lost=N          the Nth call that needs a context, and all after it, fail
 *
 * and of an AMD device (hip.c, hiprtc.c)
 *
 *   wave=64         work items of a wave
 *   gfx=0x90a       its architecture, a hexadecimal number
 *   knows=0x90a     the only architecture that hipRTC knows
 *   whole=1         launches are refused if groups are not whole waves
 *
 * OP2_TEST_PLANT has faults that are planted in the text before it is compiled: lines s|this|that|.
 * OP2_TEST_NVRTC says where the real NVRTC's library may be, separated by colons: the first that is there has
 * to compile every text for each of sm_80, sm_90 and sm_100, besides; with OP2_TEST_QUICK=1 for one of them.
 * OP2_TEST_HIPRTC is the same for hipRTC, with gfx90a, gfx906 and gfx1030. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hooks.h"

int64_t emulation_setting(const char *name, int64_t otherwise);
bool emulation_checks(void);

/* So PTX begins; the rest is what it is translated to. */
#define EMULATION_PTX "//\n// emulated PTX\n"

/* What calls of the driver return. */
enum {
  EMULATION_SUCCESS = 0,
  EMULATION_INVALID_VALUE = 1,
  EMULATION_OUT_OF_MEMORY = 2,
  EMULATION_NOT_INITIALIZED = 3,
  EMULATION_NO_DEVICE = 100,
  EMULATION_INVALID_IMAGE = 200,
  EMULATION_INVALID_CONTEXT = 201,
  EMULATION_INVALID_PTX = 218,
  EMULATION_INVALID_HANDLE = 400,
  EMULATION_NOT_FOUND = 500,
  EMULATION_NOT_READY = 600,
  EMULATION_ILLEGAL_ADDRESS = 700,
  EMULATION_MISALIGNED_ADDRESS = 716,
  EMULATION_LAUNCH_FAILED = 719
};

/* Of every call that needs a context; then what ended it, or success. */
int emulation_ready(void);
void emulation_end_context(int result); /* nothing works any more */
int emulation_ended(void);

/* ---- memory.c -------------------------------------------------------------------------------- */

int emulation_alloc(uint64_t *at, size_t bytes);
int emulation_free(uint64_t at);
void emulation_free_all(void);
bool emulation_holds(uint64_t at, size_t bytes);
/* The host has written there. */
void emulation_defined(uint64_t at, size_t bytes);
/* What a block shares is made unknown again. */
void emulation_fresh_shared(const struct op2_emulation_shared *shared, size_t dynamic_bytes);

void emulation_forget_shared(void);

/* The base and length of the piece that is nearest to an address; false where there is none. */
bool emulation_nearest(uintptr_t at, uintptr_t *base, size_t *bytes);

/* Where accesses are in the order of things: barriers separate phases, which have numbers that grow. */
struct emulation_phase {
  uint32_t launch, block, now; /* the first phases of those, and this one */
  uint16_t thread;
};
extern struct emulation_phase emulation_phase;

/* The thread makes a fence. What a block has stored before a fence and an atomic access of one thread is
 * there for a block of which a thread has made an atomic access after that, and then a fence; for its other
 * threads behind a barrier. */
void emulation_fence(void);
void emulation_forget_releases(void);

/* What is wrong with an access, or null; *result is what a launch with it returns. */
const char *emulation_look(uintptr_t at, size_t bytes, int kind, int *result);

/* ---- warps.c ---------------------------------------------------------------------------------- */

/* True if accesses are to be noted, and judged at barriers. */
bool emulation_warps(void);
void emulation_warps_note(unsigned thread, const void *from, uintptr_t at, unsigned long bytes,
                          bool shared);
/* Judge what the threads of a block have noted since the last barrier. */
void emulation_warps_judge(const char *kernel, const char *function, unsigned threads);

/* ---- launch.c -------------------------------------------------------------------------------- */

struct emulation_module;
struct emulation_function {
  const struct op2_emulation_entry *entry;
  struct emulation_module *module;
  int dynamic_max; /* bytes of shared memory that a launch may ask for */
};
struct emulation_launch {
  const struct emulation_function *function;
  unsigned blocks, threads, shared_bytes;
  void **parameters; /* which are in the same piece of memory */
};

int emulation_module_load(const void *image, struct emulation_module **module);
void emulation_module_unload(struct emulation_module *module);
void emulation_unload_all(void);
bool emulation_is_module(const struct emulation_module *module); /* it is loaded */
struct emulation_function *emulation_module_find(struct emulation_module *module, const char *name);
int emulation_module_fixed(const struct emulation_module *module); /* bytes of shared memory */
bool emulation_module_holds(const struct emulation_module *module, uintptr_t at);
/* Its code shall see `now`; what its blocks share. */
const struct op2_emulation_shared *emulation_module_enter(const struct emulation_module *module,
                                                          const struct op2_emulation *now);
const char *emulation_module_kernel(const struct emulation_module *module); /* its name, or "" */
int emulation_run(const struct emulation_launch *launch);

/* The last report, or null. */
const char *emulation_report(void);

#endif
