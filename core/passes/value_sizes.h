// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

#include <optional>
#include <unordered_map>

namespace fx {

/// The sizes of a model's values: what the graph's metadata tells, else what the worker says of the whole model when it
/// is first asked.
class ValueSizes {
public:
    explicit ValueSizes(const PassRun& run) : m_run(run) {}
    /// nullopt if they are unknown or not all integers. Throws what `TensorEngine::shapes` throws.
    std::optional<std::vector<std::int64_t>> of(const Node& node);

private:
    const PassRun& m_run;
    bool m_asked = false;
    std::unordered_map<std::string, ValueInfo> m_told; ///< by node name
};

} // namespace fx
