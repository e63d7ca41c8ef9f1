/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices as PETSc's Mats. */
#include <limits.h>
#include <string.h>

#include "context.h"
#include "petsc_calls.h"
#include "petsc_copy.h"
#include "petsc_objects.h"

/* PETSc's objects for a matrix, kept with it. */
struct kept_mat {
  struct op2i_petsc_kept kept;
  const struct op2i_companion *op2;
  struct op2i_petsc_form forms[OP2I_PETSC_FORMS];
  int open; /* the form that the program has open; -1: none */
  op2_access access;
  PetscObjectState state; /* of its Mat, when the program got it */
  struct op2i_petsc_spaces spaces;
};

static void free_layout(const struct op2i_companion *op2, struct op2i_petsc_layout *layout) {
  op2->free(layout->own);
  op2->free(layout->other);
  op2->free(layout->order);
  *layout = (struct op2i_petsc_layout){0};
}

static void drop_form(const struct op2i_companion *op2, struct op2i_petsc_form *form) {
  if (form->stored && form->stored != form->mat) (void)MatDestroy(&form->stored);
  if (form->mat) (void)MatDestroy(&form->mat);
  free_layout(op2, &form->layout);
  *form = (struct op2i_petsc_form){0};
}

static void drop_mat(struct op2i_petsc_kept *kept) {
  struct kept_mat *own = (struct kept_mat *)kept;
  op2i_petsc_drop_spaces(&own->spaces);
  for (int f = 0; f < OP2I_PETSC_FORMS; f++) drop_form(own->op2, &own->forms[f]);
}

static void free_kept(void *data) {
  struct kept_mat *own = data;
  const struct op2i_companion *op2 = own->op2;
  op2i_petsc_let_go(&own->kept);
  for (int f = 0; f < OP2I_PETSC_FORMS; f++) free_layout(op2, &own->forms[f].layout);
  op2->free(own);
}

static op2_status have_kept(struct op2i_petsc_scope *scope, op2_mat mat, struct kept_mat **out) {
  if (!mat->kept.data) {
    struct kept_mat *own = scope->op2->calloc(1, sizeof *own);
    if (!own) return scope->op2->error_nomem("a matrix of PETSc");
    own->kept.drop = drop_mat;
    own->op2 = scope->op2;
    own->open = -1;
    mat->kept = (struct op2i_kept){own, free_kept};
  }
  *out = mat->kept.data;
  return op2i_petsc_status(scope, op2i_petsc_keep(&(*out)->kept), "matrix", mat->obj.name);
}

/* ---- format and sizes of the matrix ---------------------------------------------------------- */

int op2i_petsc_form_of(const struct op2_mat_s *mat, const char *type) {
  const bool square = mat->row_dim == mat->column_dim && !mat->sparsity->flipped;
  if (!type) return square && mat->row_dim > 1 ? OP2I_PETSC_BAIJ : OP2I_PETSC_AIJ;
  if (!strcmp(type, MATAIJ) || !strcmp(type, MATSEQAIJ) || !strcmp(type, MATMPIAIJ))
    return OP2I_PETSC_AIJ;
  if (!strcmp(type, MATBAIJ) || !strcmp(type, MATSEQBAIJ) || !strcmp(type, MATMPIBAIJ))
    return square ? OP2I_PETSC_BAIJ : -1;
  return -1;
}

/* Sizes and column numbers, in blocks. */
struct shape {
  MPI_Comm comm;
  PetscMPIInt ranks;
  int64_t rows, columns;         /* of this rank */
  int64_t all_rows, all_columns; /* of all ranks */
  /* [all columns on this rank] global numbers of columns, with several ranks */
  int64_t *number;
};

