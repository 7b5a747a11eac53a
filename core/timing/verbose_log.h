// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <string_view>

namespace fx::timing {

/// Parsed output of oneDNN (ONEDNN_VERBOSE) and MKL (MKL_VERBOSE).
///
///     onednn_verbose,v1,primitive,exec,cpu,convolution,brg_conv_fwd:avx2,forward_inference,src:f32::blocked:acdb::f0
///     ...,,alg:...,mb1_ic3...,0.41
///     MKL_VERBOSE SGEMM(N,N,64,32,16,0x7ffd...,...) 12.3us CNR:OFF Dyn:1 FastMM:1 TID:0 NThr:2
struct VerboseLog {
    std::string version, isa; ///< from oneDNN's first lines: "v3.7.1", "Intel AVX2"; empty if missing
    std::vector<Primitive> primitives;
};
/// Parses the lines of both libraries and skips all others.
VerboseLog parseVerbose(std::string_view text);

} // namespace fx::timing
