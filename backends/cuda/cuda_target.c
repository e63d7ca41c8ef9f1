/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of devices, and the architecture for which loops are compiled. An NVRTC that is older
 * than the device does not know the device's architecture. It then makes PTX for the nearest
 * architecture that it knows, and the driver, which knows the device, translates that to a cubin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_driver.h"
#include "device.h"
#include "error.h"
#include "mem.h"
#include "text.h"

int op2i_cuda_attribute(const struct op2i_cuda_api *api, int number, int which) {
  int value = 0;
  return api->cuDeviceGetAttribute(&value, which, number) ? 0 : value;
}

/* Return the highest architecture up to `wanted` that NVRTC knows; `wanted` if it knows none. */
static int nearest(int wanted) {
  enum { MOST = 256 };
  const char *why;
  const struct op2i_nvrtc_api *nvrtc = op2i_nvrtc_api(&why);
  int known[MOST], n = 0, best = 0;
  if (!nvrtc || nvrtc->nvrtcGetNumSupportedArchs(&n) || n > MOST ||
      nvrtc->nvrtcGetSupportedArchs(known))
    return wanted;
  for (int i = 0; i < n; i++)
    if (known[i] <= wanted && known[i] > best) best = known[i];
  return best ? best : wanted;
}

bool op2i_cuda_architecture(const char *target, char architecture[OP2I_CUDA_ARCHITECTURE]) {
  const int wanted = atoi(target + strlen("sm_")), found = nearest(wanted);
  snprintf(architecture, OP2I_CUDA_ARCHITECTURE, "%s_%d", found == wanted ? "sm" : "compute",
           found);
  return found != wanted;
}

void op2i_cuda_describe(const struct op2i_cuda_api *api, int number,
                        struct op2i_device_limits *limits) {
  char architecture[OP2I_CUDA_ARCHITECTURE];
  size_t bytes = 0;
  int driver = 0;
  if (api->cuDeviceGetName(limits->name, sizeof limits->name, number)) limits->name[0] = '\0';
  api->cuDeviceTotalMem_v2(&bytes, number);
  snprintf(limits->target, sizeof limits->target, "sm_%d%d",
           op2i_cuda_attribute(api, number, OP2I_CUDA_MAJOR),
           op2i_cuda_attribute(api, number, OP2I_CUDA_MINOR));
  op2i_cuda_compiler(limits->compiler, sizeof limits->compiler);
  /* Another driver may translate PTX to other code. */
  if (op2i_cuda_architecture(limits->target, architecture)) {
    const size_t length = strlen(limits->compiler);
    api->cuDriverGetVersion(&driver);
    snprintf(limits->compiler + length, sizeof limits->compiler - length, ", %s, driver %d",
             architecture, driver);
  }
  limits->doubles = true;
  limits->wave = op2i_cuda_attribute(api, number, OP2I_CUDA_WARP);
  limits->units = op2i_cuda_attribute(api, number, OP2I_CUDA_UNITS);
  limits->group_max = op2i_cuda_attribute(api, number, OP2I_CUDA_MAX_THREADS);
  limits->local_bytes = op2i_cuda_attribute(api, number, OP2I_CUDA_SHARED_OPTIN);
  limits->memory_bytes = (int64_t)bytes;
}

/* ---- translating PTX ------------------------------------------------------------------------- */

/* Copy the image, which belongs to the link state. */
static op2_status take_image(const struct op2i_cuda_api *api, op2i_cuda_link_state link,
                             void **binary, size_t *bytes) {
  void *image = NULL;
  op2i_cuda_result result = api->cuLinkComplete(link, &image, bytes);
  if (result)
    return op2i_error(OP2_ERR_COMPILE, "the driver does not translate PTX (error %d)", result);
  *binary = op2i_malloc(*bytes);
  if (!*binary) return op2i_error_nomem("compiled code");
  memcpy(*binary, image, *bytes);
  return OP2_SUCCESS;
}

op2_status op2i_cuda_translate(const struct op2i_cuda_api *api, struct op2i_text *log,
                               void **binary, size_t *bytes) {
  enum { PTX = 1, LOG = 5, LOG_BYTES = 6, ROOM = 4096 };
  char words[ROOM] = "";
  int options[] = {LOG, LOG_BYTES};
  void *values[] = {words, (void *)(uintptr_t)ROOM}, *ptx = *binary;
  op2i_cuda_link_state link = NULL;
  op2_status status = OP2_SUCCESS;
  *binary = NULL;
  op2i_cuda_result result = api->cuLinkCreate_v2(2, options, values, &link);
  if (!result) result = api->cuLinkAddData_v2(link, PTX, ptx, *bytes, "loop.ptx", 0, NULL, NULL);
  if (result)
    status = op2i_error(OP2_ERR_COMPILE, "the driver does not take PTX (error %d)", result);
  else
    status = take_image(api, link, binary, bytes);
  if (status) op2i_text_add(log, "%.*s", ROOM - 1, words);
  if (link) api->cuLinkDestroy(link);
  op2i_free(ptx);
  return status;
}

/* ---- the driver -------------------------------------------------------------------------------- */

static const struct op2i_cuda_api *find_both(const char **why) {
  const struct op2i_cuda_api *api = op2i_cuda_api(why);
  return api && op2i_nvrtc_api(why) ? api : NULL;
}

static const char *name(const char *function) { return function; }

const struct op2i_cuda_driver op2i_driver_cuda = {
    .kind = &op2i_device_cuda,
    .maker = "NVIDIA",
    .api = find_both,
    .describe = op2i_cuda_describe,
    .architecture = op2i_cuda_architecture,
    .name = name,
    .compile = op2i_cuda_compile,
};
