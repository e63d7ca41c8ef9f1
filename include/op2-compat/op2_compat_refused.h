/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_COMPAT_REFUSED_H
#define OP2_COMPAT_REFUSED_H

/** @file op2_compat_refused.h
 * The names of OP2's headers that this library does not have. A program in C++ that uses one of them
 * does not compile, and the message says what to do. Each takes any arguments, and gives what is
 * converted to any type, so that this message is the only one. */

#ifdef __cplusplus

struct op2_compat_nothing {
  template <class T> operator T() const { return T(); }
};
#define OP2_COMPAT_REFUSED_(name_, what_)                                                          \
  op2_compat_nothing name_(...) __attribute__((error(what_)))
/* For what programs call that OP2's translator has made. */
#define OP2_COMPAT_GENERATED_(name_)                                                               \
  OP2_COMPAT_REFUSED_(name_, "op_par_loop() does this here: compile the program as it was before " \
                             "OP2's translator")
#if defined __has_attribute
#if __has_attribute(unavailable)
#define OP2_COMPAT_NO_VARIABLE_(type_, name_, what_)                                               \
  extern type_ name_ __attribute__((unavailable(what_)))
#endif
#endif
#ifndef OP2_COMPAT_NO_VARIABLE_
#define OP2_COMPAT_NO_VARIABLE_(type_, name_, what_)                                               \
  extern type_ name_ __attribute__((deprecated(what_)))
#endif

/* ---- calls of programs ------------------------------------------------------------------------ */

OP2_COMPAT_REFUSED_(op_decl_dat_overlay,
                    "dats do not share memory here: declare one dat and use it twice");
OP2_COMPAT_REFUSED_(op_decl_dat_overlay_ptr,
                    "dats do not share memory here: declare one dat and use it twice");
OP2_COMPAT_REFUSED_(op_fetch_data_file_char, "use op_fetch_data()");
OP2_COMPAT_REFUSED_(op_dump_dat, "use op_print_dat_to_txtfile()");
OP2_COMPAT_REFUSED_(op_disable_mpi_reductions, "reductions are over all ranks: leave the call out");
OP2_COMPAT_REFUSED_(op_put_dat, "the library brings values where they are needed");
OP2_COMPAT_REFUSED_(op_get_dat, "the library brings values where they are needed");
OP2_COMPAT_REFUSED_(op_compute_moment, "use MPI_Reduce()");
OP2_COMPAT_REFUSED_(op_compute_moment_across_times, "use MPI_Reduce()");
OP2_COMPAT_REFUSED_(op_reset_power_counters, "the library does not measure power");
OP2_COMPAT_REFUSED_(op_type_equivalence, "compare the types by strcmp()");
OP2_COMPAT_REFUSED_(check_map, "op_decl_map() does this: leave the call out");

/* ---- variables -------------------------------------------------------------------------------- */

