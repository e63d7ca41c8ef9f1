/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_DRIVER_H
#define OP2I_HDF5_DRIVER_H

/* A driver through which HDF5 accesses a file that is being written: it writes to a part file. HDF5
 * 1.10 cannot close a file that it fails to write: the identifier stays, and HDF5 tries again when
 * the program ends. So this driver does not report a failed write to HDF5. It records the failure
 * in the part, where the caller of HDF5 checks for it. */

#include <hdf5.h>
#include <stdbool.h>

#include "io_part.h"

struct op2i_driven {
  H5FD_t hdf5; /* HDF5's own data, which must come first */
  struct op2i_io_part *part;
  int64_t end; /* end of the space that HDF5 has allocated in the file */
  bool open;   /* true while HDF5 has it open */
};

/* Direct files opened with `access` to a part, which is open already. *driven must exist until it
 * is no longer open. */
bool op2i_driver_set(hid_t access, struct op2i_driven *driven);

#endif
