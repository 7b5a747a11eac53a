// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

#include <optional>
#include <unordered_map>

namespace fx {

/// The sizes of a model's values, from the graph's metadata or, if missing there, from the worker. The first such
/// query asks it for the whole model.
class ValueSizes {
public:
    /// Keeps a reference to `run`.
    explicit ValueSizes(const PassRun& run) : m_run(run) {}
    /// Returns nullopt if a size is unknown or not an integer. Throws the errors of `TensorEngine::shapes`.
    std::optional<std::vector<std::int64_t>> of(const Node& node);

private:
    const PassRun& m_run;
    bool m_asked = false;
    std::unordered_map<std::string, ValueInfo> m_told; ///< results of the worker, by node name
};

} // namespace fx
