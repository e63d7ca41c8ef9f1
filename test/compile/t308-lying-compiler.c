/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared objects that are damaged although the compiler or the disk reported success: each is
 * refused before the loader sees it, or is harmless to the loader. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>

#include "image.h"
#include "t3-rig.h"

static char cache[RIG_PATH], object[RIG_PATH];
static unsigned char *good;
static size_t size;

/* An object with all parts of generated code: functions, constants, data, another library's
 * functions. */
static bool make_object(const char *cc, const char *flags) {
  char source[RIG_PATH], command[4 * RIG_PATH];
  static const char text[] =
      "#include <math.h>\nstatic const double table[64] = {1, 2, 3};\nstatic double (*volatile f)"
      "(double) = tgamma;\nstatic const char *const names[] = {\"a\", \"b\"};\n"
      "double op2_entry_k0(double x) { return f(x) + table[(int)x & 63] + names[(int)x & 1][0]; }\n"
      "double op2_entry_k1(double x) { double s = 0; for (int i = 0; i < 64; i++) s += exp(x * "
      "table[i]) * sin(x + i) / (1 + x); return s; }\n";
  rig_path(source, "object.c");
  rig_path(object, "object.so");
  rig_write(source, text, sizeof text - 1, 0600);
  snprintf(command, sizeof command, "%s %s -shared -fPIC -Wl,-Bsymbolic -o %s %s -lm 2>/dev/null",
           cc, flags, object, source);
  free(good);
  good = NULL;
  if (system(command) != 0) return false;
  good = rig_read(object, &size);
  return true;
}

/* Load bytes that were accepted: 0 if the loader loads or refuses them, else it crashed. */
static int load_in_child(const unsigned char *bytes, size_t length) {
  char path[RIG_PATH];
  int status;
  rig_path(path, "mutant.so");
  unlink(path);
  rig_write(path, bytes, length, 0700);
  pid_t pid = fork();
  if (pid == 0) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle) (void)dlsym(handle, "op2_entry_k0"), (void)dlsym(handle, "nowhere");
    _exit(0);
  }
  waitpid(pid, &status, 0);
  return status;
}

static const char *fault_of(const unsigned char *bytes, size_t length) {
  unsigned char *copy = malloc(length + 1); /* of the exact size, so that sanitizers detect accesses
                                             * beyond it */
  memcpy(copy, bytes, length);
  const char *fault = op2i_image_fault((struct op2i_bytes){copy, length});
  free(copy);
  return fault;
}

static void test_cut(const char *what) {
  int accepted = 0, died = 0;
  const char *fault = fault_of(good, size);
  if (!ok(!fault, "%s: a sound object is sound", what)) diag("%s", fault);
  for (size_t length = 0; length < size; length += quick() ? 13 : 1)
    if (!fault_of(good, length)) accepted++, died += load_in_child(good, length) != 0;
  ok(died == 0 && accepted < 64, "%s: cut off anywhere, it is refused or loads (%d of %zu load)",
     what, accepted, size);
}

static bool in_code(size_t byte) {
  ElfW(Ehdr) header;
  memcpy(&header, good, sizeof header);
  for (int i = 0; i < header.e_phnum; i++) {
    ElfW(Phdr) s;
    memcpy(&s, good + header.e_phoff + (size_t)i * sizeof s, sizeof s);
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X) && byte - s.p_offset < s.p_filesz) return true;
  }
  return false;
}

/* Every byte that a loader may follow is changed in several ways: if the object is not refused, it
 * must not crash the loader. Wrong instructions cannot be told from right ones, and are left alone.
 * A single wrong address may be a valid address of another object: one failure in two hundred is
 * allowed. */
static void test_bytes(const char *what) {
  int refused = 0, loaded = 0, died = 0, tried = 0;
  unsigned char *mutant = malloc(size);
  static const unsigned char masks[] = {0x01, 0x80, 0xff, 0x24};
  for (size_t byte = 0; byte < size; byte++) {
    if (in_code(byte) || (quick() && byte > 64 && byte % 7)) continue;
    for (size_t m = 0; m < sizeof masks; m++) {
      memcpy(mutant, good, size);
      mutant[byte] ^= masks[m];
      tried++;
      if (fault_of(mutant, size)) {
        refused++;
      } else if (m == byte % sizeof masks && byte % (quick() ? 23 : 3) == 0) {
        int status = load_in_child(mutant, size);
        loaded++;
        died += status != 0;
        if (status != 0 && died < 10) diag("byte %zu, mask %x: %x", byte, masks[m], status);
      }
    }
  }
  free(mutant);
  ok(loaded > 20 && died * 200 <= loaded,
     "%s: bytes changed, %d of %d refused, the loader dies of %d of %d others", what, refused,
     tried, died, loaded);
  ok(refused > 100, "%s: and many are refused", what);
}

/* Blocks that were never written. */
static void test_holes(const char *what) {
  int died = 0, refused = 0, tried = 0;
  unsigned char *mutant = malloc(size);
  for (size_t block = 512; block <= 4096; block *= 2)
    for (size_t from = 0; from < size; from += block) {
      size_t length = size - from < block ? size - from : block;
      memcpy(mutant, good, size);
      memset(mutant + from, 0, length);
      if (memcmp(mutant, good, size) == 0) continue;
      tried++;
      int status = 0;
      if (fault_of(mutant, size))
        refused++;
      else
        status = load_in_child(mutant, size);
      died += status != 0;
      if (status != 0) diag("%zu bytes at %zu: %x", length, from, (unsigned)status);
    }
  free(mutant);
  ok(died == 0 && refused > 0, "%s: of %d holes %d are seen, and none kills the loader", what,
     tried, refused);
}

