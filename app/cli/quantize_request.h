// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "app/cli/save.h"

namespace app {

/// What `quantize` was asked for.
struct QuantizeRequest {
    SaveRequest save;
    std::string backend = "x86", mode = "static";
    std::string qconfig;                  ///< a file, or the JSON itself; empty: the mode's default
    std::string backendConfig = "native"; ///< what is fused and observed
    bool prepared = false, reference = false;
    std::string report, show;
    RunOptions inputs;
};

} // namespace app
