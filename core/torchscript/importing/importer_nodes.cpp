// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/ops/catalogue.h"
#include "core/torchscript/folding.h"
#include "core/torchscript/importing/container_folding.h"
#include "core/torchscript/importing/importer.h"

namespace fx::script {

void Importer::follow(CallFrame& frame, const Block& block) {
    for (const Node& node : block.nodes) {
        m_recorder.countStep();
        follow(frame, node);
    }
}

void Importer::follow(CallFrame& frame, const Node& node) {
    const Kind& kind = frame.kindOf(node);
    if (kind.isPrim() && followPrim(frame, node)) return;
    if (kind.is("aten::warn")) return; // it only writes to standard error
    if (kind.is("aten::wait")) return pass(frame, node);
    if (auto known = foldContainer(frame, node)) return void(frame.slot(node.outputs[0]) = std::move(*known));
    if (element(frame, node) || mutate(frame, node)) return;
    record(frame, node);
}

bool Importer::followPrim(CallFrame& frame, const Node& node) {
    const std::string& name = frame.kindOf(node).name;
    if (name == "prim::Constant") constant(frame, node);
    else if (name == "prim::GetAttr") getAttribute(frame, node);
    else if (name == "prim::CallMethod") callMethod(frame, node);
    else if (name == "prim::CallFunction") callFunction(frame, node);
    else if (name == "prim::ListConstruct") construct(frame, node, Symbol::Is::List);
    else if (name == "prim::TupleConstruct") construct(frame, node, Symbol::Is::Tuple);
    else if (name == "prim::DictConstruct") construct(frame, node, Symbol::Is::Dict);
    else if (name == "prim::ListUnpack" || name == "prim::TupleUnpack") unpack(frame, node);
    else if (name == "prim::If") branch(frame, node);
    else if (name == "prim::Loop") loop(frame, node);
    else if (name == "prim::fork") fork(frame, node);
    else if (name == "prim::isinstance") return isInstance(frame, node);
    else if (name == "prim::NumToTensor") return numberAsTensor(frame, node);
    else if (name == "prim::unchecked_cast" || name == "prim::unchecked_unwrap_optional") {
        Symbol same = frame.value(node.inputs.at(0));
        same.maybeNone = false;
        same.type = &frame.typeOf(node.outputs[0]);
        frame.slot(node.outputs.at(0)) = std::move(same);
    } else if (name == "prim::Uninitialized") frame.slot(node.outputs.at(0)) = Symbol::of({});
    else if (name == "prim::RaiseException") throw Unsupported(Message("script.raises"));
    else if (name == "prim::SetAttr") setAttribute(frame, node);
    else if (name == "prim::CreateObject") createObject(frame, node);
    else if (name == "prim::Enter" || name == "prim::Exit") return context(frame, node);
    else return false;
    return true;
}

/// Integers stay numbers, for the arithmetic of sizes (`OperatorRecorder::recordNumbers`).
bool Importer::numberAsTensor(CallFrame& frame, const Node& node) {
    Symbol number = frame.value(node.inputs.at(0));
    const std::string& type = frame.typeOf(node.inputs[0]).text;
    if (type == "int") {
        number.asTensor = true;
        return frame.slot(node.outputs.at(0)) = std::move(number), true;
    }
    if (type != "float" && type != "bool") return false;
    const char* dtype = type == "float" ? "torch.float64" : "torch.bool";
    frame.slot(node.outputs.at(0)) =
        m_recorder.call(frame, node, "torch.ops.aten.scalar_tensor.default", {m_recorder.argument(frame, number)},
                        {{"dtype", Argument::dtype(dtype)}});
    return true;
}

void Importer::constant(CallFrame& frame, const Node& node) {
    Symbol& result = frame.slot(node.outputs.at(0));
    const Type& type = frame.typeOf(node.outputs[0]);
    if (type.functionIndex >= 0) {
        result.is = Symbol::Is::Function, result.index = type.functionIndex;
    } else if (node.constant >= 0 &&
               std::holds_alternative<TensorPtr>(m_program.constants[static_cast<std::size_t>(node.constant)])) {
        result.is = Symbol::Is::Tensor, result.path = m_constants.pathOf(node.constant);
    } else if (node.constant >= 0) {
        result = Symbol::of(std::get<Argument>(m_program.constants[static_cast<std::size_t>(node.constant)]));
        if (result.value.as<OpaqueObject>() && !result.enumMember())
            throw Unsupported(Message("script.constant", {{"type", type.text}}));
        if (result.value.asList() || result.value.asTuple()) result = containerWith(result.value);
    } else result = Symbol::of({});
}

void Importer::getAttribute(CallFrame& frame, const Node& node) {
    const Symbol& holder = frame.value(node.inputs.at(0));
    if (holder.is == Symbol::Is::Instance) {
        Symbol held = (*holder.items)[attributeIndex(holder, node.name)];
        if (held.is == Symbol::Is::Unset) throw Unsupported(Message("script.index"));
        frame.slot(node.outputs.at(0)) = std::move(held);
        return;
    }
    if (holder.is != Symbol::Is::Object) throw Unsupported(Message("script.unknown_object"));
    if (const Symbol* set = m_mutables.attribute(*holder.object, node.name)) {
        frame.slot(node.outputs.at(0)) = *set;
        return;
    }
    noteMode(*holder.object, holder.path, node.name);
    const Object::Field* field = holder.object->field(node.name);
    Symbol result;
    result.path = joinedPath(holder.path, node.name);
    if (!field && m_leaves.packsAs(*holder.object, node.name)) {
        result.is = Symbol::Is::Tensor; // an object, which the graph reads as it reads tensors
        frame.slot(node.outputs.at(0)) = std::move(result);
        return;
    }
    if (const auto* inner = field ? std::get_if<const Object*>(field) : nullptr) {
        result.is = Symbol::Is::Object, result.object = *inner;
    } else if (const auto* tensor = field ? std::get_if<TensorPtr>(field) : nullptr) {
        if (holder.object->isTorchBind() || (*tensor)->dtype == DType::Other)
            throw Unsupported(Message("script.object", {{"class", holder.object->className}}));
        result.is = Symbol::Is::Tensor;
    } else if (const auto* list = field ? std::get_if<std::vector<TensorPtr>>(field) : nullptr) {
        result = tensorList(*holder.object, holder.path, *list,
                            [this](const TensorPtr& each) { return m_constants.pathOf(each); });
    } else {
        const Argument* literal = holder.object->setting(m_program, node.name);
        result = literal ? Symbol::of(*literal) : Symbol();
        if (!literal || (literal->as<OpaqueObject>() && !result.enumMember()))
            throw Unsupported(Message("script.object", {{"class", holder.object->className + "." + node.name}}));
        if (literal->as<Dict>() || literal->asList() || literal->asTuple())
            result = m_mutables.containerOf(*holder.object, node.name, *literal);
    }
    frame.slot(node.outputs.at(0)) = std::move(result);
}

void Importer::construct(CallFrame& frame, const Node& node, Symbol::Is kind) {
    // A graph has no dicts whose keys are nodes (torch.fx refuses them): such a dict is a block of its own.
    for (std::size_t i = 0; kind == Symbol::Is::Dict && i < node.inputs.size(); i += 2)
        if (!frame.value(node.inputs[i]).literal()) return keepAsBlock(frame, node);
    Symbol result;
    result.is = kind;
    result.items = std::make_shared<std::vector<Symbol>>(frame.valuesOf(node.inputs));
    result.depth = deepest(*result.items) + 1;
    if (result.depth > 20) throw Unsupported(Message("script.too_deep"));
    frame.slot(node.outputs.at(0)) = std::move(result);
}

void Importer::unpack(CallFrame& frame, const Node& node) {
    Symbol whole = frame.value(node.inputs.at(0));
    if (whole.isNode()) whole = Symbol::of(m_recorder.argument(frame, whole));
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        frame.slot(node.outputs[i]) =
            partOf(whole, static_cast<std::int64_t>(i), frame.typeOf(node.outputs[i]).isOptional());
}

/// An item of a tuple that a node gives.
bool Importer::element(CallFrame& frame, const Node& node) {
    if (!frame.kindOf(node).is("prim::TupleIndex")) return false;
    const Symbol &whole = frame.value(node.inputs.at(0)), &key = frame.value(node.inputs.at(1));
    const auto* index = key.as<std::int64_t>();
    if (!whole.isNode() || !index) return false;
    const Symbol result = Symbol::of(m_recorder.argument(frame, whole));
    frame.slot(node.outputs.at(0)) = partOf(result, *index, frame.typeOf(node.outputs[0]).isOptional());
    return true;
}

/// `list.append(x)` and the like: the list is known, so it is changed now.
bool Importer::mutate(CallFrame& frame, const Node& node) {
    const std::string& name = frame.kindOf(node).name;
    if (!changesContainer(name) || node.inputs.empty()) return false;
    Symbol list = frame.value(node.inputs[0]);
    const bool addsEntry = list.is == Symbol::Is::Dict && name == "aten::_set_item" && node.inputs.size() == 3;
    if (m_mutables.isAliased(list) || (list.ofModule && !(addsEntry && isCache(frame, node.inputs[2], {}))))
        throw Unsupported(Message("script.changes_list"));
    if (!list.isContainer() && frame.typeOf(node.inputs[0]).isTensor()) return false;
    auto result = list.isContainer() ? m_mutables.apply(name, list, frame.valuesOf(node.inputs)) : std::nullopt;
    if (!result) return keepChange(frame, node), true;
    frame.values[node.inputs[0]].depth = list.depth;
    if (!node.outputs.empty()) frame.slot(node.outputs[0]) = std::move(*result);
    return true;
}

/// The mode is a constant where it is read: train() and eval() do not change the graph there.
void Importer::noteMode(const Object& object, const std::string& path, const std::string& attribute) {
    if (attribute == "training" && object.isModule()) ++m_report.modes[path].reads;
}

const Class* Importer::classOf(const Symbol& symbol) const {
    if (symbol.is == Symbol::Is::Instance) return &m_program.classes[static_cast<std::size_t>(symbol.index)];
    return symbol.is == Symbol::Is::Object ? symbol.object->type : nullptr;
}

/// An object of a class of the script is followed like a list: its attributes are known while the script is.
void Importer::createObject(CallFrame& frame, const Node& node) {
    const Type& type = frame.typeOf(node.outputs.at(0));
    if (type.classIndex < 0) throw Unsupported(Message("script.object", {{"class", type.text}}));
    const Class& made = m_program.classes[static_cast<std::size_t>(type.classIndex)];
    if (made.isModule) throw Unsupported(Message("script.object", {{"class", made.name}}));
    Symbol& result = frame.slot(node.outputs[0]);
    result = {};
    result.is = Symbol::Is::Instance, result.index = type.classIndex;
    result.items = std::make_shared<std::vector<Symbol>>(made.attributes.size());
}

/// `with torch.no_grad():` and the names that a profiler shows change no values, and a graph has no place for them.
bool Importer::context(CallFrame& frame, const Node& node) {
    const Symbol manager = frame.value(node.inputs.at(0));
    const Class* type = classOf(manager);
    const std::string name = type ? plainClassName(type->name) : std::string();
    if (!name.starts_with("torch.autograd.grad_mode.") && name != "torch.autograd.profiler.record_function")
        return false;
    const bool enters = frame.kindOf(node).is("prim::Enter");
    m_report.contexts += enters;
    for (const std::uint32_t output : node.outputs) frame.slot(output) = enters ? manager : Symbol::of({});
    return true;
}

/// Where an object that the script made has an attribute, which is unset before it is assigned.
std::size_t Importer::attributeIndex(const Symbol& instance, const std::string& name) const {
    const Class& type = *classOf(instance);
    for (std::size_t i = 0; i < type.attributes.size(); ++i)
        if (type.attributes[i].name == name) return i;
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

void Importer::setAttribute(CallFrame& frame, const Node& node) {
    const Symbol& holder = frame.value(node.inputs.at(0));
    const Symbol item = frame.value(node.inputs.at(1));
    if (holder.is == Symbol::Is::Object && isWritten(item, joinedPath(holder.path, node.name))) return;
    if (holder.is == Symbol::Is::Object && isCache(frame, node, *holder.object, holder.path))
        return m_mutables.setAttribute(*holder.object, node.name, item);
    if (holder.is != Symbol::Is::Instance) throw Unsupported(Message("script.sets_attribute", {{"name", node.name}}));
    m_mutables.setItem(holder, attributeIndex(holder, node.name), item);
}

/// `isinstance(x, (A, B))`, where what x is is known although the script has a union in its place.
bool Importer::isInstance(CallFrame& frame, const Node& node) {
    const Symbol& symbol = frame.value(node.inputs.at(0));
    const std::optional<bool> answer = isOfAnyType(m_program, node, [&](const std::string& asked) {
        const std::optional<bool> known = isOfType(symbol, asked);
        return known ? known : isOfType(frame.typeOf(node.inputs[0]).text, asked);
    });
    if (!answer) return isNoneOrNot(frame, node);
    frame.slot(node.outputs.at(0)) = Symbol::of(Argument(*answer));
    return true;
}

/// `isinstance(x, Tensor)` of an `Optional[Tensor]` is `x is not None`.
bool Importer::isNoneOrNot(CallFrame& frame, const Node& node) {
    const Symbol& symbol = frame.value(node.inputs.at(0));
    if (!symbol.isNode() || !symbol.type || !symbol.type->isOptional() || node.types.size() != 1) return false;
    const std::string& asked = m_program.types[node.types[0]].text;
    const std::string_view held = std::string_view(symbol.type->text).substr(0, symbol.type->text.size() - 1);
    const bool isNone = asked == "NoneType";
    if (!isNone && asked != held && (familyOf(asked) != asked || familyOf(held) != asked)) return false;
    if (!symbol.maybeNone) frame.slot(node.outputs.at(0)) = Symbol::of(Argument(!isNone));
    else
        frame.slot(node.outputs.at(0)) = m_recorder.call(frame, node, isNone ? "_operator.is_" : "_operator.is_not",
                                                         {m_recorder.argument(frame, symbol), Argument()});
    return true;
}

void Importer::record(CallFrame& frame, const Node& node) {
    if (!m_operators.record(frame, node)) keepAsBlock(frame, node);
    if (frame.kindOf(node).is("aten::list")) m_mutables.own(frame.value(node.outputs.at(0))); // a new one
}

} // namespace fx::script
