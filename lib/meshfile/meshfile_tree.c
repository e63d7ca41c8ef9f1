/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading of libop2-hdf5 when a mesh needs it, and datasets of its files. */
#define _GNU_SOURCE /* for RTLD_DEFAULT */
#include "meshfile_tree.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "meshfile_scan.h"

typedef const struct op2i_tree_methods *tree_function(int version);

/* A program may be linked to libop2-hdf5, also as an archive. Else this is null. */
extern tree_function op2i_hdf5_tree __attribute__((weak));

static tree_function *find_function(const char **why) {
  tree_function *function;
  if (op2i_hdf5_tree) return op2i_hdf5_tree;
  void *symbol = dlsym(RTLD_DEFAULT, "op2i_hdf5_tree");
#ifdef OP2_MESHFILE_HDF5
  void *library = symbol ? NULL : dlopen(OP2_MESHFILE_HDF5, RTLD_NOW | RTLD_LOCAL);
  if (library) symbol = dlsym(library, "op2i_hdf5_tree");
  if (!symbol) *why = dlerror();
#else
  (void)why; /* it says that this build has no such library */
#endif
  if (!symbol) return NULL;
  memcpy(&function, &symbol, sizeof function);
  return function;
}

static const struct op2i_tree_methods *find_methods(struct op2i_scan *scan, const char *path) {
  const char *why = "this build has none";
  tree_function *function = find_function(&why);
  const struct op2i_tree_methods *methods = function ? function(OP2I_TREE_VERSION) : NULL;
  if (function && !methods) why = "it is of another build than libop2-meshfile";
  if (!methods && !scan->status)
    scan->status = scan->op2->error(
        OP2_ERR_UNAVAILABLE,
        "%s: this is a file of HDF5, which is read through libop2-hdf5 (package libop2-hdf5-1; "
        "meson setup -Dhdf5=enabled): %.300s",
        path, why);
  return methods;
}

bool op2i_tree_recognise(const struct op2i_scan *scan) {
  return scan->end - scan->data >= 8 && memcmp(scan->data, "\x89HDF\r\n\x1a\n", 8) == 0;
}

bool op2i_tree_open(struct op2i_tree *tree, struct op2i_scan *scan, const char *path) {
  char why[300] = "";
  *tree = (struct op2i_tree){.scan = scan, .path = path};
  tree->methods = find_methods(scan, path);
  if (!tree->methods) return false;
  tree->file = tree->methods->open(path, why, sizeof why);
  if (!tree->file && !*why) return op2i_scan_nomem(scan);
  if (!tree->file && !scan->status)
    scan->status = scan->op2->error(OP2_ERR_IO, "%s: %s", path, why);
  return tree->file != NULL;
}

void op2i_tree_close(struct op2i_tree *tree) {
  if (tree->file) tree->methods->close(tree->file);
  *tree = (struct op2i_tree){0};
}

bool op2i_tree_fail(struct op2i_tree *tree, const char *object, const char *format, ...) {
  char text[700];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!tree->scan->status)
    tree->scan->status =
        tree->scan->op2->error(OP2_ERR_IO, "%s: %.200s: %s", tree->path, object, text);
  return false;
}

bool op2i_tree_numbers(struct op2i_tree *tree, const char *dataset, bool real, int64_t *n,
                       void **out) {
  struct op2i_tree_data data;
  if (!tree->methods->find(tree->file, dataset, &data))
    return op2i_tree_fail(tree, dataset, "this dataset is not there, or damaged");
  if (data.type != OP2I_TREE_INTEGERS && !(real && data.type == OP2I_TREE_REALS))
    return op2i_tree_fail(tree, dataset, "this dataset should have %s",
                          real ? "numbers" : "integers");
  if (*n >= 0 && data.n != *n)
    return op2i_tree_fail(
        tree, dataset, "this dataset has %" PRId64 " values, and should have %" PRId64, data.n, *n);
  void *values = tree->scan->op2->calloc((size_t)data.n + 1, 8);
  if (!values) return op2i_scan_nomem(tree->scan);
  if (!tree->methods->read(tree->file, dataset, real, values)) {
    tree->scan->op2->free(values);
    return op2i_tree_fail(tree, dataset, "this dataset is damaged");
  }
  *n = data.n;
  *out = values;
  return true;
}

/* A text may be an array of integers, one for each letter. */
static bool read_letters(struct op2i_tree *tree, const char *dataset, struct op2i_tree_data *data,
                         char **out) {
  void *numbers = NULL;
  if (!op2i_tree_numbers(tree, dataset, false, &data->n, &numbers)) return false;
  char *letters = tree->scan->op2->calloc((size_t)data->n + 1, 1);
  for (int64_t i = 0; letters && i < data->n; i++) letters[i] = (char)((int64_t *)numbers)[i];
  tree->scan->op2->free(numbers);
  *out = letters;
  return letters || op2i_scan_nomem(tree->scan);
}

bool op2i_tree_texts(struct op2i_tree *tree, const char *dataset, struct op2i_tree_data *data,
                     char **out) {
  if (!tree->methods->find(tree->file, dataset, data))
    return op2i_tree_fail(tree, dataset, "this dataset is not there, or damaged");
  if (data->type != OP2I_TREE_TEXTS && !(data->type == OP2I_TREE_INTEGERS && data->bytes == 1))
    return op2i_tree_fail(tree, dataset, "this dataset should have a text");
  if (data->type == OP2I_TREE_INTEGERS) return read_letters(tree, dataset, data, out);
  char *values = tree->scan->op2->calloc((size_t)data->n + 1, data->bytes);
  if (!values) return op2i_scan_nomem(tree->scan);
  if (!tree->methods->read(tree->file, dataset, false, values)) {
    tree->scan->op2->free(values);
    return op2i_tree_fail(tree, dataset, "this dataset is damaged");
  }
  *out = values;
  return true;
}