static void test_other_machine(void) {
  ElfW(Ehdr) header;
  unsigned char *mutant = malloc(size);
  memcpy(mutant, good, size);
  memcpy(&header, good, sizeof header);
  header.e_machine = header.e_machine == EM_S390 ? EM_SPARC : EM_S390;
  memcpy(mutant, &header, sizeof header);
  const char *fault = fault_of(mutant, size);
  ok(fault && strstr(fault, "another machine"), "an object for another machine is told as such");
  free(mutant);
}

/* Options of compilers and linkers that a user may set change the object's tables; none of these
 * objects is damaged. */
static void test_flags(void) {
  static const char *const flags[] = {"-g3 -O1",
                                      "-s",
                                      "-fopenmp",
                                      "-fsanitize=address",
                                      "-fsanitize=undefined",
                                      "-fprofile-generate",
                                      "-flto -O2",
                                      "-Wl,-z,now -Wl,-z,separate-code",
                                      "-Wl,-z,noseparate-code",
                                      "-Wl,-z,norelro",
                                      "-Wl,-z,max-page-size=65536",
                                      "-pg",
                                      "-nostartfiles",
                                      "-Wl,-soname,x.so -Wl,-rpath,/nowhere",
                                      "-falign-functions=1024",
                                      "-ffunction-sections -Wl,--gc-sections"};
  static const char *const compilers[] = {"gcc", "clang"};
  for (size_t c = 0; c < 2; c++)
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
      if (!make_object(compilers[c], flags[i])) {
        skip("%s %s makes no object here", compilers[c], flags[i]);
        continue;
      }
      const char *fault = fault_of(good, size);
      if (!ok(!fault, "%s %s: sound", compilers[c], flags[i])) diag("%s", fault);
    }
}

/* Damage through a compiler: whatever it leaves with exit status 0, the loop fails with a message
 * that names it, the program survives, and the cache keeps nothing of it. */
static void test_compilers(void) {
  static const struct {
    const char *line, *what;
  } lies[] = {
      {"truncate -s 12000 $o", "cut off"},
      {"truncate -s 4096 $o", "cut off at a page"},
      {"truncate -s 0 $o; truncate -s 20000 $o", "zeros"},
      {"dd if=/dev/zero of=$o bs=4096 seek=1 count=1 conv=notrunc 2>/dev/null", "a lost page"},
      {"dd if=/dev/zero of=$o bs=512 seek=1 count=2 conv=notrunc 2>/dev/null", "two lost blocks"},
      {"dd if=/dev/urandom of=$o bs=1 seek=64 count=500 conv=notrunc 2>/dev/null",
       "noise in its headers"},
      {"dd if=/dev/urandom of=$o bs=64 seek=8 count=40 conv=notrunc 2>/dev/null",
       "noise in its tables"},
      {"truncate -s 1T $o", "a terabyte long"},
      {"rm $o; mkfifo $o", "a pipe"},
      {"rm $o; ln -s /dev/zero $o", "a link to an endless device"},
      {"rm $o; mkdir -p $o/inner", "a folder"},
      {"echo 'int x;' > $o.c; cc -shared -fPIC -o $o $o.c", "other code"},
      {"echo 'double op2_entry;' > $o.c; cc -c -o $o $o.c", "not linked"},
  };
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    char cc[RIG_PATH], script[1024], name[32];
    int status;
    snprintf(name, sizeof name, "cc-lies-%zu", i);
    snprintf(script, sizeof script,
             "#!/bin/sh\nfor a; do case $last in -o) o=$a;; esac; last=$a; done\ncc \"$@\" || exit "
             "1\n%s\nexit 0\n",
             lies[i].line);
    rig_script(cc, name, script);
    pid_t pid = fork();
    if (pid == 0) {
      char source[2048];
      op2_context ctx = rig_context(cache, cc, NULL);
      rig_source(source, sizeof source, 2, NULL);
      struct op2i_jit_code unit = {.source = source, .mergeable = true, .label = "lied"};
      alarm(120);
      if (op2i_jit_get(ctx, 1, &unit) != OP2_SUCCESS) _exit(1);
      if (unit.status != OP2_ERR_COMPILE || unit.function) _exit(2);
      if (!strstr(unit.message, cc)) diag("%s", unit.message), _exit(3);
      rig_end(ctx);
      _exit(0);
    }
    waitpid(pid, &status, 0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
       "a compiler whose object is %s: a failure that names it (%x)", lies[i].what,
       (unsigned)status);
  }
  char path[RIG_PATH];
  ok(!rig_find_entry(cache, path), "and nothing is kept of any");
}

int main(void) {
  static const struct {
    const char *cc, *flags;
  } kinds[] = {
      {"gcc", "-O0"},
      {"gcc", "-O3"},
      {"gcc", "-O2 -Wl,--hash-style=both -g"},
      {"gcc", "-O2 -Wl,-z,lazy -Wl,-z,pack-relative-relocs"},
      {"clang", "-O2 -Wl,--hash-style=sysv"},
      {"clang", "-O3"},
      {"gcc", "-O2 -fuse-ld=gold"},
      {"clang", "-O2 -fuse-ld=lld"},
  };
  rig_open();
  rig_path(cache, "cache");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i += quick() ? 2 : 1) {
    char what[128];
    snprintf(what, sizeof what, "%s %s", kinds[i].cc, kinds[i].flags);
    if (!make_object(kinds[i].cc, kinds[i].flags)) {
      skip("%s makes no object here", what);
      continue;
    }
    test_cut(what);
    test_bytes(what);
    test_holes(what);
    if (i == 0) test_other_machine();
  }
  test_flags();
  test_compilers();
  free(good);
  rig_close();
  return done();
}
