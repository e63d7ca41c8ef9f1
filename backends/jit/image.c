/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that a shared object can be loaded without harm: everything in it that a loader follows is
 * examined first. The tables are those of the System V ABI (ELF) and GNU's additions. */
#define _GNU_SOURCE
#include "image.h"

#include <string.h>

#include "image_object.h"

/* The header of the file that contains this code, as the linker provides it: an object that can be
 * loaded has the same class, byte order and machine. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static const char cut_off[] = "the file is cut off";

static bool inside(struct op2i_bytes bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size && size <= bytes.size - offset;
}

static ElfW(Phdr) segment(const struct op2i_image_object *o, unsigned i) {
  ElfW(Phdr) segment;
  memcpy(&segment, o->file.data + o->header.e_phoff + i * sizeof segment, sizeof segment);
  return segment;
}

/* Return the loaded segment that holds these addresses and has the flags, or -1; with `in_file` it
 * must hold them with bytes of the file. */
int op2i_image_find(const struct op2i_image_object *o, uint64_t address, uint64_t size,
                    unsigned flags, bool in_file) {
  for (unsigned i = 0; i < o->header.e_phnum; i++) {
    ElfW(Phdr) s = segment(o, i);
    uint64_t room = in_file ? s.p_filesz : s.p_memsz;
    if (s.p_type == PT_LOAD && (s.p_flags & flags) == flags && address >= s.p_vaddr &&
        address - s.p_vaddr <= room && size <= room - (address - s.p_vaddr))
      return (int)i;
  }
  return -1;
}

/* Return the bytes of the file at an address, or null if it has fewer bytes there. */
const unsigned char *op2i_image_at(const struct op2i_image_object *o, uint64_t address,
                                   uint64_t size) {
  int i = op2i_image_find(o, address, size, 0, true);
  if (i < 0) return NULL;
  ElfW(Phdr) s = segment(o, (unsigned)i);
  return o->file.data + s.p_offset + (address - s.p_vaddr);
}

bool op2i_image_nothing(const void *bytes, size_t size) {
  static const unsigned char nothing[64];
  return memcmp(bytes, nothing, size) == 0;
}

/* True if a function may begin at an address: no function begins with so many zeros. */
bool op2i_image_code(const struct op2i_image_object *o, uint64_t address) {
  enum { FEW = 8 };
  const unsigned char *bytes = op2i_image_at(o, address, FEW);
  return op2i_image_find(o, address, 1, PF_X, true) >= 0 &&
         (!bytes || !op2i_image_nothing(bytes, FEW));
}

/* ---- headers --------------------------------------------------------------------------------- */

static const char *header_fault(struct op2i_image_object *o) {
  ElfW(Ehdr) *header = &o->header;
  if (o->file.size < sizeof *header) return "the file is too short";
  memcpy(header, o->file.data, sizeof *header);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_type != ET_DYN)
    return "it is not a shared object";
  if (header->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
      header->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
      header->e_machine != __ehdr_start.e_machine)
    return "it is a shared object for another machine";
  if (header->e_version != EV_CURRENT || header->e_ident[EI_VERSION] != EV_CURRENT)
    return "its header is damaged";
  if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum == 0 ||
      !inside(o->file, header->e_phoff, (uint64_t)header->e_phnum * sizeof(ElfW(Phdr))) ||
      !inside(o->file, header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize))
    return cut_off;
  return NULL;
}

