// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/block_text.h"

#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/base/python_text.h"
#include "core/ops/catalogue.h"
#include "core/torchscript/folding.h"
#include "core/torchscript/leaf_modules.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr std::size_t kMostLines = 100'000;
constexpr int kDeepestBlock = 50;

/// A literal as an attribute of prim::Constant; empty for those that are passed as inputs instead.
std::string attributeText(const Argument& value) {
    if (const auto* flag = value.as<bool>()) return *flag ? "[value=1]" : "[value=0]";
    if (const auto* number = value.as<std::int64_t>())
        return *number >= 0 ? "[value=" + std::to_string(*number) + "]" : "";
    if (const auto* text = value.as<std::string>()) {
        for (const char c : *text)
            if (c < ' ' || c > '~' || c == '"' || c == '\\') return {};
        return "[value=\"" + *text + "\"]";
    }
    return {};
}

/// The type of a literal where a value may be of others, too: LibTorch reads no literal of `bool?`.
std::string literalType(const Argument& value, const std::string& type) {
    if (type == "float" || type == "Scalar") return type;
    return value.as<bool>() ? "bool" : value.as<std::int64_t>() ? "int" : "str";
}

/// Lists, dicts, and what may hold them.
bool isMutableType(std::string_view type) {
    return type.find("[]") != type.npos || type.find("Dict(") != type.npos || type.find("List[") != type.npos ||
           type.find("Dict[") != type.npos || type == "Any" || type == "list";
}

bool mayHaveEffects(const Kind& kind) {
    if (const auto known = ops::findOperator(kind.full()))
        return known->isMutable() || known->isNondeterministicSeeded();
    static constexpr std::string_view kPure[] = {
        "prim::If",         "prim::Loop",        "prim::ListConstruct", "prim::TupleConstruct",
        "prim::ListUnpack", "prim::TupleUnpack", "prim::DictConstruct", "prim::NumToTensor",
        "prim::TupleIndex", "prim::TupleSlice",  "prim::Uninitialized", "prim::unchecked_cast",
        "prim::dtype",      "prim::device",      "prim::min",           "prim::max",
        "prim::layout",     "prim::shape",       "prim::is_cuda",       "prim::unchecked_unwrap_optional",
    };
    return std::find(std::begin(kPure), std::end(kPure), kind.name) == std::end(kPure);
}

/// Visits the variables of a text with their places, but not what looks like one in a quoted constant.
template<typename Visit> void forEachVariable(std::string_view text, const Visit& visit) {
    bool isQuoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        isQuoted = isQuoted != (text[i] == '"');
        if (isQuoted || text[i] != '%') continue;
        std::size_t end = i + 1;
        while (end < text.size() && isNamePart(text[end])) ++end;
        visit(text.substr(i, end - i), i);
        i = end - 1;
    }
}

/// The same text with its variables numbered as they come.
std::string renumbered(const std::string& text) {
    std::map<std::string, std::string, std::less<>> names;
    std::string out;
    std::size_t done = 0;
    forEachVariable(text, [&](std::string_view name, std::size_t place) {
        std::string& fresh = names[std::string(name)];
        if (fresh.empty()) fresh = "%v" + std::to_string(names.size() - 1);
        out.append(text, done, place - done).append(fresh);
        done = place + name.size();
    });
    return out.append(text, done);
}

/// The nodes of a method and what it gives: what a tuple holds that it makes last, for a block gives its results.
std::pair<std::vector<const Node*>, std::vector<std::uint32_t>> bodyOf(const Program& program, const Method& method) {
    std::vector<const Node*> nodes;
    for (const Node& node : method.body.nodes) nodes.push_back(&node);
    const bool isTuple = !nodes.empty() && program.kindOf(*nodes.back()).is("prim::TupleConstruct") &&
                         nodes.back()->outputs == method.body.outputs && nodes.back()->inputs.size() != 1;
    std::vector<std::uint32_t> outputs = isTuple ? nodes.back()->inputs : method.body.outputs;
    if (isTuple) nodes.pop_back();
    // LibTorch makes a constant of the tuple of nothing that a block without results returns.
    if (outputs.size() == 1 && program.typeOf(method, outputs[0]).text == "()") {
        std::erase_if(nodes, [&](const Node* node) { return node->outputs == outputs; });
        outputs.clear();
    }
    return {std::move(nodes), std::move(outputs)};
}

} // namespace

void BlockText::line(int indent, const std::string& text) {
    if (++m_lines > kMostLines) throw Unsupported(Message("script.too_deep"));
    m_body += std::string(static_cast<std::size_t>(indent) * 2, ' ') + text + "\n";
}

