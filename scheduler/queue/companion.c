/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of functions that companion libraries call. */
#include "companion.h"
#include "set.h"

#include "affinity.h"
#include "block.h"
#include "block_map.h"
#include "clock.h"
#include "comm_parcel.h"
#include "context.h"
#include "error.h"
#include "exchange.h"
#include "init.h"
#include "krylov.h"
#include "log.h"
#include "mem.h"
#include "operator.h"
#include "share.h"
#include "types.h"
#include "watch.h"

static op2_status comm_of(op2_context ctx, const char *call, struct op2i_comm **comm) {
  op2_status status = op2i_context_validate(ctx, call);
  if (!status) *comm = ctx->comm;
  return status;
}

static void hold(op2_context ctx) { ctx->refs++; }

static op2_status host_rows(op2_dat dat, op2_access access, void **rows) {
  op2_status status = op2i_buffer_at(&dat->values, OP2I_HOST, access, OP2I_OWNED_ROWS, rows);
  if (status != OP2_ERR_NOMEM) return status;
  return op2i_error(OP2_ERR_NOMEM, "out of memory for dat '%s'", dat->obj.name);
}

static void admit(op2_dat dat) { op2i_resource_admit(&dat->res); }

static const struct op2i_companion table = {.init_ranks = op2i_init_ranks,
                                            .comm_of = comm_of,
                                            .agree = op2i_comm_agree,
                                            .greatest = op2i_comm_greatest,
                                            .share = op2i_comm_share,
                                            .mail_pack = op2i_mail_pack,
                                            .mail_free = op2i_mail_free,
                                            .deliver = op2i_comm_deliver,
                                            .parcels_free = op2i_parcels_free,
                                            .share_find = op2i_share_find,
                                            .call = op2i_context_call,
                                            .object_call = op2i_object_call,
                                            .farewell = op2i_comm_farewell,
                                            .exits = op2i_comm_exits,
                                            .link = op2i_env_link,
                                            .limits = op2i_config_wait_limits,
                                            .error = op2i_error,
                                            .error_nomem = op2i_error_nomem,
                                            .calloc = op2i_calloc,
                                            .free = op2i_free,
                                            .nanoseconds = op2i_nanoseconds,
                                            .log = op2i_log,
                                            .fp_enter = op2i_fp_enter,
                                            .fp_leave = op2i_fp_leave,
                                            .fp_window_open = op2i_fp_window_open,
                                            .fp_window_close = op2i_fp_window_close,
                                            .process_cpu_set = op2i_process_cpu_set,
                                            .node_rank_compare = op2i_node_rank_compare,
                                            .context_validate = op2i_context_validate,
                                            .validate = op2i_object_validate,
                                            .hold = hold,
                                            .let_go = op2i_context_unref,
                                            .ref = op2i_ref,
                                            .unref = op2i_unref,
                                            .before = op2i_comm_before,
                                            .block_get = op2i_block_get,
                                            .block_put = op2i_block_put,
                                            .block_put_list = op2i_block_put_list,
                                            .map_get_block = op2i_map_get_block,
                                            .map_create_block = op2i_map_create_block,
                                            .type_size = op2i_type_size,
                                            .dat_open = op2i_dat_open,
                                            .dat_close = op2i_dat_close,
                                            .row_numbers = op2i_set_row_numbers,
                                            .host_rows = host_rows,
                                            .make_stale = op2i_dat_make_stale,
                                            .admit = admit,
                                            .operator_apply = op2i_operator_apply,
                                            .operator_diagonal = op2i_operator_diagonal,
                                            .method_kind = op2i_method_kind,
                                            .preconditioner_kind = op2i_preconditioner_kind,
                                            .background_add = op2i_background_add,
                                            .solver_trace = op2i_solver_trace,
                                            .partitioner_offer = op2i_partitioner_offer,
                                            .renumber_restore = op2i_renumber_restore,
                                            .numbering_restore = op2i_numbering_restore};

const struct op2i_companion *op2i_companion(int version) {
  if (version == OP2I_COMPANION_VERSION) return &table;
  (void)op2i_error(OP2_ERR_UNAVAILABLE,
                   "a companion of op2 is of another build than the library (version %d of what "
                   "they share, %d here): install both from the same sources",
                   version, OP2I_COMPANION_VERSION);
  return NULL;
}
