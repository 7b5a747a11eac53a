// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/json/json_document.h"
#include "core/module/graph_module.h"
#include "core/passes/manager/pass_instrument.h"
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
    std::vector<std::string> texts(std::string_view name) const; ///< a list of strings
    JsonValue given(std::string_view name) const;                ///< absent if the default holds

private:
    const std::vector<PassSetting>& m_known;
    JsonValue m_given; ///< an object, or absent
};

/// The input of a pass.
struct PassRun {
    GraphModule& model;
    PassSettings settings;
    Warnings& warnings;
    const Progress& progress;
    TensorEngine* engine = nullptr; ///< never null for passes that need one
    RewriteWatch* watch = nullptr;
    Warnings* notes = nullptr; ///< what the pass has to say of its work, for `PassReport::notes`

    Graph& graph() const { return model.graph; }

    /// Makes one rewrite, at `node`, unless an instrument forbids it; returns whether it was made. A pass changes the
    /// graph in rewrites only, and the graph is whole between two of them; modules that nothing calls any more may be
    /// removed at the end.
    template<class Change> bool rewrite(NodeId node, const Change& change) const {
        if (watch && !watch->begin(node, model)) return false;
        change();
        if (watch) watch->end(model);
        return true;
    }
};

/// A transformation of a whole model: its name, description and function. The function returns whether anything
/// changed, and throws Error{Refused}; the model may then be partially changed.
///
/// Passes keep the ids and names of remaining nodes.
struct Pass {
    std::string_view name;
    std::string_view about;
    std::vector<PassSetting> settings;
    bool (*run)(const PassRun& run); ///< null if unsupported, because of `reason`
    std::string_view reason;
    bool needsEngine = false; ///< whether it needs the worker
};

/// Runs another pass as a part of a run, whose rewrites count there. `settings`: JSON.
bool runPart(const PassRun& run, const Pass& pass, const std::string& settings);

} // namespace fx
