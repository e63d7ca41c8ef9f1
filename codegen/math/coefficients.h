/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COEFFICIENTS_H
#define OP2I_COEFFICIENTS_H

/* The constants in the texts of mathematical functions, as fit.py has computed them. */
/* clang-format off */

#define OP2I_LN2_HIGH 0x1.62e42fefa3800p-1
#define OP2I_LN2_LOW 0x1.ef35793c76730p-45
#define OP2I_LN2 0x1.62e42fefa39efp-1
#define OP2I_LN2_AFTER 0x1.abc9e3b39803fp-56
#define OP2I_LN2_26 0x1.62e4300000000p-1
#define OP2I_LN2_REST -0x1.05c610ca86c39p-29
#define OP2I_PER_LN2 0x1.71547652b82fep+0
#define OP2I_PER_LN2_26 0x1.7154768000000p+0
#define OP2I_PER_LN2_REST -0x1.6a3e80f444178p-27
#define OP2I_PER_LN10 0x1.bcb7b1526e50ep-2
#define OP2I_LOG10_2 0x1.34413509f79ffp-2
#define OP2I_PER_LN10_26 0x1.bcb7b18000000p-2
#define OP2I_PER_LN10_REST -0x1.6c8d78e6acaa4p-29
#define OP2I_LOG10_2_HIGH 0x1.34413509f7800p-2
#define OP2I_LOG10_2_LOW 0x1.fef311f12b358p-46
#define OP2I_2_THIRDS 0x1.5555555555555p-1
#define OP2I_2_THIRDS_LOW 0x1.5555555555555p-55
#define OP2I_HALF_PI_1 0x1.921fb54400000p+0
#define OP2I_HALF_PI_2 0x1.0b4611a600000p-34
#define OP2I_HALF_PI_3 0x1.3198a2e000000p-69
#define OP2I_HALF_PI_4 0x1.b839a252049c1p-104
#define OP2I_HALF_PI_AFTER 0x1.3198a2e037073p-69
#define OP2I_HALF_PI_REST 0x1.0b4611a626331p-34
#define OP2I_HALF_PI_HIGH 0x1.921fb54442d18p+0
#define OP2I_HALF_PI_LOW 0x1.1a62633145c07p-54
#define OP2I_QUARTER_PI_HIGH 0x1.921fb54442d18p-1
#define OP2I_QUARTER_PI_LOW 0x1.1a62633145c07p-55
#define OP2I_PI_HIGH 0x1.921fb54442d18p+1
#define OP2I_PI_LOW 0x1.1a62633145c07p-53
#define OP2I_TAN_PI_8 0x1.a827999fcef32p-2
#define OP2I_TAN_3_PI_8 0x1.3504f333f9de6p+1
#define OP2I_THIRD 0x1.5555555555555p-2
#define OP2I_2_PER_PI 0x1.45f306dc9c883p-1
#define OP2I_SQRT_HALF_BITS 0x3fe6a09e667f3bcd
#define OP2I_2_PER_PI_WORDS \
  0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, \
  0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, \
  0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, \
  0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, \
  0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d

/* exp(r) = 1 + r + r^2/2 + r^3 (EXP_3 + EXP_4 r + ...), |r| <= ln 2 / 2 */
/* The largest error is 0.0066 units of 2^-53. */
#define OP2I_EXP_3 0x1.555555555555ap-3
#define OP2I_EXP_4 0x1.5555555555530p-5
#define OP2I_EXP_5 0x1.111111110efbep-7
#define OP2I_EXP_6 0x1.6c16c16c27051p-10
#define OP2I_EXP_7 0x1.a01a01b26b4dap-13
#define OP2I_EXP_8 0x1.a01a01525f009p-16
#define OP2I_EXP_9 0x1.71ddf26a2230bp-19
#define OP2I_EXP_10 0x1.27e58d2534d53p-22
#define OP2I_EXP_11 0x1.af686c26303d6p-26
#define OP2I_EXP_12 0x1.1e66d4be78c5cp-29