std::string BlockText::text() const {
    const std::string use = m_body + "  return (" + joined(m_results) + ")\n";
    std::map<std::string, std::string> declarations; // by name
    for (const auto& [declaration, name] : m_constants) declarations.emplace(name, declaration);
    std::string constants;
    forEachVariable(use, [&](std::string_view name, std::size_t) {
        const auto declared = declarations.find(std::string(name));
        if (declared == declarations.end()) return;
        constants += "  " + declared->first + " : " + declared->second + "\n";
        declarations.erase(declared);
    });
    return renumbered("graph(" + m_parameters + "):\n" + constants + use);
}

std::size_t BlockText::resultOf(std::size_t changed) const {
    const auto found = std::find(m_results.begin(), m_results.end(), m_inputNames[changed]);
    if (found == m_results.end()) throw Unsupported(Message("script.changes_list"));
    return static_cast<std::size_t>(found - m_results.begin());
}

/// The name of a constant: there is one of each.
std::string BlockText::constant(const std::string& type, const std::string& text) {
    if (++m_lines > kMostLines) throw Unsupported(Message("script.too_deep"));
    std::string& name = m_constants[type + " = " + text + "()"];
    if (name.empty()) name = fresh();
    return name;
}

void BlockText::add(const Method& method, const std::vector<const Node*>& nodes,
                    const std::vector<std::uint32_t>& outputs, const Outside& outside) {
    Scope scope{method, {}, &outside, 0};
    for (const Node* node : nodes) write(scope, *node, 1);
    give(scope, outputs);
    for (const std::size_t changed : m_changed) m_results.push_back(m_inputNames[changed]);
}

void BlockText::give(Scope& scope, const std::vector<std::uint32_t>& outputs) {
    for (const std::uint32_t id : outputs) {
        const Inner& inner = find(scope, id);
        if (inner.name.empty()) throw Unsupported(Message("script.unknown_object"));
        m_results.push_back(inner.name);
        m_shared.insert(inner.roots.begin(), inner.roots.end());
    }
}

void BlockText::addBody(const Method& method, const Outside& outside) {
    const auto [nodes, outputs] = bodyOf(m_program, method);
    add(method, nodes, outputs, outside);
}

void BlockText::addBlock(const Method& method, const Symbol& self, const std::vector<Symbol>& given) {
    const std::vector<std::uint32_t>& inputs = method.body.inputs;
    if (inputs.size() != given.size() + 1) throw Unsupported(Message("script.index"));
    Scope scope{method, {}, nullptr, 0};
    scope.values[inputs[0]] = {"", self, {}};
    for (std::size_t i = 0; i < given.size(); ++i)
        scope.values[inputs[i + 1]] = parameter(given[i], m_program.typeOf(method, inputs[i + 1]).text);
    const auto [nodes, outputs] = bodyOf(m_program, method);
    for (const Node* node : nodes) write(scope, *node, 1);
    give(scope, outputs);
    for (const std::size_t changed : m_changed) // given back once, it has no other name
        if (std::count(m_results.begin(), m_results.end(), m_inputNames[changed]) == 1) m_shared.erase(changed);
}

BlockText::Inner BlockText::parameter(const Symbol& symbol, const std::string& type) {
    Inner inner{fresh(), {}, {}, type};
    if (isMutableType(type)) inner.roots.insert(m_inputs.size());
    m_inputNames.push_back(inner.name);
    m_parameters += (m_parameters.empty() ? "" : ", ") + inner.name + " : " + type;
    m_inputs.push_back(symbol);
    return inner;
}

