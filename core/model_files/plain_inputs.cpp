// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/plain_inputs.h"

#include "core/codegen/pytree_code.h"
#include "core/module/pytree_form.h"
#include "core/trace/retrace.h"

#include <memory>

namespace fx {
namespace {
/// A function of PyTorch that wraps itself (`_assert_is_none`) is recorded without a line that says so; with one, which
/// would name it by its path, PyTorch does not load the code.
void dropOwnWraps(Graph& graph) {
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.meta().wrapped || !node.callable() || !node.callable()->fromTorch) continue;
        auto meta = std::make_shared<NodeMeta>(node.meta());
        meta->wrapped = false;
        graph.setMeta(id, std::move(meta));
    }
}
} // namespace

GraphModule withPlainInputs(const GraphModule& model) {
    if (!hasNestedInputs(model)) return model;
    const auto* form = static_cast<const PytreeForm*>(model.origin.get());
    if (form->inSpec.isNone()) return model;
    const PythonCode code = generatePython(model);
    GraphModule plain = model;
    plain.origin = nullptr;
    plain.graph = {};
    plain.root = std::make_shared<Module>(*model.root);
    plain.root->attributes.emplace_back("_in_spec", form->inSpec);
    plain.root->attributes.emplace_back("_out_spec", form->outSpec);
    retraceSavedCode(plain, code.imports, code.text);
    dropOwnWraps(plain.graph);
    std::erase_if(plain.root->attributes,
                  [](const auto& each) { return each.first == "_in_spec" || each.first == "_out_spec"; });
    return plain;
}

} // namespace fx
