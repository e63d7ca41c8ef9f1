/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_COMPAT_PROFILE_H
#define OP2_COMPAT_PROFILE_H

#include "op2_compat.h"

/** @file op_profile.h
 * Times of sections of a program. Sections nest; one of the same name in the same section is the
 * same. Since loops wait, the beginning and the end of a section make the queue run. Times are those
 * of the first rank. OP_PROFILE_LEVEL in the environment chooses what is reported: 0 nothing, 1
 * sections, 2 and 3 also a table of the kernels. */

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Begin anew, without sections.
 * @memory name is copied                  @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 op_profile_start */
OP2_COMPAT_API void op_profile_start(const char *name);
/** @brief Begin a section in the present one.
 * @memory name is copied                  @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 op_profile_enter */
OP2_COMPAT_API void op_profile_enter(const char *name);
/** @brief End the present section and begin one beside it.
 * @memory name is copied                  @sync   flushes and waits
 * @mpi    collective                      @errors end the program: there is no section
 * @source OP2 op_profile_next */
OP2_COMPAT_API void op_profile_next(const char *name);
/** @brief End the present section.
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective                      @errors end the program: there is no section
 * @source OP2 op_profile_exit */
OP2_COMPAT_API void op_profile_exit(void);
/** @brief End all sections.
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 op_profile_end */
OP2_COMPAT_API void op_profile_end(void);
/** @brief Print sections and kernels on the first rank, and write the file that
 * OP_PROFILE_JSON_OUTPUT names.
 * @memory keeps nothing                   @sync   flushes and waits
 * @mpi    collective                      @errors end the program
 * @source OP2 op_profile_output */
OP2_COMPAT_API void op_profile_output(void);
/** @brief Write sections to a file as JSON: for each its name, its number of calls, their seconds
 * in total, at least and at most, and its sections.
 * @units  seconds                         @memory keeps nothing
 * @sync   runs nothing                    @mpi    the first rank writes
 * @errors end the program: the file cannot be written
 * @source OP2 op_profile_output_json */
OP2_COMPAT_API void op_profile_output_json(const char *file);

#ifdef __cplusplus
}
/** Times are there by the functions above. */
struct op_profile {
  static op_profile &instance() __attribute__((error("use op_profile_enter() and its like")));
};
#endif

#endif
