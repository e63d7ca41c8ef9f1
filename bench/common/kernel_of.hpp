/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_KERNEL_OF_HPP
#define BENCH_KERNEL_OF_HPP

#include <op2.hpp>

/** @file kernel_of.hpp
 * Kernels of the applications in C++. OP2_KERNEL() has made both a text and a function of each; the
 * programs that are built with BENCH_BY_ADDRESS have the library call the function. */
template <class F>
op2::kernel kernel_of(const op2::context &ctx, const op2_kernel_desc &desc, F function) {
#ifdef BENCH_BY_ADDRESS
  return op2::kernel(ctx, desc.name, function, OP2_ANY_THREADS);
#else
  (void)function;
  return op2::kernel(ctx, desc);
#endif
}

#endif