static const char *segments_fault(const struct op2i_image_object *o) {
  const uint64_t most = (uint64_t)1 << 31;
  enum { PAGE_MOST = 1 << 16 }; /* the last segment ends with a page */
  static const char damaged[] = "its segments are damaged";
  uint64_t end = 0;
  for (unsigned i = 0; i < o->header.e_phnum; i++) {
    ElfW(Phdr) s = segment(o, i);
    if (!inside(o->file, s.p_offset, s.p_filesz)) return cut_off;
    if (s.p_type == PT_GNU_STACK || s.p_type == PT_NULL) continue;
    if (s.p_vaddr > most || s.p_memsz > most || s.p_filesz > s.p_memsz) return damaged;
    if (s.p_type != PT_LOAD) continue;
    if (s.p_align & (s.p_align - 1)) return damaged;
    if (s.p_align > 1 && (s.p_vaddr - s.p_offset) % s.p_align != 0) return damaged;
    if (s.p_vaddr < end) return damaged;
    end = s.p_vaddr + s.p_memsz;
  }
  for (unsigned i = 0; i < o->header.e_phnum; i++) {
    ElfW(Phdr) s = segment(o, i);
    bool own = s.p_type == PT_GNU_RELRO || s.p_type == PT_DYNAMIC || s.p_type == PT_TLS;
    if (own && s.p_filesz > 0 && op2i_image_find(o, s.p_vaddr, s.p_filesz, 0, true) < 0)
      return damaged;
    if (s.p_type == PT_GNU_RELRO && s.p_vaddr + s.p_memsz > end + PAGE_MOST) return damaged;
  }
  return end > 0 ? NULL : "it has nothing to load";
}

/* ---- the dynamic section --------------------------------------------------------------------- */

static void note_tag(struct op2i_image_object *o, uint64_t tag, uint64_t value) {
  switch (tag) {
  case DT_GNU_HASH: o->gnu_hash = value; break;
  case DT_RELACOUNT: o->nrelative = value; break;
  case DT_VERSYM: o->versym = value; break;
  case DT_VERNEED: o->verneed = value; break;
  case DT_VERDEF: o->verdef = value; break;
  case DT_TEXTREL: o->writes_code = true; break;
  case DT_FLAGS: o->writes_code |= (value & DF_TEXTREL) != 0; break;
  default:
    if (tag < OP2I_IMAGE_TAGS) o->tag[tag] = value;
  }
}

static void note_dynamic(struct op2i_image_object *o) {
  for (unsigned i = 0; i < o->header.e_phnum; i++) {
    ElfW(Phdr) s = segment(o, i);
    if (s.p_type != PT_DYNAMIC) continue;
    o->dynamic = s.p_vaddr;
    o->dynamic_size = s.p_memsz;
  }
}

/* Get entry i of the dynamic section; returns false past its end. */
bool op2i_image_dynamic(const struct op2i_image_object *o, uint64_t i, ElfW(Dyn) * entry) {
  for (unsigned k = 0; k < o->header.e_phnum; k++) {
    ElfW(Phdr) s = segment(o, k);
    if (s.p_type != PT_DYNAMIC) continue;
    if ((i + 1) * sizeof *entry > s.p_filesz) return false;
    const unsigned char *bytes = op2i_image_at(o, s.p_vaddr, s.p_filesz);
    if (!bytes) return false;
    memcpy(entry, bytes + i * sizeof *entry, sizeof *entry);
    return true;
  }
  return false;
}

/* True if the offset is inside the table of names; the table ends with a zero. */
bool op2i_image_name(const struct op2i_image_object *o, uint64_t offset) {
  return offset < o->tag[DT_STRSZ];
}

/* True if the value of a tag is an offset in the table of names. */
static bool is_named(int64_t tag) {
  return tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH ||
         tag == DT_AUXILIARY || tag == DT_FILTER || tag == DT_AUDIT || tag == DT_DEPAUDIT ||
         tag == DT_CONFIG;
}

