/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver through which HDF5 writes to a part file. */
#include "hdf5_driver.h"

/* The information that a property list keeps for the driver. */
struct info {
  struct op2i_driven *driven;
};

static struct op2i_driven *driven_of(const H5FD_t *file) { return (struct op2i_driven *)file; }

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most) {
  const struct info *info = H5Pget_driver_info(access);
  (void)name, (void)flags, (void)most;
  if (!info || info->driven->open) return NULL;
  info->driven->hdf5 = (H5FD_t){0};
  info->driven->open = true;
  return &info->driven->hdf5;
}

static herr_t close_file(H5FD_t *file) {
  driven_of(file)->open = false;
  return 0;
}

static int compare(const H5FD_t *a, const H5FD_t *b) {
  const struct op2i_driven *x = driven_of(a), *y = driven_of(b);
  return (x > y) - (x < y);
}

/* Small datasets are not aggregated: the unused rest of a block of them would be undefined. */
static herr_t query(const H5FD_t *file, unsigned long *flags) {
  (void)file;
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

static haddr_t get_end(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return (haddr_t)driven_of(file)->end;
}

static herr_t set_end(H5FD_t *file, H5FD_mem_t type, haddr_t end) {
  (void)type;
  driven_of(file)->end = (int64_t)end;
  return 0;
}

static haddr_t get_size(const H5FD_t *file, H5FD_mem_t type) {
  int64_t size = op2i_io_part_size(driven_of(file)->part);
  (void)type;
  return size < 0 ? HADDR_UNDEF : (haddr_t)size;
}

static herr_t read_bytes(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t bytes,
                         void *data) {
  (void)type, (void)list;
  return op2i_io_part_read(driven_of(file)->part, data, bytes, (int64_t)at) ? 0 : -1;
}

static herr_t write_bytes(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t bytes,
                          const void *data) {
  (void)type, (void)list;
  op2i_io_part_write(driven_of(file)->part, data, bytes, (int64_t)at);
  return 0;
}

static herr_t truncate_file(H5FD_t *file, hid_t list, hbool_t closing) {
  struct op2i_driven *driven = driven_of(file);
  (void)list, (void)closing;
  if (op2i_io_part_size(driven->part) != driven->end)
    op2i_io_part_resize(driven->part, driven->end);
  return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 600, /* one of the values that HDF5 leaves to other drivers */
#endif
    .name = "op2",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct info),
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_end,
    .set_eoa = set_end,
    .get_eof = get_size,
    .read = read_bytes,
    .write = write_bytes,
    .truncate = truncate_file,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Set the driver. It is registered again if necessary, as MPI_Finalize closes an HDF5 that was
 * built with MPI, and everything registered with it. */
bool op2i_driver_set(hid_t access, struct op2i_driven *driven) {
  static hid_t registered = H5I_INVALID_HID;
  const struct info info = {driven};
  if (registered < 0 || H5Iget_type(registered) != H5I_VFL) registered = H5FDregister(&driver);
  return registered >= 0 && H5Pset_driver(access, registered, &info) >= 0;
}
