// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/in_float.h"

#include "core/make/observer_spec.h"
#include "core/make/observer_tensors.h"
#include "core/module/module_editor.h"
#include "core/quant/module_values.h"

namespace fx::quant {

namespace {

/// The buffers of FakeQuantize that say whether it changes values and whether it observes them.
constexpr std::string_view kSwitches[] = {"fake_quant_enabled", "observer_enabled"};

void eraseObservers(GraphModule& model) {
    PathResolver paths(*model.root);
    for (const NodeId id : model.graph.order()) {
        const Node& node = model.graph.node(id);
        if (node.op() != Op::CallModule || node.inputs().empty()) continue;
        const Module* module = paths.resolve(node.target()).module;
        if (!module || !isObserver(*module)) continue;
        model.graph.replaceAllUses(id, node.inputs().front());
        model.graph.erase(id);
    }
}

void switchOff(GraphModule& model) {
    std::vector<std::string> observers;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (isObserver(module) && module.tensor(kSwitches[0])) observers.push_back(path);
    });
    ModuleEditor editor(model);
    for (const std::string& path : observers) {
        Module* observer = editor.writable(path);
        for (const std::string_view name : kSwitches)
            if (const TensorPtr known = observer ? observer->tensor(name) : nullptr)
                setTensor(*observer, name, intTensor({0}, known->sizes, known->dtype));
    }
}

} // namespace

GraphModule inFloat(const GraphModule& prepared) {
    GraphModule model = prepared;
    eraseObservers(model);
    switchOff(model);
    return model;
}

} // namespace fx::quant
