// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/io/torchscript/importer.h"
#include "core/ops/catalogue.h"

#include <algorithm>

namespace fx::script {
namespace {

/// "list" of "int[]" and of "list"; empty for unions, optional types and classes, which tell too little.
std::string_view familyOf(std::string_view type) {
    if (type == "list" || type.ends_with("[]")) return "list";
    if (type == "tuple" || (type.starts_with('(') && type.ends_with(')'))) return "tuple";
    if (type.starts_with("Dict(") && type.ends_with(')')) return "dict";
    for (const char* plain : {"Tensor", "int", "float", "bool", "str", "NoneType"})
        if (type == plain) return plain;
    return {};
}

std::string_view familyOf(const Symbol& symbol) {
    if (symbol.asTensor || symbol.is == Symbol::Is::Tensor) return "Tensor";
    if (symbol.is == Symbol::Is::List) return "list";
    if (symbol.is == Symbol::Is::Tuple) return "tuple";
    if (symbol.is == Symbol::Is::Dict) return "dict";
    if (const Argument* literal = symbol.literal())
        return literal->isNone()             ? "NoneType"
               : literal->as<bool>()         ? "bool"
               : literal->as<std::int64_t>() ? "int"
               : literal->as<double>()       ? "float"
               : literal->as<std::string>()  ? "str"
                                             : "";
    return symbol.type && !symbol.maybeNone ? familyOf(symbol.type->text) : std::string_view();
}

/// Whether the value is of that type; nullopt if that is not known.
std::optional<bool> isOf(const Symbol& symbol, std::string_view type) {
    const std::string_view known = familyOf(symbol), asked = familyOf(type);
    if (known.empty() || asked.empty()) return std::nullopt;
    if (known != asked) return false;
    if (type == asked || (!symbol.isContainer() && symbol.type && symbol.type->text == type)) return true;
    if (symbol.is != Symbol::Is::List || symbol.items->empty()) return std::nullopt;
    const std::string_view item = type.substr(0, type.size() - 2);
    std::optional<bool> all = true;
    for (const Symbol& each : *symbol.items) {
        const std::optional<bool> one = isOf(each, item);
        if (one == false) return false;
        if (!one) all.reset();
    }
    return all;
}

} // namespace

std::optional<bool> isOfType(std::string_view held, std::string_view asked) {
    const std::string_view known = familyOf(held), wanted = familyOf(asked);
    if (known.empty() || wanted.empty()) return std::nullopt;
    if (known != wanted) return false;
    return held == asked || asked == wanted ? std::optional(true) : std::nullopt;
}

const Class* Importer::classOf(const Symbol& symbol) const {
    if (symbol.is == Symbol::Is::Instance) return &m_program.classes[static_cast<std::size_t>(symbol.index)];
    return symbol.is == Symbol::Is::Object ? symbol.object->type : nullptr;
}

/// An object of a class of the script is followed like a list: its attributes are known while the script is.
void Importer::createObject(Frame& frame, const Node& node) {
    const Type& type = typeOf(frame, node.outputs.at(0));
    if (type.classIndex < 0) throw Unsupported(Message("script.object", {{"class", type.text}}));
    const Class& made = m_program.classes[static_cast<std::size_t>(type.classIndex)];
    if (made.isModule) throw Unsupported(Message("script.object", {{"class", made.name}}));
    Symbol& result = slot(frame, node.outputs[0]);
    result = {};
    result.is = Symbol::Is::Instance, result.index = type.classIndex;
    result.items = std::make_shared<std::vector<Symbol>>(made.attributes.size());
}

/// `with torch.no_grad():` and the names that a profiler shows change no values, and a graph has no place for them.
bool Importer::context(Frame& frame, const Node& node) {
    const Symbol manager = value(frame, node.inputs.at(0));
    const Class* type = classOf(manager);
    const std::string name = type ? plainClassName(type->name) : std::string();
    if (!name.starts_with("torch.autograd.grad_mode.") && name != "torch.autograd.profiler.record_function")
        return false;
    const bool enters = kindOf(node).is("prim::Enter");
    m_report.contexts += enters;
    for (const std::uint32_t output : node.outputs) slot(frame, output) = enters ? manager : Symbol::of({});
    return true;
}

/// The attribute of an object that the script made; unset before it is assigned.
Symbol& Importer::attributeOf(const Symbol& instance, const std::string& name) const {
    const Class& type = *classOf(instance);
    for (std::size_t i = 0; i < type.attributes.size(); ++i)
        if (type.attributes[i].name == name) return (*instance.items)[i];
    throw Unsupported(Message("script.object", {{"class", type.name + "." + name}}));
}

/// Whether a value is the tensor at `path`, as an operator that wrote to it gives it back: `self.seen += 1`.
bool Importer::isWritten(const Symbol& symbol, const std::string& path) const {
    if (symbol.is == Symbol::Is::Tensor) return symbol.path == path;
    if (symbol.is != Symbol::Is::Value || !symbol.value.isNode()) return false;
    const fx::Node* node = &m_module->graph.node(symbol.value.node());
    while (node->op() == Op::CallFunction) {
        const auto known = ops::findOperator(node->target());
        const bool writes = known && !node->args().empty() && node->args()[0].isNode() &&
                            known->arguments().size() > 0 && known->arguments()[0].isWritten();
        if (!writes) return false;
        node = &m_module->graph.node(node->args()[0].node());
    }
    return node->op() == Op::GetAttr && node->target() == path;
}

void Importer::setAttribute(Frame& frame, const Node& node) {
    const Symbol& holder = value(frame, node.inputs.at(0));
    const Symbol item = value(frame, node.inputs.at(1));
    if (holder.is == Symbol::Is::Object && isWritten(item, joinedPath(holder.path, node.name))) return;
    // What a module keeps for its next call: anchors on another device, what is None in the file.
    const Argument* inFile = holder.is == Symbol::Is::Object ? holder.object->setting(m_program, node.name) : nullptr;
    if (holder.is == Symbol::Is::Object &&
        (typeOf(frame, node.inputs[1]).text == "Tensor[]" || (inFile && inFile->isNone()))) {
        m_set.insert_or_assign({holder.object, node.name}, item);
        return void(++m_report.caches);
    }
    if (holder.is != Symbol::Is::Instance) throw Unsupported(Message("script.sets_attribute", {{"name", node.name}}));
    Symbol& held = attributeOf(holder, node.name);
    beforeChange(holder, static_cast<std::size_t>(&held - holder.items->data()));
    held = item;
}

/// `isinstance(x, (A, B))`, where what x is is known although the script has a union in its place.
bool Importer::isInstance(Frame& frame, const Node& node) {
    const Symbol& symbol = value(frame, node.inputs.at(0));
    const std::optional<bool> answer = isOfAnyType(m_program, node, [&](const std::string& asked) {
        const std::optional<bool> known = isOf(symbol, asked);
        return known ? known : isOfType(typeOf(frame, node.inputs[0]).text, asked);
    });
    if (!answer) return isNoneOrNot(frame, node);
    slot(frame, node.outputs.at(0)) = Symbol::of(Argument(*answer));
    return true;
}

/// `isinstance(x, Tensor)` of an `Optional[Tensor]` is `x is not None`.
bool Importer::isNoneOrNot(Frame& frame, const Node& node) {
    const Symbol& symbol = value(frame, node.inputs.at(0));
    if (!symbol.isNode() || !symbol.type || !symbol.type->isOptional() || node.types.size() != 1) return false;
    const std::string& asked = m_program.types[node.types[0]].text;
    const std::string_view held = std::string_view(symbol.type->text).substr(0, symbol.type->text.size() - 1);
    const bool isNone = asked == "NoneType";
    if (!isNone && asked != held && (familyOf(asked) != asked || familyOf(held) != asked)) return false;
    if (!symbol.maybeNone) slot(frame, node.outputs.at(0)) = Symbol::of(Argument(!isNone));
    else
        slot(frame, node.outputs.at(0)) =
            call(frame, node, isNone ? "_operator.is_" : "_operator.is_not", {argument(frame, symbol), Argument()});
    return true;
}

} // namespace fx::script
