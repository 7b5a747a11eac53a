// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_writer.h"

#include <string>
#include <vector>

namespace fx::timing {

/// What ran when an operator was called once.
struct OperatorTrial {
    std::string dtype;      ///< "torch.float32"
    std::string layout;     ///< "contiguous", "channels_last"
    bool inProfile = false; ///< a primitive of the library that the profile is about computed it
    std::string ran; ///< "convolution brg_conv_fwd:avx2 (src:f32:acdb ...)", "MKL sgemm", "ATen's own kernel", or why
                     ///< it cannot run
};

/// An operator and the ways in which graphs spell it.
struct ProfiledOperator {
    std::string name;
    std::vector<std::string> targets;     ///< globs of functions and operators: "torch.relu", "aten.relu.*"
    std::vector<std::string> methods;     ///< of tensors
    std::vector<std::string> moduleTypes; ///< "torch.nn.ReLU"
    std::vector<OperatorTrial> trials;
};

/// What a library runs on this machine, operator by operator.
struct OperatorProfile {
    std::string name = "onednn";
    std::string processor, library, version; ///< "AMD EPYC", what the worker says of LibTorch, "v3.7.1"
    std::vector<ProfiledOperator> operators;
};

/// The profile as the cache keeps it: `{"profile", "processor", "library", "version", "rules", "operators"}`. `rules`
/// are support rules: an operator is supported for the dtypes in which one of its layouts ran in the library, for
/// unknown ones when float32 did; the others are unsupported, with what ran instead as the `reason`.
std::string toJson(const OperatorProfile& profile);

/// $XDG_CACHE_HOME/lancet, else ~/.cache/lancet; empty when neither is set.
std::string cacheFolder();
/// The file that keeps a profile of this processor; empty without a cache folder.
std::string profilePath(const std::string& name);

} // namespace fx::timing