static op2_status too_large(const struct op2i_petsc_scope *scope, op2_mat mat,
                            const struct shape *shape) {
  const int64_t places = mat->sparsity->nnz, most = PETSC_MAX_INT;
  const int64_t rows = op2i_mat_height(mat), columns = op2i_mat_width(mat);
  if (shape->all_rows <= most / rows && shape->all_columns <= most / columns &&
      places <= most / rows / columns)
    return OP2_SUCCESS;
  return scope->op2->error(OP2_ERR_RANGE,
                           "matrix '%s': %lld places of %lld * %lld values here, %lld rows and "
                           "%lld columns of all ranks are more than PETSc's integers of %d bits "
                           "count",
                           mat->obj.name, (long long)places, (long long)rows, (long long)columns,
                           (long long)shape->all_rows * rows,
                           (long long)shape->all_columns * columns,
                           (int)sizeof(PetscInt) * CHAR_BIT);
}

/* Find the sizes and the numbers of columns. Collective. */
static op2_status measure(struct op2i_petsc_scope *scope, op2_mat mat, struct shape *shape) {
  const struct op2i_companion *op2 = scope->op2;
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  const size_t total = (size_t)sparsity->columns->ends[OP2I_NONEXEC];
  int64_t first;
  *shape = (struct shape){.rows = sparsity->nrows, .columns = sparsity->columns->ends[OP2I_OWNED]};
  op2_status status = op2i_petsc_comm(op2, mat->obj.ctx, &shape->comm);
  if (status) return status;
  MPI_Comm_size(shape->comm, &shape->ranks);
  shape->number = op2->calloc(total + 1, sizeof *shape->number);
  if (!shape->number) status = op2->error_nomem("numbers of columns");
  if (mat->obj.ctx->comm) status = op2->agree(mat->obj.ctx->comm, status);
  if (!status) status = op2->row_numbers(sparsity->rows, &shape->all_rows, &first, NULL);
  if (!status)
    status = op2->row_numbers(sparsity->columns, &shape->all_columns, &first, shape->number);
  if (!status) status = too_large(scope, mat, shape);
  return mat->obj.ctx->comm ? op2->agree(mat->obj.ctx->comm, status) : status;
}

/* ---- layout of the nonzeros ------------------------------------------------------------------ */

static int64_t number_of(const struct shape *shape, const struct op2_sparsity_s *sparsity,
                         struct op2i_entries entries, int64_t k) {
  return shape->number[sparsity->column[op2i_entry(entries, k)]];
}

/* Rank the columns of other ranks by their numbers. Rows have few of them. */
static void rank_columns(const struct shape *shape, const struct op2_sparsity_s *sparsity,
                         struct op2i_entries others, int32_t *order) {
  for (int64_t k = 0; k < others.n; k++) {
    order[k] = 0;
    for (int64_t l = 0; l < others.n; l++)
      order[k] += number_of(shape, sparsity, others, l) < number_of(shape, sparsity, others, k);
  }
}

static int64_t count_own(const struct op2_sparsity_s *sparsity, int64_t row) {
  const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
  int64_t n = 0, end = sparsity->columns->ends[OP2I_OWNED];
  for (int64_t k = 0; k < entries.n; k++) n += sparsity->column[op2i_entry(entries, k)] < end;
  return n;
}

static op2_status lay_out(const struct op2i_companion *op2, const struct op2_sparsity_s *sparsity,
                          const struct shape *shape, struct op2i_petsc_layout *layout) {
  const int64_t rows = layout->nrows = sparsity->nrows;
  layout->own = op2->calloc((size_t)rows + 1, sizeof *layout->own);
  layout->other = op2->calloc((size_t)rows + 1, sizeof *layout->other);
  if (!layout->own || !layout->other) return op2->error_nomem("a matrix of PETSc");
  for (int64_t row = 0; row < rows; row++) {
    int64_t own = count_own(sparsity, row);
    layout->own[row + 1] = layout->own[row] + own;
    layout->other[row + 1] = layout->other[row] + op2i_sparsity_row(sparsity, row).n - own;
  }
  layout->order = op2->calloc((size_t)layout->other[rows] + 1, sizeof *layout->order);
  if (!layout->order) return op2->error_nomem("a matrix of PETSc");
  for (int64_t row = 0; row < rows; row++) {
    struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
    const int64_t own = layout->own[row + 1] - layout->own[row];
    entries.first = op2i_entry(entries, own);
    entries.n -= own;
    rank_columns(shape, sparsity, entries, layout->order + layout->other[row]);
  }
  return OP2_SUCCESS;
}