BlockText::Inner BlockText::input(const Symbol& symbol, const std::string& type) {
    if (symbol.is == Symbol::Is::Object || symbol.is == Symbol::Is::Function || symbol.enumMember())
        return {"", symbol, {}};
    if (symbol.is == Symbol::Is::Tensor)
        if (const auto known = m_tensors.find(symbol.path); known != m_tensors.end()) return known->second;
    const bool isList = isMutableType(type) && Identity(symbol) != Identity(Symbol());
    if (const auto known = isList ? m_lists.find(Identity(symbol)) : m_lists.end(); known != m_lists.end()) {
        if (known->second.first != type) throw Unsupported(Message("script.changes_list"));
        return known->second.second;
    }
    Inner inner{"", {}, {}};
    // Constants stay in the text: LibTorch tells kinds of loops by them.
    const std::string constant = symbol.literal() && !symbol.asTensor ? attributeText(symbol.value) : std::string();
    inner.type = symbol.type ? symbol.type->text : type;
    if (const bool* truth = symbol.as<bool>()) inner.truth = *truth;
    if (symbol.literal() && symbol.value.isNone() && type.ends_with('?')) inner.type = "NoneType";
    if (!constant.empty()) {
        inner.name = this->constant(literalType(symbol.value, type), "prim::Constant" + constant);
        return inner;
    }
    // A value of a type without None that is None is one that the script has not set yet.
    const bool takesNone =
        type.ends_with('?') || type == "Any" || type.find("Union") != type.npos || type.find("Optional") != type.npos;
    if (symbol.literal() && symbol.value.isNone() && !takesNone) {
        inner.name = this->constant(type, type == "NoneType" ? "prim::Constant" : "prim::Uninitialized");
        return inner;
    }
    Inner made = parameter(symbol, type);
    inner.name = made.name;
    if (!(symbol.literal() && symbol.value.isNone())) inner.roots = std::move(made.roots);
    if (isList) m_lists.emplace(Identity(symbol), std::pair(type, inner));
    if (symbol.is == Symbol::Is::Tensor) m_tensors.emplace(symbol.path, inner);
    return inner;
}

const BlockText::Inner& BlockText::find(Scope& scope, std::uint32_t value) {
    const auto known = scope.values.find(value);
    if (known != scope.values.end()) return known->second;
    if (!scope.outside) throw Unsupported(Message("script.index"));
    return scope.values[value] = input((*scope.outside)(value), m_program.typeOf(scope.method, value).text);
}

void BlockText::writeNodes(Scope& scope, const std::vector<Node>& nodes, int indent) {
    for (const Node& node : nodes) write(scope, node, indent);
}

/// The inputs of the text that values may be parts of.
std::set<std::size_t> BlockText::rootsOf(Scope& scope, const std::vector<std::uint32_t>& values) {
    std::set<std::size_t> out;
    for (const std::uint32_t id : values)
        if (isMutableType(m_program.typeOf(scope.method, id).text)) {
            const std::set<std::size_t>& some = find(scope, id).roots;
            out.insert(some.begin(), some.end());
        }
    return out;
}

void BlockText::noteChange(Scope& scope, const Node& node) {
    const std::set<std::size_t>& roots = find(scope, node.inputs[0]).roots;
    m_changed.insert(roots.begin(), roots.end());
}

/// Writes a statement that leaves no line or a different one; false for others.
bool BlockText::writeSpecial(Scope& scope, const Node& node, int indent) {
    const Kind& kind = m_program.kindOf(node);
    if (kind.is("prim::Constant")) return writeConstant(scope, node), true;
    if (kind.is("prim::Uninitialized")) {
        const std::string& type = m_program.typeOf(scope.method, node.outputs.at(0)).text;
        return scope.values[node.outputs[0]] = {constant(type, kind.name), {}, {}, type}, true;
    }
    if ((kind.is("aten::eq") || kind.is("aten::ne")) && node.inputs.size() == 2) {
        const Symbol left = find(scope, node.inputs[0]).object, right = find(scope, node.inputs[1]).object;
        if (!left.enumMember() || !right.enumMember()) return false;
        const bool result = (left.enumMember()->repr == right.enumMember()->repr) == kind.is("aten::eq");
        return writeTruth(scope, node, result), true;
    }
    if (writeKnown(scope, node, indent)) return true;
    if (kind.is("aten::warn")) return true; // it only writes to standard error
    if (kind.is("prim::GetAttr")) return attribute(scope, node), true;
    if (kind.is("prim::SetAttr")) throw Unsupported(Message("script.sets_attribute", {{"name", node.name}}));
    if (kind.is("prim::CallMethod")) {
        const Symbol self = find(scope, node.inputs.at(0)).object;
        const Method* method = self.object && self.object->type ? self.object->type->method(node.name) : nullptr;
        if (!method) throw Unsupported(Message("script.unknown_call", {{"name", node.name}}));
        const bool isLeaf = LeafModules::isLeafType(plainClassName(self.object->className));
        if (isLeaf && m_leafDepth == 0) m_leaves.insert(self.object);
        m_leafDepth += isLeaf;
        inlined(scope, node, *method, 0, indent);
        m_leafDepth -= isLeaf;
        return true;
    }
    if (kind.is("prim::CallFunction")) {
        const Symbol function = find(scope, node.inputs.at(0)).object;
        if (function.is != Symbol::Is::Function)
            throw Unsupported(Message("script.unknown_call", {{"name", node.name}}));
        return inlined(scope, node, m_program.functions[static_cast<std::size_t>(function.index)], 1, indent), true;
    }
    return false;
}

