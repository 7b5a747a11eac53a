// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_writer.h"

#include <string>
#include <vector>

namespace fx::timing {

/// The outcome of calling an operator once.
struct OperatorTrial {
    std::string dtype;      ///< "torch.float32"
    std::string layout;     ///< "contiguous", "channels_last"
    bool inProfile = false; ///< computed by a primitive of the profiled library
    std::string ran; ///< "convolution brg_conv_fwd:avx2 (src:f32:acdb ...)", "MKL sgemm", "ATen's own kernel", or why
                     ///< it cannot run
};

/// An operator and its spellings in graphs.
struct ProfiledOperator {
    std::string name;                     ///< name in reports
    std::vector<std::string> targets;     ///< globs of functions and operators: "torch.relu", "aten.relu.*"
    std::vector<std::string> methods;     ///< tensor methods
    std::vector<std::string> moduleTypes; ///< "torch.nn.ReLU"
    std::vector<OperatorTrial> trials;    ///< one per dtype and layout
};

/// The operators that a library runs on this machine.
struct OperatorProfile {
    std::string name = "onednn";             ///< the profiled library
    std::string processor, library, version; ///< "AMD EPYC", the worker's description of LibTorch, "v3.7.1"
    std::vector<ProfiledOperator> operators;
};

/// Returns the cached form of the profile: `{"profile", "processor", "library", "version", "rules", "operators"}`.
/// `rules` are support rules: an operator is supported for dtypes with at least one layout that ran in the library,
/// and for unknown dtypes if float32 did; others are unsupported, with the kernel that ran instead as the `reason`.
std::string toJson(const OperatorProfile& profile);

/// Returns $XDG_CACHE_HOME/lancet, else ~/.cache/lancet; empty without a home folder.
std::string cacheFolder();
/// Returns the path of the profile of this CPU; empty without a cache folder.
std::string profilePath(const std::string& name);

} // namespace fx::timing