/* ---- creating a PETSc matrix ----------------------------------------------------------------- */

/* Rows and columns in PETSc's format: of blocks, or of single values; ascending within a row. */
struct pattern {
  PetscInt *start, *column;
};

/* Append a row at *at. If rows are of single values, this is done for each row of a block. */
static void add_row(op2_mat mat, const struct shape *shape, const struct op2i_petsc_layout *layout,
                    int64_t row, int32_t width, PetscInt *column, PetscInt *at) {
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
  const int64_t nown = layout->own[row + 1] - layout->own[row];
  const int64_t nother = layout->other[row + 1] - layout->other[row];
  const int32_t *order = layout->order + layout->other[row];
  int64_t before = 0; /* columns of other ranks with lower numbers than all columns of this rank */
  for (int64_t k = 0; k < nother; k++)
    before += nown && number_of(shape, sparsity, entries, nown + k) <
                          number_of(shape, sparsity, entries, 0);
  for (int64_t k = 0; k < nown + nother; k++) {
    int64_t place = k < nown ? before + k : order[k - nown];
    if (k >= nown && place >= before) place += nown;
    for (int32_t j = 0; j < width; j++)
      column[*at + place * width + j] =
          (PetscInt)(number_of(shape, sparsity, entries, k) * width + j);
  }
  *at += (PetscInt)((nown + nother) * width);
}

static op2_status make_pattern(const struct op2i_companion *op2, op2_mat mat,
                               const struct shape *shape, const struct op2i_petsc_layout *layout,
                               bool blocks, struct pattern *pattern) {
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  const int32_t height = blocks ? 1 : op2i_mat_height(mat),
                width = blocks ? 1 : op2i_mat_width(mat);
  const size_t entries = (size_t)sparsity->nnz * (size_t)height * (size_t)width;
  PetscInt at = 0, rows = 0;
  pattern->start = op2->calloc((size_t)(sparsity->nrows * height) + 1, sizeof *pattern->start);
  pattern->column = op2->calloc(entries + 1, sizeof *pattern->column);
  if (!pattern->start || !pattern->column) return op2->error_nomem("a matrix of PETSc");
  for (int64_t row = 0; row < sparsity->nrows; row++)
    for (int32_t i = 0; i < height; i++) {
      add_row(mat, shape, layout, row, width, pattern->column, &at);
      pattern->start[++rows] = at;
    }
  return OP2_SUCCESS;
}

static PetscErrorCode create(op2_mat mat, const struct shape *shape, bool blocks,
                             const struct pattern *pattern, Mat *out) {
  const PetscInt height = op2i_mat_height(mat), width = op2i_mat_width(mat);
  PetscErrorCode code = MatCreate(shape->comm, out);
  if (!code)
    code = MatSetSizes(*out, (PetscInt)shape->rows * height, (PetscInt)shape->columns * width,
                       (PetscInt)shape->all_rows * height, (PetscInt)shape->all_columns * width);
  if (!code) code = MatSetBlockSizes(*out, height, width);
  if (!code) code = MatSetType(*out, blocks ? MATBAIJ : MATAIJ);
  if (code) return code;
  const PetscInt *start = pattern->start, *column = pattern->column;
  /* Each function does nothing to a matrix of another type. */
  if (blocks && shape->ranks == 1)
    code = MatSeqBAIJSetPreallocationCSR(*out, height, start, column, NULL);
  else if (blocks)
    code = MatMPIBAIJSetPreallocationCSR(*out, height, start, column, NULL);
  else if (shape->ranks == 1)
    code = MatSeqAIJSetPreallocationCSR(*out, start, column, NULL);
  else
    code = MatMPIAIJSetPreallocationCSR(*out, start, column, NULL);
  return code;
}

/* Set the name and the options that all forms have: the pattern of nonzeros stays as it is. */
static PetscErrorCode set_options(op2_mat mat, const struct op2i_petsc_form *form) {
  PetscErrorCode code = PetscObjectSetName((PetscObject)form->mat, mat->obj.name);
  if (!code) code = MatSetOption(form->stored, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE);
  return code ? code : MatSetOption(form->stored, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE);
}

