// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fx::quant {

/// What torch.ao's PrepareCustomConfig says of a whole model, without its settings that name Python classes: leaf
/// modules are chosen where a source is traced.
struct CustomConfig {
    std::vector<std::int64_t> quantizedInputs;  ///< `input_quantized_indexes`: inputs that the caller quantises
    std::vector<std::int64_t> quantizedOutputs; ///< `output_quantized_indexes`: results that stay quantised
    std::vector<std::string> preserved;         ///< `preserved_attributes`: of the root, although no node uses them
};

} // namespace fx::quant
