// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/python_text.h"
#include "core/io/torchscript/importer.h"
#include "core/tensor/elements.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <cmath>

namespace fx::script {

std::string Importer::sourceOf(const Node& node) const {
    if (node.source < 0) return {};
    const std::string& place = m_program.sources[static_cast<std::size_t>(node.source)];
    const std::size_t colon = place.rfind(':');
    return "File \"" + place.substr(0, colon) + "\", line " + place.substr(colon + 1);
}

NodeId Importer::finish(const Frame& frame, const Node* node, NodeId id) {
    auto meta = std::make_shared<NodeMeta>();
    // torch.fx traces the saved code: Python's own functions must not look into the values.
    const fx::Node& made = m_module->graph.node(id);
    meta->wrapped =
        made.op() == Op::CallFunction && made.callable()->module == "builtins" && made.target() != "getattr";
    if (m_module->graph.node(id).op() != Op::CallModule) meta->moduleStack = *frame.stack;
    if (node) meta->stackTrace = sourceOf(*node);
    m_module->graph.setMeta(id, std::move(meta));
    return id;
}

/// The name that the value had where the script was made; empty if it is a number.
std::string_view Importer::nameFor(const Frame& frame, const Node& node) const {
    if (node.outputs.size() != 1) return {};
    const std::string& name = frame.method.values[node.outputs[0]].name;
    std::string_view plain = std::string_view(name).substr(0, name.find('.'));
    // `conv0 = (conv).forward(x)`, with `conv = self.conv` before: a written node `conv`.
    if (kindOf(node).is("prim::CallMethod")) {
        const std::string& holder = frame.method.values[node.inputs.at(0)].name;
        const std::string_view called = std::string_view(holder).substr(0, holder.find('.'));
        const std::string_view digits = plain.starts_with(called) ? plain.substr(called.size()) : std::string_view();
        if (!called.empty() && !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos) plain = called;
    }
    return isPythonIdentifier(plain) ? plain : std::string_view();
}

NodeId Importer::attributeNode(const Frame& frame, const std::string& path) {
    const Graph& graph = m_module->graph;
    const auto known = m_attributes.find(path);
    if (known != m_attributes.end() && index(known->second) < graph.idLimit())
        if (const fx::Node& node = graph.node(known->second);
            !node.erased() && node.op() == Op::GetAttr && node.target() == path)
            return known->second;
    return m_attributes[path] = finish(frame, nullptr, m_module->graph.createNode(Op::GetAttr, path));
}

/// What a script passes as a tensor: a number that it holds as one becomes one.
Argument Importer::tensorArgument(const Frame& frame, const Symbol& given) {
    const Symbol& symbol = current(given);
    if (symbol.isContainer()) {
        std::vector<Argument> items;
        const bool anyNumber =
            std::any_of(symbol.items->begin(), symbol.items->end(), [](const Symbol& item) { return item.asTensor; });
        if (!anyNumber || symbol.is == Symbol::Is::Dict) return argument(frame, symbol);
        for (const Symbol& item : *symbol.items) countNode(), items.push_back(tensorArgument(frame, item));
        return symbol.is == Symbol::Is::List ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
    }
    if (!symbol.asTensor) return argument(frame, symbol);
    const Argument number = argument(frame, symbol);
    const std::string target = number.isNode() ? m_module->graph.node(number.node()).target() : std::string();
    const bool isReal = number.as<double>() || target == "_operator.truediv" || target.starts_with("math.");
    // As LibTorch makes them: what was divided has the default dtype.
    return finish(frame, nullptr,
                  m_module->graph.callFunction(resolveCallable("torch.ops.aten.scalar_tensor.default"), {number},
                                               {{"dtype", Argument::dtype(number.as<bool>() ? "torch.bool"
                                                                          : isReal          ? "torch.float32"
                                                                                            : "torch.int64")}}));
}

Argument Importer::argument(const Frame& frame, const Symbol& given) {
    const Symbol& symbol = current(given);
    switch (symbol.is) {
    case Symbol::Is::Value:
        if (symbol.enumMember()) throw Unsupported(Message("script.constant", {{"type", symbol.enumMember()->repr}}));
        return symbol.value;
    case Symbol::Is::Tensor: return attributeNode(frame, symbol.path);
    case Symbol::Is::Part: {
        const Graph& graph = m_module->graph;
        const auto key = std::pair(symbol.value.node(), symbol.index);
        const std::vector<Argument> args = {symbol.value, Argument(symbol.index)};
        if (const auto known = m_parts.find(key); known != m_parts.end() && index(known->second) < graph.idLimit())
            if (const fx::Node& node = graph.node(known->second);
                !node.erased() && node.target() == "_operator.getitem" && node.args() == args)
                return known->second;
        const NodeId id = m_module->graph.callFunction(resolveCallable("_operator.getitem"), args);
        m_module->graph.setMeta(id, std::make_shared<NodeMeta>(m_module->graph.node(symbol.value.node()).meta()));
        return m_parts[key] = id;
    }
    case Symbol::Is::List:
    case Symbol::Is::Tuple: {
        std::vector<Argument> items;
        for (const Symbol& item : *symbol.items) countNode(), items.push_back(argument(frame, item));
        return symbol.is == Symbol::Is::List ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
    }
    case Symbol::Is::Dict: {
        std::vector<std::pair<Argument, Argument>> entries;
        for (std::size_t i = 0; i + 1 < symbol.items->size(); i += 2)
            countNode(),
                entries.emplace_back(argument(frame, (*symbol.items)[i]), argument(frame, (*symbol.items)[i + 1]));
        return Argument::dict(std::move(entries));
    }
    case Symbol::Is::Object:
        if (!symbol.object->isTorchBind()) throw Unsupported(Message("script.unknown_object"));
        m_objects.emplace(symbol.object, symbol.path);
        return attributeNode(frame, symbol.path);
    default: throw Unsupported(Message("script.unknown_object"));
    }
}

std::string Importer::constantPath(std::int32_t constant) {
    std::string& path = m_constantPaths[constant];
    if (!path.empty()) return path;
    for (std::size_t number = m_constants.size(); path.empty() || m_root.field(path); ++number)
        path = "_tensor_constant" + std::to_string(number);
    m_constants.emplace_back(path, std::get<TensorPtr>(m_program.constants[static_cast<std::size_t>(constant)]));
    return path;
}

std::string Importer::constantPath(const TensorPtr& tensor) {
    for (const auto& [name, known] : m_constants)
        if (known == tensor) return name;
    std::size_t number = m_constants.size();
    while (m_root.field("_tensor_constant" + std::to_string(number))) ++number;
    m_constants.emplace_back("_tensor_constant" + std::to_string(number), tensor);
    return m_constants.back().first;
}

/// A tensor of the file's objects, or a constant of its code; null for other paths.
TensorPtr Importer::tensorAt(const std::string& path) const {
    for (const auto& [name, tensor] : m_constants)
        if (name == path) return tensor;
    return m_root.tensorAt(path);
}

std::optional<Argument> Importer::numberAt(const std::string& path) const {
    for (const auto& [name, tensor] : m_constants) {
        if (name != path || !tensor->sizes.empty()) continue;
        const std::vector<double> values = elementValues(*tensor);
        if (values.size() != 1 || std::abs(values[0]) > 9e15) return std::nullopt;
        if (tensor->dtype == DType::Int64 || tensor->dtype == DType::Int32)
            return Argument(static_cast<std::int64_t>(values[0]));
        return Argument(values[0]);
    }
    return std::nullopt;
}

} // namespace fx::script
