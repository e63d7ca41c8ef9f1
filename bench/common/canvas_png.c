/* SPDX-License-Identifier: BSD-3-Clause */
/* A canvas as a PNG file, by libpng where there is one. */
#include "canvas.h"

#ifdef BENCH_PNG

#include <png.h>
#include <stddef.h>

int canvas_save(const canvas *c, const char *path, bench_error *error) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)c->width,
                     .height = (png_uint_32)c->height,
                     .format = PNG_FORMAT_RGB};
  if (png_image_write_to_file(&image, path, 0, c->pixel, 0, NULL)) return 0;
  return bench_fail(error, "%s: %s", path, image.message);
}

#else

int canvas_save(const canvas *c, const char *path, bench_error *error) {
  (void)c;
  return bench_fail(error, "%s: no picture: this program was built without libpng", path);
}

#endif