/* log(1 + f) = 2 s + s (LOG_1 s^2 + LOG_2 s^4 + ...), s = f / (2 + f) */
/* The largest error is 0.017 units of 2^-53. */
#define OP2I_LOG_1 0x1.5555555555592p-1
#define OP2I_LOG_2 0x1.999999997fd56p-2
#define OP2I_LOG_3 0x1.24924941f71edp-2
#define OP2I_LOG_4 0x1.c71c5204094b7p-3
#define OP2I_LOG_5 0x1.7466401817eeep-3
#define OP2I_LOG_6 0x1.39a199ce448e2p-3
#define OP2I_LOG_7 0x1.2f06c564f816cp-3

/* log(1 + f) = s (2 + s^2 (2/3 + s^2 (POW_1 + POW_2 s^2 + ...))) */
/* The largest error is 0.0001 units of 2^-53. */
#define OP2I_POW_1 0x1.9999999999996p-2
#define OP2I_POW_2 0x1.2492492493038p-2
#define OP2I_POW_3 0x1.c71c71c580183p-3
#define OP2I_POW_4 0x1.745d183278ec3p-3
#define OP2I_POW_5 0x1.3b1362abe7093p-3
#define OP2I_POW_6 0x1.1120b727563f6p-3
#define OP2I_POW_7 0x1.de3332c74bfe5p-4
#define OP2I_POW_8 0x1.eb13265c7cc21p-4

/* sin(r) = r + r^3 (SIN_3 + SIN_5 r^2 + ...), |r| <= pi/4 */
/* The largest error is 0.094 units of 2^-53. */
#define OP2I_SIN_3 -0x1.5555555555548p-3
#define OP2I_SIN_5 0x1.111111110f7cap-7
#define OP2I_SIN_7 -0x1.a01a019bfd256p-13
#define OP2I_SIN_9 0x1.71de35671a5b8p-19
#define OP2I_SIN_11 -0x1.ae5e59f9e69e3p-26
#define OP2I_SIN_13 0x1.5d8fa3fb06fbfp-33

/* cos(r) = 1 - r^2/2 + r^4 (COS_4 + COS_6 r^2 + ...), |r| <= pi/4 */
/* The largest error is 0.01 units of 2^-53. */
#define OP2I_COS_4 0x1.555555555554bp-5
#define OP2I_COS_6 -0x1.6c16c16c14f8ap-10
#define OP2I_COS_8 0x1.a01a019c8399dp-16
#define OP2I_COS_10 -0x1.27e4f7ea3bfe4p-22
#define OP2I_COS_12 0x1.1ee9d754a2d88p-29
#define OP2I_COS_14 -0x1.8fa466a925f94p-37

/* atan(t) = t + t (ATAN_1 t^2 + ATAN_2 t^4 + ...), |t| <= tan(pi/8) */
/* The largest error is 0.028 units of 2^-53. */
#define OP2I_ATAN_1 -0x1.5555555555554p-2
#define OP2I_ATAN_2 0x1.999999999964ap-3
#define OP2I_ATAN_3 -0x1.24924924755d2p-3
#define OP2I_ATAN_4 0x1.c71c71b7418c1p-4
#define OP2I_ATAN_5 -0x1.745d14b870d7cp-4
#define OP2I_ATAN_6 0x1.3b136e109e56ap-4
#define OP2I_ATAN_7 -0x1.110c7126d92fcp-4
#define OP2I_ATAN_8 0x1.e171e0827c769p-5
#define OP2I_ATAN_9 -0x1.ab7cbc7927782p-5
#define OP2I_ATAN_10 0x1.70ea4b868886dp-5
#define OP2I_ATAN_11 -0x1.12311b8aa6ee4p-5
#define OP2I_ATAN_12 0x1.f1cf111ec33f9p-7

