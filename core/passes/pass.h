// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/json/json_document.h"
#include "core/module/graph_module.h"
#include "core/passes/manager/pass_instrument.h"
#include "core/passes/tensor_engine.h"

namespace fx {

/// A setting of a pass: its name, description and default.
struct PassSetting {
    std::string_view name;      ///< key in JSON
    std::string_view about;     ///< description for help texts
    std::string_view byDefault; ///< JSON
};

/// The values of the settings in one run, by name; settings that are not given have their defaults.
class PassSettings {
public:
    /// `known` must outlive this object; `given` is an object, or absent.
    PassSettings(const std::vector<PassSetting>& known, JsonValue given) : m_known(known), m_given(given) {}

    /// A boolean setting.
    bool flag(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const; ///< a list of strings
    JsonValue given(std::string_view name) const;                ///< absent if the default applies

private:
    const std::vector<PassSetting>& m_known;
    JsonValue m_given; ///< an object, or absent
};

/// The input of one run of a pass.
struct PassRun {
    GraphModule& model; ///< changed by the pass
    PassSettings settings;
    Warnings& warnings;
    const Progress& progress;       ///< check it once per node
    TensorEngine* engine = nullptr; ///< never null for passes that need one
    RewriteWatch* watch = nullptr;  ///< null: rewrites are not observed
    Warnings* notes = nullptr;      ///< receives `PassReport::notes`; may be null

    /// The graph of the model.
    Graph& graph() const { return model.graph; }

    /// Makes one rewrite at `node` unless an instrument forbids it; returns true if it was made. Passes change the
    /// graph only in rewrites, and the graph is valid between two rewrites. They may remove modules without callers at
    /// the end.
    template<class Change> bool rewrite(NodeId node, const Change& change) const {
        if (watch && !watch->begin(node, model)) return false;
        change();
        if (watch) watch->end(model);
        return true;
    }
};

/// A transformation of a whole model: its name, description and function. The function returns true if it changed
/// anything, and throws Error{Refused}; the model may then be partially changed.
///
/// Passes keep the ids and names of remaining nodes. A pass that lets one value stand for another asks `ValueFacts`
/// first, because something may write to either. remove_dropout.cpp is a short example.
struct Pass {
    std::string_view name; ///< as on the command line: "dead_code"
    std::string_view about;
    std::vector<PassSetting> settings;
    bool (*run)(const PassRun& run); ///< null if unsupported; see `reason`
    std::string_view reason;         ///< why the pass is unsupported; empty if it is supported
    bool needsEngine = false;        ///< needs the worker
};

/// Runs another pass as part of `run`, which counts its rewrites. `settings` is JSON text.
bool runPart(const PassRun& run, const Pass& pass, const std::string& settings);

} // namespace fx
