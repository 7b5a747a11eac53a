// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/code_globals.h"

#include "core/base/listed.h"
#include "core/base/python_text.h"
#include "core/ir/code_words.h"
#include "core/ops/reach.h"

#include <algorithm>
#include <unordered_set>

namespace fx {
namespace {
/// Objects that every graph's code can use, in torch.fx's order: name, import line, the object.
struct CustomBuiltin {
    const char* name;
    const char* import;
    const char* object;
};
constexpr CustomBuiltin kCustomBuiltins[] = {
    {"inf", "from math import inf", "math.inf"},
    {"nan", "from math import nan", "math.nan"},
    {"NoneType", "NoneType = type(None)", "builtins.NoneType"},
    {"torch", "import torch", "torch"},
    {"device", "from torch import device", "torch.device"},
    {"fx_pytree", "import torch.fx._pytree as fx_pytree", "torch.fx._pytree"},
    {"pytree", "import torch.utils._pytree as pytree", "torch.utils._pytree"},
};
/// What torch.fx's `create_name` keeps as it is; other names get `_` for what is not ASCII.
bool isPlainName(const std::string& name) {
    return isPythonIdentifier(name) &&
           std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
/// The builtin class behind a bare `typing.List`; other aliases stand for classes of collections.abc of the same name.
std::string plainName(const std::string& alias) {
    static constexpr std::pair<const char*, const char*> kPlain[] = {{"List", "list"},   {"Dict", "dict"},
                                                                     {"Set", "set"},     {"FrozenSet", "frozenset"},
                                                                     {"Tuple", "tuple"}, {"Type", "type"}};
    for (const auto& [name, plain] : kPlain)
        if (alias == name) return plain;
    return alias;
}
} // namespace

CodeGlobals::CodeGlobals(const Graph& graph)
    : m_graph(graph), m_numbered(!graph.namesAreUnique()), m_nodeNames(graph.idLimit()) {
    for (const auto& builtin : kCustomBuiltins) {
        m_globals.emplace(builtin.object, m_names.create(builtin.name, true));
        m_imports.emplace(builtin.name, builtin.import);
    }
}

const std::string& CodeGlobals::nameNode(NodeId id) {
    const std::string& own = m_graph.node(id).name();
    const bool simple = !m_numbered && isPlainName(own) && !m_names.isUsed(own) && !isReservedName(own);
    if (simple) {
        m_printed.push_back(id);
        return *(m_nodeNames[index(id)] = &own);
    }
    numberAll();
    m_renamed.push_back(m_names.create(own));
    return *(m_nodeNames[index(id)] = &m_renamed.back());
}

/// Enters what was printed so far into the namespace; none of it clashes, so no name changes.
void CodeGlobals::numberAll() {
    if (std::exchange(m_numbered, true)) return;
    for (const NodeId id : m_printed) m_names.create(m_graph.node(id).name());
}

const std::string& CodeGlobals::global(std::string_view hint, const std::string& module, const std::string& name,
                                       std::string_view path) {
    const std::string object = module + "." + name;
    const std::string identity = path.empty() ? object : std::string(path);
    const auto known = m_globals.find(identity);
    if (known != m_globals.end()) return known->second;
    const bool isThatBuiltin = module == "builtins" && hint == name;
    if (!module.empty()) requireDotted(module);
    requireDotted(name);
    // The alias is made of the hint with dots as underscores; a node may have been printed under that very name.
    std::string legal(hint);
    std::replace(legal.begin(), legal.end(), '.', '_');
    if (m_graph.find(legal) != kNoNode || (!isThatBuiltin && isReservedName(legal))) numberAll();
    std::string alias = m_names.create(hint, isThatBuiltin);
    m_imports.emplace(alias, "from " + module + " import " + name + " as " + alias);
    m_used.push_back({alias, object, writing});
    return m_globals.emplace(identity, std::move(alias)).first->second;
}

namespace {
/// The path of a class in its module, as `<class 'a.Outer.Inner'>` says it: classes of one name are several objects.
std::string_view classPath(const Callable& callable) {
    constexpr std::string_view kBefore = "<class '", kAfter = "'>";
    const std::string_view shown = callable.repr;
    if (callable.kind != Callable::Kind::Class || !shown.starts_with(kBefore) || !shown.ends_with(kAfter)) return {};
    const std::string_view path = shown.substr(kBefore.size(), shown.size() - kBefore.size() - kAfter.size());
    return path.starts_with(callable.module + ".") ? path : std::string_view(); // not `<class 'int'>`
}
} // namespace

const std::string& CodeGlobals::callableName(const Callable& callable, std::string_view hint) {
    const bool plain = callable.fromTorch && callable.qualifiedName != "torch.device";
    requireOneName(callable);
    const std::string& name =
        plain ? callable.qualifiedName : global(hint, callable.module, callable.name, classPath(callable));
    m_callables.emplace(&callable, &name);
    return name;
}

std::string CodeGlobals::typeName(const TypeExpr& type) {
    const auto joined = [&](const char* separator) {
        std::string out;
        for (const auto& arg : type.args) out += (out.empty() ? "" : separator) + typeName(*arg);
        return out;
    };
    switch (type.kind) {
    case TypeExpr::Kind::Union: return joined("|");
    case TypeExpr::Kind::Text: return type.name == "..." ? global("...", "builtins", "Ellipsis") : textType(type.name);
    case TypeExpr::Kind::Class:
        if (type.fromTorch && type.repr() != "torch.device") return requireDotted(type.repr()), type.repr();
        return global(type.repr(), type.module, type.name);
    case TypeExpr::Kind::Generic: break;
    }
    TypeExpr origin = type;
    origin.kind = TypeExpr::Kind::Class;
    if (type.args.empty() && type.module == "typing") { // code names what the bare alias stands for
        origin.name = plainName(type.name);
        origin.module = origin.name == type.name ? "collections.abc" : "builtins";
    }
    if (!type.args.empty() && ops::reachesOutside(origin.repr())) // `ctypes.cdll['lib.so']` loads a library
        throw Error(ErrorKind::Refused, Message("codegen.not_value", {{"text", type.repr()}}));
    const std::string name = typeName(origin);
    return type.args.empty() ? name : name + "[" + joined(",") + "]";
}

/// An annotation that is text is a global like other objects, named after how it prints.
std::string CodeGlobals::textType(const std::string& text) {
    static constexpr std::string_view kReference = "ForwardRef(";
    const bool isReference = text.starts_with(kReference) && text.ends_with(')');
    const std::string quoted = isReference ? text.substr(kReference.size(), text.size() - kReference.size() - 1) : text;
    leaveUndefined(requireValue(quoted));
    if (!quoted.starts_with('\'') && !quoted.starts_with('"')) return text;
    const auto known = m_globals.find(text);
    if (known != m_globals.end()) return known->second;
    if (!m_numbered) numberAll();
    std::string alias = m_names.create(text, false);
    m_imports.emplace(alias, alias + " = " + quoted);
    m_used.push_back({alias, {}, writing});
    return m_globals.emplace(text, std::move(alias)).first->second;
}

void CodeGlobals::checkUndefined() const {
    if (m_undefined.empty()) return;
    std::unordered_set<std::string_view> locals{"self"};
    for (const std::string* name : m_nodeNames)
        if (name) locals.insert(*name);
    for (const Node& node : m_graph.nodes())
        if (node.op() == Op::Placeholder) locals.insert(node.target());
    for (const auto& [name, node] : m_undefined)
        if (m_imports.contains(name) || locals.contains(name))
            throw Error(ErrorKind::Refused, Message("codegen.not_value", {{"text", name + "(…)"}}))
                .onNode(m_graph.node(node).name());
}

CodeNames CodeGlobals::takeNames() {
    return {
        std::move(m_used), {m_tupleClasses.begin(), m_tupleClasses.end()}, {m_undefined.begin(), m_undefined.end()}};
}

std::string CodeGlobals::importBlock() const {
    std::vector<std::string> lines;
    for (const auto& [alias, line] : m_imports) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return joined(lines, "\n");
}

} // namespace fx