/* asin(s) = s + s (ASIN_1 s^2 + ASIN_2 s^4 + ...), |s| <= 1/2 */
/* The largest error is 0.029 units of 2^-53. */
#define OP2I_ASIN_1 0x1.5555555555577p-3
#define OP2I_ASIN_2 0x1.333333332e094p-4
#define OP2I_ASIN_3 0x1.6db6db7219937p-5
#define OP2I_ASIN_4 0x1.f1c71a923e7a4p-6
#define OP2I_ASIN_5 0x1.6e8bdf2dd6a29p-6
#define OP2I_ASIN_6 0x1.1c49eaca80a19p-6
#define OP2I_ASIN_7 0x1.ca20166fad784p-7
#define OP2I_ASIN_8 0x1.75810b8912ea9p-7
#define OP2I_ASIN_9 0x1.615660e6755f4p-7
#define OP2I_ASIN_10 0x1.e465778807245p-9
#define OP2I_ASIN_11 0x1.64191456ba061p-6
#define OP2I_ASIN_12 -0x1.58b2005d748bdp-6
#define OP2I_ASIN_13 0x1.0b8076937e73dp-5

/* m^(-1/3) = CBRT_0 + CBRT_1 m + ..., 1 <= m <= 8, of which few bits are wanted */
/* The largest error is 2.7e+13 units of 2^-53. */
#define OP2I_CBRT_0 0x1.6cc60d6d0e472p+0
#define OP2I_CBRT_1 -0x1.317eafc0349edp-1
#define OP2I_CBRT_2 0x1.a16ebb3deb4d4p-3
#define OP2I_CBRT_3 -0x1.3c4c16bfb2c2fp-5
#define OP2I_CBRT_4 0x1.e46fa0ddc0f4fp-9
#define OP2I_CBRT_5 -0x1.2457c8a980bfbp-13

/* exp(r) = 1 + r + r^2 (EXP_SHORT_2 + ...) */
/* The largest error is 4.7e+5 units of 2^-53. */
#define OP2I_EXP_SHORT_2 0x1.0000003a21b7cp-1
#define OP2I_EXP_SHORT_3 0x1.555554431a328p-3
#define OP2I_EXP_SHORT_4 0x1.55548dc76dd5fp-5
#define OP2I_EXP_SHORT_5 0x1.111270e957690p-7
#define OP2I_EXP_SHORT_6 0x1.6d8d04e1f8317p-10
#define OP2I_EXP_SHORT_7 0x1.9f084a333ff64p-13

/* log(1 + f) = f - f^2/2 + f^3 (LOG_SHORT_3 + ...) */
/* The largest error is 1.2e+6 units of 2^-53. */
#define OP2I_LOG_SHORT_3 0x1.55555504aaf27p-2
#define OP2I_LOG_SHORT_4 -0x1.ffffd26aacc86p-3
#define OP2I_LOG_SHORT_5 0x1.9999c995139a3p-3
#define OP2I_LOG_SHORT_6 -0x1.5563d859d4964p-3
#define OP2I_LOG_SHORT_7 0x1.2498bf24a7287p-3
#define OP2I_LOG_SHORT_8 -0x1.fcee8cc832da9p-4
#define OP2I_LOG_SHORT_9 0x1.c30d539aae671p-4
#define OP2I_LOG_SHORT_10 -0x1.ba1f59c85251ep-4
#define OP2I_LOG_SHORT_11 0x1.b80e81250a707p-4
#define OP2I_LOG_SHORT_12 -0x1.f7f30ca69bad5p-5

/* sin(r) = r + r^3 (SIN_SHORT_3 + ...) */
/* The largest error is 4.7e+4 units of 2^-53. */
#define OP2I_SIN_SHORT_3 -0x1.5555554c70053p-3
#define OP2I_SIN_SHORT_5 0x1.111108691291ap-7
#define OP2I_SIN_SHORT_7 -0x1.a00f7e19a5ea5p-13
#define OP2I_SIN_SHORT_9 0x1.6cd1b18fa5b29p-19

/* cos(r) = 1 + COS_SHORT_2 r^2 + ... */
/* The largest error is 5.7e+5 units of 2^-53. */
#define OP2I_COS_SHORT_2 -0x1.ffffffcb787ccp-2
#define OP2I_COS_SHORT_4 0x1.55553c74eefe4p-5
#define OP2I_COS_SHORT_6 -0x1.6c07eff62ff54p-10
#define OP2I_COS_SHORT_8 0x1.9916481772a0dp-16
/* clang-format on */

#endif
