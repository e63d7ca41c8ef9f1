/* SPDX-License-Identifier: BSD-3-Clause */
#include "file_plain.h"

#include <string.h>

#include "tap.h"

hid_t op2_file_id;

/* A set, a map or a dat, a constant: the calls are those of OP2's op_hdf5.cpp. */
void plain_set(const char *name, int size) {
  const hsize_t dims[] = {1};
  hid_t space = H5Screate_simple(1, dims, NULL);
  hid_t set =
      H5Dcreate2(op2_file_id, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &size);
  H5Sclose(space);
  H5Dclose(set);
}

static void plain_int(hid_t set, const char *name, int value) {
  const hsize_t one = 1;
  hid_t space = H5Screate_simple(1, &one, NULL);
  hid_t attribute = H5Acreate2(set, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_INT, &value);
  H5Aclose(attribute);
  H5Sclose(space);
}

static void plain_text(hid_t set, const char *text, size_t length) {
  char padded[80] = "";
  strncpy(padded, text, sizeof padded - 1);
  hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length);
  hid_t attribute = H5Acreate2(set, "type", type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, padded);
  H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
}

void plain_array(const struct plain *p) {
  const hsize_t dims[] = {(hsize_t)p->rows, (hsize_t)p->columns};
  hid_t space = H5Screate_simple(p->columns ? 2 : 1, dims, NULL);
  hid_t set =
      H5Dcreate2(op2_file_id, p->name, p->stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, p->given, H5S_ALL, space, H5P_DEFAULT, p->values);
  H5Sclose(space);
  if (p->size >= 0) plain_int(set, "size", p->size);
  if (p->dim >= 0) plain_int(set, "dim", p->dim);
  if (p->type) plain_text(set, p->type, p->length);
  H5Dclose(set);
}

const int32_t plain_ends[] = {0, 1, 1, 2, 2, 0};
const double plain_places[] = {0, 0.5, 1, 1e300, -2, 3}, plain_far_field[] = {1, 2, 3, 4};
static const int32_t kinds[] = {1, 2, 1};
static const float lengths[] = {1, 2.5f, 3};

void write_as_op2(const char *where) {
  const struct plain arrays[] = {
      {"pedge", H5T_NATIVE_INT, H5T_NATIVE_INT, 3, 2, plain_ends, 3, 2, "int", 10},
      {"p_x", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 3, 2, plain_places, 16, 2, "double", 6},
      {"p_bound", H5T_NATIVE_INT, H5T_NATIVE_INT, 3, 1, kinds, 4, 1, "int", 3},
      {"p_len", H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT, 3, 1, lengths, 4, 1, "float", 5},
      {"qinf", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 4, 0, plain_far_field, -1, 4, "double", 6},
  };
  op2_file_id = H5Fcreate(where, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  plain_set("nodes", 3);
  plain_set("edges", 3);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) plain_array(&arrays[i]);
  H5Fclose(op2_file_id);
}

op2_status read_small(op2_file file, struct small *s) {
  double q[4];
  op2_status status = op2_file_read_set(file, "nodes", &s->nodes);
  if (!status) status = op2_file_read_set(file, "edges", &s->edges);
  if (!status) status = op2_file_read_map(file, s->edges, s->nodes, 2, "pedge", &s->pedge);
  if (!status) status = op2_file_read_dat(file, s->nodes, 2, OP2_F64, "p_x", &s->x);
  if (!status) status = op2_file_read_dat(file, s->edges, 1, OP2_I32, "p_bound", &s->bound);
  if (!status) status = op2_file_read_dat(file, s->edges, 1, OP2_F32, "p_len", &s->len);
  if (!status) status = op2_file_read_const(file, 4, OP2_F64, "qinf", q);
  return status;
}

void destroy_small(struct small *s) {
  op2_dat_destroy(&s->x);
  op2_dat_destroy(&s->bound);
  op2_dat_destroy(&s->len);
  op2_map_destroy(&s->pedge);
  op2_set_destroy(&s->edges);
  op2_set_destroy(&s->nodes);
}

/* ---- queries of tests of files --------------------------------------------------------------- */

int64_t hdf5_open_ids(void) {
  static const H5I_type_t types[] = {H5I_FILE, H5I_GROUP,     H5I_DATASET,
                                     H5I_ATTR, H5I_DATASPACE, H5I_GENPROP_LST};
  hsize_t n, sum = 0;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    n = 0;
    H5Inmembers(types[i], &n);
    sum += n;
  }
  return (int64_t)sum;
}

void file_refused(op2_status status, op2_status want, const char *file, int line, int n,
                  const char *const *words) {
  bool good = status == want;
  for (int i = 0; i < n; i++) good = good && strstr(op2_error_message(), words[i]);
  if (!tap_ok(good, file, line, "line %d: %s", line, words[0]))
    diag("%s: %s", op2_status_name(status), status ? op2_error_message() : "");
}
