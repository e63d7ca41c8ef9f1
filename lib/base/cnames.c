/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that have a meaning in every C program: keywords, what the standard library defines (C11
 * annex B), and what generated code needs. A constant of such a name would change the meaning of a
 * kernel, or break it. Functions that only POSIX or GNU add (gamma, y0, index) are free, as are
 * those of <time.h> and <signal.h>, whose names are also used in physics. */
#include "cnames.h"

#include <stdbool.h>
#include <string.h>

/* Words in one string, separated by blanks, with a blank before the first and after the last. */
static const char keywords[] =
    " auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm typeof bool true false nullptr alignas alignof "
    "constexpr static_assert thread_local typeof_unqual ";

/* Functions of double. Those of float and long double have the suffix f or l. */
static const char math[] =
    " acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb "
    "ldexp log log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma "
    "tgamma ceil floor nearbyint rint lrint llrint round lround llround trunc fmod remainder "
    "remquo copysign nan nextafter nexttoward fdim fmax fmin fma ";

static const char functions[] =
    " abort abs aligned_alloc atexit atof atoi atol atoll bsearch calloc div exit free getenv labs "
    "ldiv llabs lldiv malloc qsort quick_exit rand realloc srand strtod strtof strtol strtold "
    "strtoll strtoul strtoull system memchr memcmp memcpy memmove memset strcat strchr strcmp "
    "strcoll strcpy strcspn strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr "
    "strtok strxfrm clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc "
    "fputs fread freopen fscanf fseek fsetpos ftell fwrite getc getchar perror printf putc putchar "
    "puts remove rename rewind scanf setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc "
    "vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf ";

static const char macros[] =
    " NULL EOF BUFSIZ FILENAME_MAX FOPEN_MAX L_tmpnam TMP_MAX SEEK_CUR SEEK_END SEEK_SET stdin "
    "stdout stderr errno EDOM EILSEQ ERANGE EXIT_FAILURE EXIT_SUCCESS RAND_MAX MB_CUR_MAX assert "
    "offsetof HUGE_VAL HUGE_VALF HUGE_VALL INFINITY NAN MAXFLOAT SNAN SNANF SNANL HUGE "
    "math_errhandling MATH_ERRNO MATH_ERREXCEPT fpclassify isfinite isinf isnan isnormal signbit "
    "isgreater isgreaterequal isless islessequal islessgreater isunordered CHAR_BIT CHAR_MAX "
    "CHAR_MIN INT_MAX INT_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN MB_LEN_MAX SCHAR_MAX SCHAR_MIN "
    "SHRT_MAX SHRT_MIN UCHAR_MAX UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX DECIMAL_DIG "
    "PTRDIFF_MAX PTRDIFF_MIN SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIZE_MAX SIZE_WIDTH WCHAR_MAX WCHAR_MIN "
    "WINT_MAX WINT_MIN INTMAX_C UINTMAX_C INTMAX_MAX INTMAX_MIN UINTMAX_MAX INTPTR_MAX INTPTR_MIN "
    "UINTPTR_MAX "
    "DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS X_TLOSS ";

static const char types[] =
    " size_t ptrdiff_t wchar_t max_align_t FILE fpos_t div_t ldiv_t lldiv_t float_t double_t "
    "intmax_t uintmax_t intptr_t uintptr_t ";

static bool listed(const char *words, const char *name, size_t length) {
  for (const char *at = words; (at = strchr(at, ' ')) && at[1]; at++)
    if (!strncmp(at + 1, name, length) && at[1 + length] == ' ') return true;
  return false;
}

static bool starts(const char *name, const char *prefix) {
  return !strncmp(name, prefix, strlen(prefix));
}

static bool in_math(const char *name) {
  size_t length = strlen(name);
  if (listed(math, name, length)) return true;
  return length > 1 && strchr("fl", name[length - 1]) && listed(math, name, length - 1);
}

static bool ends(const char *name, const char *suffix) {
  size_t length = strlen(name), wanted = strlen(suffix);
  return length >= wanted && !strcmp(name + length - wanted, suffix);
}

/* INT32_MAX, UINT_FAST8_WIDTH, INT64_C and the types they belong to. */
static const char *integer_name(const char *name) {
  const char *upper = *name == 'U' ? name + 1 : name, *lower = *name == 'u' ? name + 1 : name;
  if (starts(upper, "INT") && strpbrk(upper, "0123456789") &&
      (ends(name, "_MAX") || ends(name, "_MIN") || ends(name, "_C") || ends(name, "_WIDTH")))
    return "a macro of <stdint.h>";
  if (starts(lower, "int") && strpbrk(lower, "0123456789") && ends(name, "_t"))
    return "a type of <stdint.h>";
  return NULL;
}

/* M_PI, M_SQRT1_2, M_PIl, M_2_SQRTPI: the prefix is M_, and the rest consists of capitals and
 * digits. */
static bool math_constant(const char *name) {
  if (!starts(name, "M_") || !name[2]) return false;
  static const char bases[] = " E LOG2E LOG10E LN2 LN10 PI PI_2 PI_4 1_PI 2_PI 2_SQRTPI SQRT2 "
                              "SQRT1_2 ";
  size_t length = strlen(name + 2);
  return listed(bases, name + 2, length) ||
         (name[1 + length] == 'l' && listed(bases, name + 2, length - 1));
}

const char *op2i_c_name(const char *name) {
  size_t length = strlen(name);
  if (listed(keywords, name, length)) return "a keyword of C";
  if (in_math(name)) return "a function of <math.h>";
  if (listed(functions, name, length)) return "a function of the C library";
  if (math_constant(name)) return "a macro of <math.h>";
  if (starts(name, "FLT_") || starts(name, "DBL_") || starts(name, "LDBL_") || starts(name, "DEC_"))
    return "a macro of <float.h>";
  if (starts(name, "FP_")) return "a macro of <math.h>";
  if (listed(macros, name, length)) return "a macro of the C library";
  if (listed(types, name, length)) return "a type of the C library";
  if (integer_name(name)) return integer_name(name);
  if (*name == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')))
    return "a name that C reserves for compilers";
  if (starts(name, "op2_") || starts(name, "op2i_") || starts(name, "OP2_"))
    return "a name of this library's own";
  return NULL;
}