/* Loaders assume that a table has a size, and know the size of each of its rows. */
static bool sizes_sound(const struct op2i_image_object *o) {
  static const int pairs[][2] = {{DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                 {DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
                                 {DT_RELA, DT_RELASZ},
                                 {DT_REL, DT_RELSZ},
                                 {OP2I_RELR, OP2I_RELR_SIZE},
                                 {DT_JMPREL, DT_PLTRELSZ}};
  const uint64_t *tag = o->tag;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (!tag[pairs[i][0]] != !tag[pairs[i][1]]) return false;
  return tag[DT_STRTAB] && tag[DT_SYMTAB] && tag[DT_SYMENT] == sizeof(ElfW(Sym)) &&
         (!tag[DT_RELA] || tag[DT_RELAENT] == sizeof(ElfW(Rela))) &&
         (!tag[DT_REL] || tag[DT_RELENT] == sizeof(ElfW(Rel))) &&
         (!tag[OP2I_RELR] || tag[OP2I_RELR_EACH] == sizeof(ElfW(Addr))) &&
         (!tag[DT_JMPREL] || tag[DT_PLTREL] == (tag[DT_RELA] || !tag[DT_REL] ? DT_RELA : DT_REL));
}

/* If the object has section headers, the functions that are called first and last, and the arrays
 * of other such functions, must begin a section. */
static bool begins_section(const struct op2i_image_object *o, uint64_t address, uint64_t flag) {
  bool begins = o->header.e_shnum == 0;
  for (unsigned i = 0; i < o->header.e_shnum; i++) {
    ElfW(Shdr) s;
    memcpy(&s, o->file.data + o->header.e_shoff + i * sizeof s, sizeof s);
    begins |= (s.sh_flags & flag) && s.sh_addr == address;
  }
  return begins;
}

static const char *dynamic_fault(struct op2i_image_object *o) {
  static const char damaged[] = "its dynamic section is damaged";
  ElfW(Dyn) entry = {0};
  uint64_t n = 0;
  while (op2i_image_dynamic(o, n, &entry) && entry.d_tag != DT_NULL) {
    note_tag(o, (uint64_t)entry.d_tag, (uint64_t)entry.d_un.d_val);
    n++;
  }
  note_dynamic(o);
  if (n == 0 || entry.d_tag != DT_NULL) return "it has no dynamic section, or not all of it";
  uint64_t size = o->tag[DT_STRSZ];
  const unsigned char *names = size ? op2i_image_at(o, o->tag[DT_STRTAB], size) : NULL;
  if (!names || names[size - 1]) return "its table of names is damaged";
  for (uint64_t i = 0; i < n && op2i_image_dynamic(o, i, &entry); i++) {
    if (is_named(entry.d_tag) && !op2i_image_name(o, entry.d_un.d_val)) return damaged;
  }
  if (!sizes_sound(o)) return damaged;
  static const int functions[] = {DT_INIT, DT_FINI};
  static const int arrays[][2] = {{DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                  {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}};
  for (int i = 0; i < 2; i++) {
    uint64_t function = o->tag[functions[i]], array = o->tag[arrays[i][0]],
             bytes = o->tag[arrays[i][1]];
    if (function && !(begins_section(o, function, SHF_EXECINSTR) && op2i_image_code(o, function)))
      return damaged;
    if (bytes % sizeof(void *) || array % sizeof(void *)) return damaged;
    if (bytes && !(begins_section(o, array, SHF_WRITE) && op2i_image_at(o, array, bytes)))
      return damaged;
  }
  return NULL;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Blocks of a file that were never written read as zeros. No compiler makes so many consecutive
 * zeros in a function. */
static bool has_hole(struct op2i_bytes file, uint64_t from, uint64_t size) {
  enum { BLOCK = 512 };
  static const unsigned char nothing[BLOCK];
  for (uint64_t at = (from + BLOCK - 1) / BLOCK * BLOCK; at + BLOCK <= from + size; at += BLOCK)
    if (memcmp(file.data + at, nothing, BLOCK) == 0) return true;
  return false;
}

static const char *sections_fault(const struct op2i_image_object *o) {
  const ElfW(Ehdr) *header = &o->header;
  if (header->e_shnum && header->e_shentsize != sizeof(ElfW(Shdr)))
    return "its sections are damaged";
  for (unsigned i = 0; i < header->e_shnum; i++) {
    ElfW(Shdr) s;
    memcpy(&s, o->file.data + header->e_shoff + i * sizeof s, sizeof s);
    if (s.sh_type == SHT_NULL || s.sh_type == SHT_NOBITS) continue;
    if (!inside(o->file, s.sh_offset, s.sh_size)) return cut_off;
    if ((s.sh_flags & SHF_EXECINSTR) && has_hole(o->file, s.sh_offset, s.sh_size))
      return "a part of its code is empty";
  }
  return NULL;
}

const char *op2i_image_fault(struct op2i_bytes image) {
  struct op2i_image_object o = {.file = image};
  const char *fault = header_fault(&o);
  if (!fault) fault = segments_fault(&o);
  if (!fault) fault = sections_fault(&o);
  if (!fault) fault = dynamic_fault(&o);
  if (!fault) fault = op2i_image_tables_fault(&o);
  return fault;
}