/* ---- creating a matrix in one of PETSc's formats --------------------------------------------- */

static bool can_wrap(op2_mat mat, const struct shape *shape, int form) {
  return shape->ranks == 1 && form == OP2I_PETSC_AIJ && mat->sparsity->rows_per_slice == 1 &&
         mat->row_dim == 1 && mat->column_dim == 1 && mat->type == OP2_F64 &&
         sizeof(PetscInt) == sizeof(int32_t);
}

static PetscErrorCode wrap(op2_mat mat, const struct shape *shape, void *values,
                           struct op2i_petsc_form *form) {
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  form->wrapped = values;
  return MatCreateSeqAIJWithArrays(shape->comm, (PetscInt)shape->rows, (PetscInt)shape->columns,
                                   (PetscInt *)sparsity->table, (PetscInt *)sparsity->column,
                                   values, &form->stored);
}

/* A dense row is the transpose of a column, of which each rank has the rows that it owns. */
static PetscErrorCode show(op2_mat mat, struct op2i_petsc_form *form) {
  if (mat->sparsity->flipped) return MatCreateTranspose(form->stored, &form->mat);
  form->mat = form->stored;
  return 0;
}

/* Make a form. Collective. */
static op2_status make_form(struct op2i_petsc_scope *scope, op2_mat mat, int f, void *values,
                            struct op2i_petsc_form *form) {
  const struct op2i_companion *op2 = scope->op2;
  struct op2i_petsc_form made = {.renumberings = mat->sparsity->renumberings, .changes = -1};
  struct pattern pattern = {0};
  struct shape shape;
  PetscErrorCode code = 0;
  op2_status status = measure(scope, mat, &shape);
  bool wraps = !status && can_wrap(mat, &shape, f);
  if (!status && !wraps) status = lay_out(op2, mat->sparsity, &shape, &made.layout);
  if (!status && !wraps)
    status = make_pattern(op2, mat, &shape, &made.layout, f == OP2I_PETSC_BAIJ, &pattern);
  if (mat->obj.ctx->comm) status = op2->agree(mat->obj.ctx->comm, status);
  if (!status)
    code = wraps ? wrap(mat, &shape, values, &made)
                 : create(mat, &shape, f == OP2I_PETSC_BAIJ, &pattern, &made.stored);
  if (!status && !code) code = show(mat, &made);
  if (!status && !code) code = set_options(mat, &made);
  if (!status) status = op2i_petsc_status(scope, code, "matrix", mat->obj.name);
  if (!status) status = op2i_petsc_local_numbers(scope, mat, made.mat);
  op2->free(pattern.start);
  op2->free(pattern.column);
  op2->free(shape.number);
  drop_form(op2, status ? &made : form);
  if (!status) *form = made;
  return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Get the sequential matrices of which a parallel one consists. */
static PetscErrorCode parts_of(Mat A, int f, Mat parts[2]) {
  const PetscInt *columns;
  PetscMPIInt ranks;
  MPI_Comm comm;
  PetscErrorCode code = PetscObjectGetComm((PetscObject)A, &comm);
  if (code) return code;
  MPI_Comm_size(comm, &ranks);
  parts[0] = A;
  parts[1] = NULL;
  if (ranks == 1) return 0;
  return f == OP2I_PETSC_BAIJ ? MatMPIBAIJGetSeqBAIJ(A, &parts[0], &parts[1], &columns)
                              : MatMPIAIJGetSeqAIJ(A, &parts[0], &parts[1], &columns);
}

static PetscErrorCode borrow(Mat part, int f, PetscScalar **values) {
  *values = NULL;
  if (!part) return 0;
  return f == OP2I_PETSC_BAIJ ? MatSeqBAIJGetArray(part, values) : MatSeqAIJGetArray(part, values);
}

static PetscErrorCode give_back(Mat part, int f, PetscScalar **values) {
  if (!part) return 0;
  return f == OP2I_PETSC_BAIJ ? MatSeqBAIJRestoreArray(part, values)
                              : MatSeqAIJRestoreArray(part, values);
}

static PetscErrorCode copy(op2_mat mat, int f, struct op2i_petsc_form *form, void *values,
                           bool back) {
  struct op2i_petsc_values petsc = {0};
  Mat parts[2];
  PetscErrorCode code = parts_of(form->stored, f, parts);
  if (!code) code = borrow(parts[0], f, &petsc.own);
  if (!code) code = borrow(parts[1], f, &petsc.other);
  if (code) return code;
  op2i_petsc_copy(mat, &form->layout, f == OP2I_PETSC_BAIJ, values, petsc, back);
  code = give_back(parts[0], f, &petsc.own);
  return code ? code : give_back(parts[1], f, &petsc.other);
}

/* Notify PETSc that values have changed, so that it recomputes what depends on them. */
static PetscErrorCode notify_change(const struct op2i_petsc_form *form) {
  PetscErrorCode code = MatAssemblyBegin(form->stored, MAT_FINAL_ASSEMBLY);
  if (!code) code = MatAssemblyEnd(form->stored, MAT_FINAL_ASSEMBLY);
  if (code || form->mat == form->stored) return code;
  code = MatAssemblyBegin(form->mat, MAT_FINAL_ASSEMBLY);
  return code ? code : MatAssemblyEnd(form->mat, MAT_FINAL_ASSEMBLY);
}

op2_status op2i_petsc_mat(struct op2i_petsc_scope *scope, op2_mat mat, int f, int64_t changes,
                          Mat *A) {
  struct kept_mat *own = NULL;
  void *values = NULL;
  PetscErrorCode code = 0;
  op2_status status = have_kept(scope, mat, &own);
  if (!status) status = scope->op2->host_rows(mat->values, OP2_READ, &values);
  if (mat->obj.ctx->comm) status = scope->op2->agree(mat->obj.ctx->comm, status);
  if (status) return status;
  struct op2i_petsc_form *form = &own->forms[f];
  code = op2i_petsc_notice_spaces(&own->spaces, own->forms, mat->sparsity->renumberings);
  if (code) return op2i_petsc_status(scope, code, "matrix", mat->obj.name);
  bool stale = !form->mat || form->renumberings != mat->sparsity->renumberings ||
               (form->wrapped && form->wrapped != values);
  if (stale) status = make_form(scope, mat, f, values, form);
  if (status) return status;
  if (form->changes != changes) {
    if (!form->wrapped) code = copy(mat, f, form, values, false);
    if (!code) code = notify_change(form);
  }
  if (!code) form->changes = changes;
  if (!code) code = op2i_petsc_set_spaces(&own->spaces, own->forms);
  *A = form->mat;
  return op2i_petsc_status(scope, code, "matrix", mat->obj.name);
}

/* ---- the interface --------------------------------------------------------------------------- */

static op2_status check_view(const struct op2i_companion *op2, op2_mat mat, op2_access access,
                             MatType type, const void *out) {
  op2->object_call(mat, OP2I_MAT, "op2_mat_petsc", NULL, (uint64_t)access);
  op2_status status = op2->validate(mat, OP2I_MAT, "op2_mat_petsc");
  if (status) return status;
  const char *name = mat->obj.name;
  if (!out) return op2->error(OP2_ERR_ARG, "op2_mat_petsc: matrix '%s': a null pointer", name);
  if (access != OP2_READ && access != OP2_RW)
    return op2->error(OP2_ERR_ACCESS, "op2_mat_petsc: matrix '%s': the access is READ or RW", name);
  if (op2i_petsc_form_of(mat, type) >= 0) return OP2_SUCCESS;
  return op2->error(OP2_ERR_TYPE,
                    "op2_mat_petsc: matrix '%s' with blocks of %d * %d cannot be a Mat of type %s",
                    name, (int)mat->row_dim, (int)mat->column_dim, type);
}

static op2_status open_mat(struct op2i_petsc_scope *scope, op2_mat mat, op2_access access, int f,
                           Mat *A) {
  void *values;
  op2_status status = scope->op2->dat_open(mat->values, access, "op2_mat_petsc", &values);
  if (status) return status;
  /* The change that the program is about to make has been counted already. */
  status = op2i_petsc_mat(scope, mat, f, mat->values->changes - (access == OP2_RW), A);
  struct kept_mat *own = mat->kept.data;
  if (!status && own->open >= 0 && (own->open != f || own->access != access))
    status = scope->op2->error(OP2_ERR_STATE,
                               "op2_mat_petsc: matrix '%s' is open as a Mat of another type",
                               mat->obj.name);
  if (status) {
    (void)scope->op2->dat_close(mat->values, access, "op2_mat_petsc");
    return status;
  }
  /* If there are several views for reading, the first one has the state before all changes. */
  if (own->open < 0) (void)PetscObjectStateGet((PetscObject)*A, &own->state);
  own->open = f;
  own->access = access;
  return OP2_SUCCESS;
}

op2_status op2_mat_petsc(op2_mat mat, op2_access access, MatType type, Mat *A) {
  struct op2i_petsc_scope scope;
  op2_status status = op2i_petsc_enter(&scope, "op2_mat_petsc");
  if (status) return status;
  status = check_view(scope.op2, mat, access, type, A);
  if (!status) status = open_mat(&scope, mat, access, op2i_petsc_form_of(mat, type), A);
  op2i_petsc_leave(&scope);
  return status;
}

/* Copy back the changes that the program made to a Mat. */
static op2_status take_back(struct op2i_petsc_scope *scope, op2_mat mat, struct kept_mat *own) {
  struct op2i_petsc_form *form = &own->forms[own->open];
  void *values;
  PetscErrorCode code = 0;
  op2_status status = scope->op2->host_rows(mat->values, OP2_RW, &values);
  if (!status && !form->wrapped) code = copy(mat, own->open, form, values, true);
  form->changes = mat->values->changes;
  return status ? status : op2i_petsc_status(scope, code, "matrix", mat->obj.name);
}

/* A Mat that was handed out for reading may have changed its state, possibly on another rank only.
 * Then a copy is made again when it is next needed; if the Mat uses the matrix's own memory, the
 * matrix counts as changed, so that preconditioners are made again. */
static op2_status look_at_read(struct op2i_petsc_scope *scope, op2_mat mat, struct kept_mat *own) {
  struct op2i_petsc_form *form = &own->forms[own->open];
  PetscObjectState state = own->state;
  PetscErrorCode code = PetscObjectStateGet((PetscObject)form->mat, &state);
  bool changed = !code && state != own->state;
  op2_status status = op2i_petsc_status(scope, code, "matrix", mat->obj.name);
  status = op2i_petsc_agree_on_change(scope->op2, mat->obj.ctx, status, &changed);
  if (status || !changed) return status;
  own->state = state;
  form->changes = -1;
  if (!form->wrapped) return OP2_SUCCESS;
  void *values;
  mat->values->changes++;
  return scope->op2->host_rows(mat->values, OP2_RW, &values);
}

op2_status op2_mat_petsc_end(op2_mat mat, Mat *A) {
  struct op2i_petsc_scope scope;
  op2_status status = op2i_petsc_enter(&scope, "op2_mat_petsc_end");
  if (status) return status;
  scope.op2->object_call(mat, OP2I_MAT, "op2_mat_petsc_end", NULL, 0);
  status = scope.op2->validate(mat, OP2I_MAT, "op2_mat_petsc_end");
  struct kept_mat *own = status ? NULL : mat->kept.data;
  if (!status && (!A || !own || own->open < 0 || *A != own->forms[own->open].mat))
    status = scope.op2->error(
        OP2_ERR_STATE, "op2_mat_petsc_end: this Mat of matrix '%s' is not open", mat->obj.name);
  op2_access access = status ? OP2_READ : own->access;
  if (!status && access == OP2_RW) status = take_back(&scope, mat, own);
  if (!status && access == OP2_READ) status = look_at_read(&scope, mat, own);
  if (!status) status = scope.op2->dat_close(mat->values, access, "op2_mat_petsc_end");
  if (!status && !mat->values->open_reads && !mat->values->open_writes) own->open = -1;
  if (!status) *A = NULL;
  op2i_petsc_leave(&scope);
  return status;
}
