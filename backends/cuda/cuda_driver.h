/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CUDA_DRIVER_H
#define OP2I_CUDA_DRIVER_H

/* Drivers whose interface is CUDA's: what differs between them, and how one of their devices is
 * chosen. A driver with other names for the same functions fills struct op2i_cuda_api with them. */

#include "cuda_api.h"

struct op2i_device_kind;

struct op2i_cuda_driver {
  const struct op2i_device_kind *kind;
  const char *maker; /* the maker of its devices: "NVIDIA" */
  /* Return the driver's functions if its compiler is there as well; null: *why is the reason. */
  const struct op2i_cuda_api *(*api)(const char **why);
  void (*describe)(const struct op2i_cuda_api *api, int number, struct op2i_device_limits *limits);
  /* Write the architecture for which the compiler makes code that is to run on a target. Return true
   * if that code has to be translated by op2i_cuda_translate(). */
  bool (*architecture)(const char *target, char architecture[OP2I_CUDA_ARCHITECTURE]);
  /* Return the name of a function of struct op2i_cuda_api by which its users know it. */
  const char *(*name)(const char *function);
  op2_status (*compile)(const char *source, const char *architecture, const char *const *includes,
                        struct op2i_text *log, void **binary, size_t *bytes);
};
extern const struct op2i_cuda_driver op2i_driver_cuda, op2i_driver_hip;

/* Write why the driver has no usable device; an empty text: it has one. */
void op2i_cuda_look(const struct op2i_cuda_driver *driver, char *missing, size_t room);
void op2i_cuda_list(const struct op2i_cuda_driver *driver, struct op2i_text *out);
/* Return the number of the device that `which` means, or, if that is null, the one for a rank of the
 * node; -1: there is no such device. See device.h, open(). */
int op2i_cuda_choose(const struct op2i_cuda_driver *driver, const char *which, int node_rank);

#endif
