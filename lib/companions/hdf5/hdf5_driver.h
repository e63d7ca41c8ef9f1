/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_DRIVER_H
#define OP2I_HDF5_DRIVER_H

/* How HDF5 reaches a file that is being written: a driver of its own, which writes to a part.
 *
 * HDF5 1.10 cannot close a file that it fails to write: the identifier stays, and the end of the
 * program tries again. So this driver does not report a failure of writing to HDF5. It remembers it
 * in the part, and whoever called HDF5 looks there. */

#include <hdf5.h>
#include <stdbool.h>

#include "hdf5_part.h"

struct op2i_driven {
  H5FD_t hdf5; /* HDF5's own, which has to come first */
  struct op2i_part *part;
  int64_t end; /* of what HDF5 has allocated in the file, when it was last asked */
  bool open;   /* HDF5 has it open */
};

/* Have files opened with `access` go to a part, which is open already. What `driven` points to has
 * to stay until it is not open any more. */
bool op2i_driver_set(hid_t access, struct op2i_driven *driven);

#endif