void BlockText::writeTruth(Scope& scope, const Node& node, bool value) {
    const std::string name = constant("bool", "prim::Constant" + attributeText(Argument(value)));
    scope.values[node.outputs.at(0)] = {name, {}, {}, "bool", value};
}

/// Conditions that the types tell, `not` of one, and the branch that a known one takes: the other may hold what no text
/// can.
bool BlockText::writeKnown(Scope& scope, const Node& node, int indent) {
    const Kind& kind = m_program.kindOf(node);
    if (kind.is("prim::If")) return writeTaken(scope, node, indent);
    if (node.outputs.size() != 1 || node.inputs.empty()) return false;
    if (kind.is("aten::__not__")) {
        const std::optional<bool> truth = find(scope, node.inputs[0]).truth;
        return truth && (writeTruth(scope, node, !*truth), true);
    }
    std::optional<bool> known;
    if (kind.is("prim::isinstance")) {
        const std::string held = find(scope, node.inputs[0]).type;
        known = isOfAnyType(m_program, node, [&](const std::string& asked) { return isOfType(held, asked); });
    } else if ((kind.is("aten::__is__") || kind.is("aten::__isnot__")) && node.inputs.size() == 2) {
        const Inner first = find(scope, node.inputs[0]), second = find(scope, node.inputs[1]);
        const bool firstIsNone = first.type == "NoneType";
        const Inner& other = firstIsNone ? second : first;
        if (!firstIsNone && second.type != "NoneType") return false;
        if (other.object.is == Symbol::Is::Object) known = false;
        else known = isOfType(other.type, "NoneType");
        if (known && kind.is("aten::__isnot__")) known = !*known;
    }
    return known && (writeTruth(scope, node, *known), true);
}

bool BlockText::writeTaken(Scope& scope, const Node& node, int indent) {
    const std::optional<bool> truth = node.inputs.empty() ? std::nullopt : find(scope, node.inputs[0]).truth;
    if (!truth || node.blocks.size() != 2) return false;
    const Block& taken = node.blocks[*truth ? 0 : 1];
    writeNodes(scope, taken.nodes, indent);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        scope.values[node.outputs[i]] = Inner(find(scope, taken.outputs.at(i)));
    return true;
}

void BlockText::write(Scope& scope, const Node& node, int indent) {
    const Kind& kind = m_program.kindOf(node);
    if (writeSpecial(scope, node, indent)) return;
    if (node.hasMore || !node.name.empty()) throw Unsupported(Message("script.unknown_call", {{"name", kind.name}}));
    const bool changes = changesContainer(kind.name) && !node.inputs.empty() &&
                         !m_program.typeOf(scope.method, node.inputs[0]).isTensor();
    m_hasEffects = m_hasEffects || (!changes && mayHaveEffects(kind));
    if (changes) noteChange(scope, node);
    std::vector<std::string> inputs, outputs;
    for (const std::uint32_t id : node.inputs) {
        const Inner& inner = find(scope, id);
        if (inner.name.empty()) throw Unsupported(Message("script.unknown_object"));
        inputs.push_back(inner.name);
    }
    for (const std::uint32_t id : node.outputs) {
        const Type& type = m_program.typeOf(scope.method, id);
        if (type.classIndex >= 0) throw Unsupported(Message("script.object", {{"class", type.text}}));
        const std::string name = fresh();
        scope.values[id] = {name, {}, {}, type.text};
        if (isMutableType(type.text)) scope.values[id].roots = rootsOf(scope, node.inputs);
        outputs.push_back(name + " : " + type.text);
    }
    std::string bounds;
    if (node.bounds)
        bounds = "[beg=" + std::to_string(node.bounds->first) + ", end=" + std::to_string(node.bounds->second) + "]";
    line(indent, joined(outputs) + (outputs.empty() ? "" : " = ") + kind.name + bounds + "(" + joined(inputs) + ")");
    for (std::size_t i = 0; i < node.blocks.size(); ++i) {
        const Block& block = node.blocks[i];
        std::vector<std::string> parameters, results;
        for (const std::uint32_t id : block.inputs) {
            scope.values[id] = {fresh(), {}, {}, m_program.typeOf(scope.method, id).text};
            if (isMutableType(m_program.typeOf(scope.method, id).text))
                scope.values[id].roots = rootsOf(scope, node.inputs);
            parameters.push_back(scope.values[id].name + " : " + m_program.typeOf(scope.method, id).text);
        }
        line(indent + 1, "block" + std::to_string(i) + "(" + joined(parameters) + "):");
        writeNodes(scope, block.nodes, indent + 2);
        for (const std::uint32_t id : block.outputs) {
            results.push_back(find(scope, id).name);
            if (results.back().empty()) throw Unsupported(Message("script.unknown_object"));
        }
        const std::set<std::size_t> before = rootsOf(scope, node.inputs), after = rootsOf(scope, block.outputs);
        if (kind.is("prim::Loop") && !std::includes(before.begin(), before.end(), after.begin(), after.end()))
            throw Unsupported(Message("script.changes_list")); // the next turn may change a different list
        for (const std::uint32_t id : node.outputs)
            if (isMutableType(m_program.typeOf(scope.method, id).text))
                scope.values[id].roots.insert(after.begin(), after.end());
        line(indent + 2, "-> (" + joined(results) + ")");
    }
}

