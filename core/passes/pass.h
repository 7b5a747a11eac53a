// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/json/json_document.h"
#include "core/module/graph_module.h"
#include "core/passes/tensor_engine.h"

namespace fx {

/// A setting of a pass.
struct PassSetting {
    std::string_view name;
    std::string_view about;
    std::string_view byDefault; ///< JSON
};

/// The settings of one run, by name, with their defaults.
class PassSettings {
public:
    PassSettings(const std::vector<PassSetting>& known, JsonValue given) : m_known(known), m_given(given) {}

    bool flag(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const; ///< a list of texts

private:
    const std::vector<PassSetting>& m_known;
    JsonValue m_given; ///< an object, or nothing
};

/// What a pass works with.
struct PassRun {
    GraphModule& model;
    PassSettings settings;
    Warnings& warnings;
    const Progress& progress;
    TensorEngine* engine = nullptr; ///< never null for passes that need one

    Graph& graph() const { return model.graph; }
};

/// A transformation of a whole model: its name, what it does, and the function that does it, which says whether
/// anything changed and throws Error{Refused}; the model may then be half changed.
///
/// Passes keep the ids and names of the nodes that stay.
struct Pass {
    std::string_view name;
    std::string_view about;
    std::vector<PassSetting> settings;
    bool (*run)(const PassRun& run); ///< null: this program cannot, because of `reason`
    std::string_view reason;
    bool needsEngine = false; ///< it asks the worker
};

} // namespace fx
