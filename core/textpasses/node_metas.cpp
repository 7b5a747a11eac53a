// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/node_metas.h"

#include "core/base/plain_number.h"
#include "core/textpasses/graph_objects.h"

#include <algorithm>

namespace fx::python {

/// What torch.export keeps as `val`: a tensor without values, or a symbolic number.
Value NodeMetas::tensorOf(const ValueInfo& info) {
    const auto sizes = [&](const std::vector<std::string>& texts) {
        Values out;
        for (const std::string& each : texts) {
            if (const auto number = plainNumber(each)) out.push_back({*number});
            else out.push_back(m_in.call(m_in.resolve("torch.SymInt"), {m_in.text(each)}));
        }
        return out;
    };
    const auto shown = [&](Value made) {
        m_infos.emplace(made.object, info);
        return made;
    };
    if (!info.isTensor) return shown(m_in.call(m_in.resolve("torch.SymInt"), {m_in.text(info.dtype)}));
    const Values shape = sizes(info.sizes), strides = sizes(info.strides);
    const auto isNumber = [](const Value& each) { return each.isInt(); };
    const auto dtype = dtypeFromName(info.dtype);
    if (dtype && std::all_of(shape.begin(), shape.end(), isNumber) &&
        std::all_of(strides.begin(), strides.end(), isNumber)) {
        auto tensor = std::make_shared<TensorRef>();
        tensor->dtype = *dtype;
        for (const Value& each : shape) tensor->sizes.push_back(each.integer);
        for (const Value& each : strides) tensor->strides.push_back(each.integer);
        tensor->device = info.device;
        tensor->requiresGrad = info.requiresGrad;
        return m_in.traced({trace::TensorValue{std::move(tensor)}});
    }
    return shown(m_in.call(m_in.resolve("torch._subclasses.fake_tensor.FakeTensor"),
                           {m_in.tuple(shape), m_in.tuple(strides), m_in.resolve(info.dtype), m_in.text(info.device),
                            Value(info.requiresGrad)}));
}

Dict* NodeMetas::of(NodeObject& node) {
    if (node.meta) return node.meta;
    node.meta = m_in.heap().make<Dict>();
    if (node.id == kNoNode) return node.meta;
    const NodeMeta& known = node.graph->graph->node(node.id).meta();
    if (!known.stackTrace.empty()) node.meta->set(m_in.text("stack_trace"), m_in.text(known.stackTrace));
    if (!known.moduleStack.empty()) {
        Dict* stack = m_in.heap().make<Dict>();
        for (const ModuleFrame& frame : known.moduleStack)
            stack->set(m_in.text(frame.key.empty() ? frame.path : frame.key),
                       m_in.tuple({m_in.text(frame.path), m_in.text(frame.type)}));
        node.meta->set(m_in.text("nn_module_stack"), stack);
    }
    if (known.values.empty()) return node.meta;
    Values values;
    for (const ValueInfo& each : known.values) values.push_back(tensorOf(each));
    node.meta->set(m_in.text("val"), values.size() == 1 ? values.front() : Value(m_in.tuple(values)));
    return node.meta;
}

/// The descriptions of the tensors in a `val`; none where it has something else.
std::vector<ValueInfo> NodeMetas::infosIn(const Value& value) const {
    const auto* tuple = value.as<Tuple>();
    const auto* list = value.as<List>();
    const Values one{value};
    std::vector<ValueInfo> infos;
    for (const Value& each : tuple ? tuple->items : list ? list->items : one) {
        const auto known = each.kind == Value::Kind::Object ? m_infos.find(each.object) : m_infos.end();
        if (known != m_infos.end()) infos.push_back(known->second);
        else if (const auto* tensor = tensorIn(each)) infos.push_back(infoOf(*tensor->tensor));
        else return {};
    }
    return infos;
}

/// What the program has noted in `meta` becomes that of the nodes, as far as a file keeps it.
void NodeMetas::keep(GraphObject& graph) {
    for (NodeObject* object : graph.nodes) {
        if (!object || !object->meta || graph.graph->node(object->id).erased()) continue;
        const NodeMeta& before = graph.graph->node(object->id).meta();
        NodeMeta after = before;
        const Value* value = object->meta->find(std::string_view("val"));
        after.values = value ? infosIn(*value) : std::vector<ValueInfo>();
        const Value* trace = object->meta->find(std::string_view("stack_trace"));
        after.stackTrace = trace && trace->as<Str>() ? trace->as<Str>()->text : "";
        if (!object->meta->find(std::string_view("nn_module_stack"))) after.moduleStack.clear();
        if (after.stackTrace != before.stackTrace || after.moduleStack != before.moduleStack ||
            after.values != before.values)
            graph.graph->setMeta(object->id, std::make_shared<const NodeMeta>(std::move(after)));
    }
}

} // namespace fx::python