#define OP2_COMPAT_OPTION_ "options of the library are variables of the environment (op2/context.h)"
OP2_COMPAT_NO_VARIABLE_(int, OP_part_size, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_block_size, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_cache_line_size, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(double, OP_hybrid_balance, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_hybrid_gpu, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_gpu_direct, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_unified_exchanges, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_auto_soa, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_mpi_test_frequency, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_partial_exchange, OP2_COMPAT_OPTION_);
OP2_COMPAT_NO_VARIABLE_(int, OP_maps_base_index, "give op_init() OP_MAPS_BASE_INDEX=1 instead");
OP2_COMPAT_NO_VARIABLE_(int, OP_set_index, "count the results of op2_compat_set() instead");
OP2_COMPAT_NO_VARIABLE_(int, OP_map_index, "count the results of op2_compat_map() instead");
OP2_COMPAT_NO_VARIABLE_(int, OP_dat_index, "count the results of op2_compat_dat() instead");
OP2_COMPAT_NO_VARIABLE_(op_set *, OP_set_list, "use op2_compat_set() instead");
OP2_COMPAT_NO_VARIABLE_(op_map *, OP_map_list, "use op2_compat_map() instead");
OP2_COMPAT_NO_VARIABLE_(op_dat *, OP_dat_list, "use op2_compat_dat() instead");
OP2_COMPAT_NO_VARIABLE_(void *, OP_kernels, "use op_timing_output() instead");
OP2_COMPAT_NO_VARIABLE_(int, OP_kern_max, "use op_timing_output() instead");
OP2_COMPAT_NO_VARIABLE_(int, OP_kern_curr, "use op_timing_output() instead");
OP2_COMPAT_NO_VARIABLE_(void *, OP_plans, "use op2_explain() of op2/graph.h instead");
OP2_COMPAT_NO_VARIABLE_(double, OP_plan_time, "use op2_times_get() of op2/graph.h instead");

/* ---- what OP2's translator makes of a program calls, and what its library consists of ---------- */

OP2_COMPAT_GENERATED_(op_init_core);
OP2_COMPAT_GENERATED_(op_exit_core);
OP2_COMPAT_GENERATED_(op_decl_set_core);
OP2_COMPAT_GENERATED_(op_decl_map_core);
OP2_COMPAT_GENERATED_(op_decl_dat_core);
OP2_COMPAT_GENERATED_(op_decl_dat_temp_core);
OP2_COMPAT_GENERATED_(op_free_dat_temp_core);
OP2_COMPAT_GENERATED_(op_decl_const_core);
OP2_COMPAT_GENERATED_(op_arg_dat_core);
OP2_COMPAT_GENERATED_(op_opt_arg_dat_core);
OP2_COMPAT_GENERATED_(op_arg_gbl_core);
OP2_COMPAT_GENERATED_(op_arg_check);
OP2_COMPAT_GENERATED_(op_timing_output_core);
OP2_COMPAT_GENERATED_(op_timing_realloc);
OP2_COMPAT_GENERATED_(op_timing_realloc_manytime);
OP2_COMPAT_GENERATED_(op_print_dat_to_binfile_core);
OP2_COMPAT_GENERATED_(op_print_dat_to_txtfile_core);
OP2_COMPAT_GENERATED_(op_trigger_halo_exchanges);
OP2_COMPAT_GENERATED_(op_mpi_halo_exchanges);
OP2_COMPAT_GENERATED_(op_mpi_halo_exchanges_cuda);
OP2_COMPAT_GENERATED_(op_mpi_halo_exchanges_grouped);
OP2_COMPAT_GENERATED_(op_mpi_set_dirtybit);
OP2_COMPAT_GENERATED_(op_mpi_set_dirtybit_cuda);
OP2_COMPAT_GENERATED_(op_mpi_wait_all);
OP2_COMPAT_GENERATED_(op_mpi_wait_all_cuda);
OP2_COMPAT_GENERATED_(op_mpi_wait_all_grouped);
OP2_COMPAT_GENERATED_(op_mpi_test_all);
OP2_COMPAT_GENERATED_(op_mpi_test_all_grouped);
OP2_COMPAT_GENERATED_(op_mpi_reset_halos);
OP2_COMPAT_GENERATED_(op_mpi_reduce);
OP2_COMPAT_GENERATED_(op_mpi_reduce_combined);
OP2_COMPAT_GENERATED_(op_mpi_reduce_float);
OP2_COMPAT_GENERATED_(op_mpi_reduce_double);
OP2_COMPAT_GENERATED_(op_mpi_reduce_int);
OP2_COMPAT_GENERATED_(op_mpi_reduce_bool);
OP2_COMPAT_GENERATED_(op_mpi_perf_time);
OP2_COMPAT_GENERATED_(op_mpi_perf_comms);
OP2_COMPAT_GENERATED_(op_realloc_comm_buffer);
OP2_COMPAT_GENERATED_(op_gpi_halo_exchanges);
OP2_COMPAT_GENERATED_(op_gpi_reduce_combined);
OP2_COMPAT_GENERATED_(op_gpi_reduce_float);
OP2_COMPAT_GENERATED_(op_gpi_reduce_double);
OP2_COMPAT_GENERATED_(op_gpi_reduce_int);
OP2_COMPAT_GENERATED_(op_gpi_reduce_bool);
OP2_COMPAT_GENERATED_(op_plan_old_core);
OP2_COMPAT_GENERATED_(op_plan_core);
OP2_COMPAT_GENERATED_(op_plan_get);
OP2_COMPAT_GENERATED_(op_plan_get_stage);
OP2_COMPAT_GENERATED_(op_plan_get_stage_upload);
OP2_COMPAT_GENERATED_(op_plan_check);
OP2_COMPAT_GENERATED_(op_rt_exit);
OP2_COMPAT_GENERATED_(getSetSizeFromOpArg);

/* ---- op_mpi_core.h ---------------------------------------------------------------------------- */

OP2_COMPAT_REFUSED_(op_mpi_get_data, "use op_fetch_data()");
OP2_COMPAT_REFUSED_(op_mpi_put_data, "write through `dat->data`");
OP2_COMPAT_REFUSED_(op_partition_random, "use op_partition(\"RANDOM\", \"\", set, NULL, NULL)");
OP2_COMPAT_REFUSED_(op_partition_external, "use op_partition(\"EXTERNAL\", \"\", set, NULL, dat)");
OP2_COMPAT_REFUSED_(op_partition_inertial, "use op_partition(\"INERTIAL\", \"\", set, NULL, dat)");
OP2_COMPAT_REFUSED_(op_partition_geom, "use op_partition(\"PARMETIS\", \"GEOM\", set, NULL, dat)");
OP2_COMPAT_REFUSED_(op_partition_geomkway,
                    "use op_partition(\"PARMETIS\", \"KWAY\", set, map, dat)");
OP2_COMPAT_REFUSED_(op_partition_meshkway,
                    "use op_partition(\"PARMETIS\", \"KWAY\", set, map, NULL)");
OP2_COMPAT_REFUSED_(op_partition_kway, "use op_partition(\"PARMETIS\", \"KWAY\", set, map, NULL)");
OP2_COMPAT_REFUSED_(op_partition_ptscotch,
                    "use op_partition(\"PTSCOTCH\", \"KWAY\", set, map, NULL)");
OP2_COMPAT_GENERATED_(op_halo_permap_create);
OP2_COMPAT_GENERATED_(fetch_data_hdf5);
OP2_COMPAT_GENERATED_(mpi_timing_output);
OP2_COMPAT_GENERATED_(op_mpi_exit);
OP2_COMPAT_GENERATED_(print_dat_to_txtfile_mpi);
OP2_COMPAT_GENERATED_(print_dat_to_binfile_mpi);
OP2_COMPAT_GENERATED_(op_mv_halo_device);
OP2_COMPAT_GENERATED_(op_mv_halo_list_device);
OP2_COMPAT_GENERATED_(op_move_to_device);
OP2_COMPAT_GENERATED_(op_exchange_halo);
OP2_COMPAT_GENERATED_(op_exchange_halo_partial);
OP2_COMPAT_GENERATED_(op_exchange_halo_cuda);
OP2_COMPAT_GENERATED_(op_exchange_halo_partial_cuda);
OP2_COMPAT_GENERATED_(op_wait_all);
OP2_COMPAT_GENERATED_(op_wait_all_cuda);
OP2_COMPAT_GENERATED_(op_mpi_test);
OP2_COMPAT_GENERATED_(op_download_buffer_async);
OP2_COMPAT_GENERATED_(op_upload_buffer_async);
OP2_COMPAT_GENERATED_(op_download_buffer_sync);
OP2_COMPAT_GENERATED_(op_gather_record);
OP2_COMPAT_GENERATED_(op_gather_sync);
OP2_COMPAT_GENERATED_(op_scatter_sync);

/* ---- op_profile.h ----------------------------------------------------------------------------- */

OP2_COMPAT_GENERATED_(op_profile_enter_kernel);

#endif
#endif
