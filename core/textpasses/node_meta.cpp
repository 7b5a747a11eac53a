// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.fx keeps of a node beside its call: `meta`, `type` and `stack_trace`.
#include "core/module/value_info.h"
#include "core/textpasses/graph_objects.h"

#include <algorithm>
#include <charconv>

namespace fx::python {

namespace {

std::optional<std::int64_t> numberIn(const std::string& size) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
    return error == std::errc() && end == size.data() + size.size() ? std::optional(number) : std::nullopt;
}

} // namespace

/// What torch.export keeps as `val`: a tensor without values, or a symbolic number.
Value GraphObjects::tensorOf(const ValueInfo& info) {
    const auto sizes = [&](const std::vector<std::string>& texts) {
        Values out;
        for (const std::string& each : texts) {
            if (const auto number = numberIn(each)) out.push_back({*number});
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

Dict* GraphObjects::metaOf(NodeObject& node) {
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
std::vector<ValueInfo> GraphObjects::infosIn(const Value& value) const {
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
void GraphObjects::keepMeta(GraphObject& graph) {
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

Value GraphObjects::typeObject(const TypePtr& type) {
    if (!type) return Value::none();
    if (type->kind == TypeExpr::Kind::Class && type->module == "builtins")
        if (Class* own = m_in.builtinClass(type->name)) return own;
    if (type->kind == TypeExpr::Kind::Class && type->module == "torch" && type->name == "Tensor")
        return m_in.builtinClass("Tensor");
    TypeObject*& known = m_annotations[type.get()];
    if (known) return known;
    if (!m_annotation) {
        m_annotation = makeClass("type");
        method(m_annotation, "__repr__", [this](Values& args, Keywords&) -> Value {
            return m_in.text(args.at(0).as<TypeObject>()->annotation->repr());
        });
    }
    known = m_in.heap().make<TypeObject>();
    known->type = m_annotation;
    known->annotation = type; // lives as long as the object, and so does its place in the table
    return known;
}

TypePtr GraphObjects::typeIn(const Value& value) {
    if (!value.isSet()) return nullptr;
    if (const auto* known = value.as<TypeObject>()) return known->annotation;
    return m_in.annotationOf(value);
}

void GraphObjects::addNodeMeta() {
    property(
        m_node, "meta", [this](const Value& self) -> Value { return metaOf(*nodeOf(self, "meta")); },
        [this](const Value& self, const Value& value) {
            auto* meta = value.as<Dict>();
            if (!meta) m_in.raise("TypeError", "expected a dict as meta, got " + m_in.repr(value));
            nodeOf(self, "meta")->meta = meta;
        });
    property(
        m_node, "stack_trace",
        [this](const Value& self) -> Value {
            const Value* trace = metaOf(*nodeOf(self, "stack_trace"))->find(std::string_view("stack_trace"));
            return trace ? *trace : Value::none();
        },
        [this](const Value& self, const Value& value) {
            metaOf(*nodeOf(self, "stack_trace"))->set(m_in.text("stack_trace"), value);
        });
    property(
        m_node, "type",
        [this](const Value& self) -> Value {
            const NodeObject& node = *nodeOf(self, "type");
            return node.id == kNoNode ? Value::none() : typeObject(node.graph->graph->node(node.id).type());
        },
        [this](const Value& self, const Value& value) {
            const NodeObject& node = *nodeOf(self, "type");
            node.graph->graph->setType(node.id, typeIn(value));
        });
}

} // namespace fx::python
