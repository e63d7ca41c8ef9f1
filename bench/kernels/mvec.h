/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_MVEC_H
#define KERNELS_MVEC_H

#include "common/lanes.h"

/** @file mvec.h
 * The vector functions of the C library (libmvec), by the names that the vector ABI gives them.
 * BENCH_MVEC is defined where the library has them. */

#if defined __AVX512F__
#define MVEC_NAME(count, name)   "_ZGVeN8" count "_" name
#define MVEC_NAME32(count, name) "_ZGVeN16" count "_" name
#elif defined __AVX2__
#define MVEC_NAME(count, name)   "_ZGVdN4" count "_" name
#define MVEC_NAME32(count, name) "_ZGVdN8" count "_" name
#elif defined __AVX__
#define MVEC_NAME(count, name)   "_ZGVcN4" count "_" name
#define MVEC_NAME32(count, name) "_ZGVcN8" count "_" name
#else
#define MVEC_NAME(count, name)   "_ZGVbN2" count "_" name
#define MVEC_NAME32(count, name) "_ZGVbN4" count "_" name
#endif

/** Declare mvec_NAME for a function of one argument, in single precision or not, or of two. */
#define MVEC_ONE(name)   lanes mvec_##name(lanes x) __asm__(MVEC_NAME("v", #name))
#define MVEC_ONE32(name) lanes_f32 mvec_##name(lanes_f32 x) __asm__(MVEC_NAME32("v", #name))
#define MVEC_TWO(name)   lanes mvec_##name(lanes x, lanes y) __asm__(MVEC_NAME("vv", #name))

#endif