void BlockText::writeConstant(Scope& scope, const Node& node) {
    const std::uint32_t id = node.outputs.at(0);
    const Type& type = m_program.typeOf(scope.method, id);
    Symbol symbol;
    if (type.functionIndex >= 0) {
        symbol.is = Symbol::Is::Function, symbol.index = type.functionIndex;
        scope.values[id] = {"", symbol, {}};
        return;
    }
    if (node.constant < 0 || type.isNone()) {
        scope.values[id] = {constant(type.text, "prim::Constant"), {}, {}, node.constant < 0 ? "NoneType" : type.text};
        return;
    }
    const Program::Constant& held = m_program.constants[static_cast<std::size_t>(node.constant)];
    if (std::holds_alternative<TensorPtr>(held)) {
        symbol.is = Symbol::Is::Tensor, symbol.path = m_file.programConstantPath(node.constant);
        scope.values[id] = input(symbol, type.text);
        return;
    }
    const auto& literal = std::get<Argument>(held);
    if (const std::string text = attributeText(literal); !text.empty()) {
        scope.values[id] = {constant(type.text, "prim::Constant" + text), {}, {}, type.text};
        if (const bool* truth = literal.as<bool>()) scope.values[id].truth = *truth;
    } else if (literal.as<OpaqueObject>() && !Symbol::of(literal).enumMember()) {
        throw Unsupported(Message("script.constant", {{"type", type.text}}));
    } else scope.values[id] = input(Symbol::of(literal), type.text);
}

void BlockText::attribute(Scope& scope, const Node& node) {
    const Symbol holder = find(scope, node.inputs.at(0)).object;
    if (const Symbol* now = holder.object ? m_file.attributeNow(*holder.object, holder.path, node.name) : nullptr) {
        const std::uint32_t result = node.outputs.at(0);
        scope.values[result] = input(*now, m_program.typeOf(scope.method, result).text);
        return;
    }
    const Object::Field* field = holder.object ? holder.object->field(node.name) : nullptr;
    Symbol symbol;
    symbol.path = joinedPath(holder.path, node.name);
    const std::uint32_t id = node.outputs.at(0);
    const std::string& type = m_program.typeOf(scope.method, id).text;
    if (const auto* inner = field ? std::get_if<const Object*>(field) : nullptr) {
        symbol.is = Symbol::Is::Object, symbol.object = *inner;
        scope.values[id] = {"", symbol, {}};
    } else if (field && std::holds_alternative<TensorPtr>(*field) && holder.object->isModule()) {
        symbol.is = Symbol::Is::Tensor;
        scope.values[id] = input(symbol, type);
    } else if (const auto* list = field ? std::get_if<std::vector<TensorPtr>>(field) : nullptr) {
        scope.values[id] = input(tensorList(*holder.object, holder.path, *list, m_file.constantPath), type);
    } else {
        const Argument* literal = holder.object ? holder.object->setting(m_program, node.name) : nullptr;
        if (!literal || (literal->as<OpaqueObject>() && !Symbol::of(*literal).enumMember()))
            throw Unsupported(Message("script.object", {{"class", symbol.path}}));
        scope.values[id] = input(Symbol::of(*literal), type);
    }
}

void BlockText::inlined(Scope& scope, const Node& node, const Method& method, std::size_t firstInput, int indent) {
    if (scope.depth >= kDeepestBlock) throw Unsupported(Message("script.too_deep"));
    Scope inner{method, {}, nullptr, scope.depth + 1};
    if (node.inputs.size() - firstInput != method.body.inputs.size()) throw Unsupported(Message("script.index"));
    for (std::size_t i = 0; i < method.body.inputs.size(); ++i)
        inner.values[method.body.inputs[i]] = find(scope, node.inputs[i + firstInput]);
    writeNodes(inner, method.body.nodes, indent);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        scope.values[node.outputs[i]] = find(inner, method.body.outputs.at(i));
}

} // namespace fx::script
