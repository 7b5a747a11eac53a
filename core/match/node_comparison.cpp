// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/node_comparison.h"

#include "core/match/python_equality.h"
#include "core/ops/catalogue.h"
#include "core/ops/nn_modules.h"
#include "core/pysrc/parser.h"

#include <algorithm>

namespace fx {
namespace {

bool sameKeys(const Kwargs& a, const Kwargs& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first; });
}

/// The value of a default in a schema: a number, text, None, True, False, or a list of such.
Argument literalOf(const py::Expr& expr) {
    switch (expr.kind) {
    case py::ExprKind::Constant: return *expr.constant;
    case py::ExprKind::List: {
        std::vector<Argument> items;
        for (const auto* item : expr.items) items.push_back(literalOf(*item));
        return Argument::list(std::move(items));
    }
    case py::ExprKind::Unary: {
        const Argument operand = literalOf(*expr.items[0]);
        if (const auto* integer = operand.as<std::int64_t>(); integer && expr.text == "-") return -*integer;
        if (const auto* real = operand.as<double>(); real && expr.text == "-") return -*real;
        return operand;
    }
    default: return std::string(expr.text);
    }
}

std::string_view canonicalModuleType(std::string_view type) {
    const auto known = ops::findModule(type);
    return known ? known->path() : type;
}

} // namespace

bool sameModuleType(std::string_view a, std::string_view b) {
    return a == b || canonicalModuleType(a) == canonicalModuleType(b);
}

NodeComparison::NodeComparison(const SubgraphMatcher& matcher, const GraphModule& target)
    : m_matcher(matcher), m_target(target), m_callees(matcher.pattern().graph.idLimit(), kNoNode),
      m_paths(*target.root) {
    for (const Node& pattern : matcher.pattern().graph.nodes()) {
        if (pattern.op() != Op::CallMethod || pattern.target() != "__call__" || pattern.args().empty() ||
            !pattern.args()[0].isNode())
            continue;
        const NodeId callee = pattern.args()[0].node();
        if (matcher.moduleType(callee)) m_callees[index(pattern.id())] = callee;
    }
}

bool NodeComparison::equalAttributes(const Node& pattern, const Node& graph) const {
    using Kind = PathTarget::Kind;
    const auto isTensor = [](Kind kind) {
        return kind == Kind::Parameter || kind == Kind::Buffer || kind == Kind::Tensor;
    };
    const auto wanted = resolvePath(*m_matcher.pattern().root, pattern.target());
    const auto given = m_paths.resolve(graph.target());
    // A Parameter has a type of its own; buffers and plain tensors are the same.
    return isTensor(wanted.kind) && isTensor(given.kind) &&
           (wanted.kind == Kind::Parameter) == (given.kind == Kind::Parameter);
}

/// A target that a relaxation allows.
bool NodeComparison::acceptsTarget(const Node& pattern, const Node& graph) const {
    const auto& targets = m_matcher.options().relaxations.targets;
    const auto found = targets.find(pattern.id());
    if (found == targets.end()) return false;
    if (pattern.op() == Op::GetAttr) return graph.op() == Op::GetAttr && found->second.contains(graph.target());
    if (!graph.isCall() || (calledPlaceholder(pattern) != kNoNode && graph.op() != Op::CallModule)) return false;
    return found->second.contains("*") || found->second.contains(graph.target()) ||
           (graph.op() == Op::CallModule && found->second.contains(moduleType(graph)));
}

std::string NodeComparison::moduleType(const Node& graph) const {
    const Module* module = graph.op() == Op::CallModule ? m_paths.resolve(graph.target()).module : nullptr;
    if (!module) return {};
    const auto known = ops::findModule(module->qualifiedType());
    return known ? std::string(known->publicPath()) : module->qualifiedType();
}

/// What a node calls, or null: looked up once for each node.
const Module* NodeComparison::calledModule(const Node& graph) const {
    if (index(graph.id()) >= m_called.size()) m_called.resize(m_target.graph.idLimit());
    auto& called = m_called[index(graph.id())];
    if (!called) called = m_paths.resolve(graph.target()).module;
    return *called;
}

bool NodeComparison::isOfType(const Module& module, const std::string& type) const {
    for (const ClassAndType& known : m_types)
        if (known.className == module.className && known.classModule == module.classModule && known.type == type)
            return known.isSame;
    constexpr std::size_t kMostKnown = 32;
    const bool isSame = sameModuleType(module.qualifiedType(), type);
    if (m_types.size() < kMostKnown) m_types.push_back({module.className, module.classModule, type, isSame});
    return isSame;
}

bool NodeComparison::equal(const Node& pattern, const Node& graph) const {
    const MatcherOptions& options = m_matcher.options();
    if (!options.matchPlaceholder && pattern.op() == Op::Placeholder) return true;
    if (!options.nodeNameMatch.empty() && graph.name().find(options.nodeNameMatch) != std::string::npos) return true;
    if (!options.relaxations.targets.empty() && acceptsTarget(pattern, graph)) return true;
    if (const NodeId callee = calledPlaceholder(pattern); callee != kNoNode) {
        const Module* module = graph.op() == Op::CallModule ? calledModule(graph) : nullptr;
        return module && isOfType(*module, *m_matcher.moduleType(callee));
    }
    if (pattern.op() != graph.op()) return false;
    if (pattern.op() == Op::Placeholder || pattern.op() == Op::Output) return true;
    if (pattern.op() == Op::GetAttr) return equalAttributes(pattern, graph);
    return pattern.target() == graph.target();
}

bool NodeComparison::commutes(const Node& pattern) {
    if (pattern.op() == Op::CallModule || pattern.op() == Op::Output || !pattern.kwargs().empty() ||
        pattern.args().size() != 2)
        return false;
    std::string_view name =
        pattern.callable() ? std::string_view(pattern.callable()->name) : std::string_view(pattern.target());
    if (const auto packet = pattern.target().find("ops.aten."); packet != std::string::npos) {
        name = std::string_view(pattern.target()).substr(packet + 9);
        name = name.substr(0, name.find('.'));
    }
    static constexpr std::string_view kNames[] = {
        "add",     "mul",         "eq",         "ne",          "and_",        "or_",        "xor",         "maximum",
        "minimum", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "multiply"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::vector<const Argument*> NodeComparison::bySchema(const Node& node) {
    const auto op = ops::findOperator(node.target());
    if (!op) return {};
    auto [defaults, isNew] = m_defaults.try_emplace(node.target());
    if (isNew)
        for (const ops::Argument argument : op->arguments())
            defaults->second.push_back(&keep(
                argument.hasDefault() ? literalOf(*py::Parser(argument.defaultValue()).expression()) : Argument()));
    std::vector<const Argument*> all;
    std::size_t place = 0;
    for (const ops::Argument argument : op->arguments()) {
        if (const fx::Argument* named = node.kwarg(argument.name())) all.push_back(named);
        else if (!argument.isKeywordOnly() && place < node.args().size()) all.push_back(&node.args()[place]);
        else all.push_back(defaults->second[place]);
        ++place;
    }
    return all;
}

NodeComparison::Arguments NodeComparison::commonArguments(const Node& pattern, const Node& graph) const {
    Arguments result;
    const std::size_t first = skipped(pattern);
    for (std::size_t i = 0; i < std::min(pattern.args().size() - first, graph.args().size()); ++i) {
        result.pattern.push_back(&pattern.args()[first + i]);
        result.graph.push_back(&graph.args()[i]);
    }
    if (pattern.op() != graph.op() || pattern.target() != graph.target())
        return result; // its further settings are its own
    for (const auto& [key, arg] : pattern.kwargs()) {
        const fx::Argument* same = graph.kwarg(key);
        if (!same) continue;
        result.pattern.push_back(&arg);
        result.graph.push_back(same);
        result.keywords.push_back(key);
    }
    return result;
}

/// Of two calls of one form.
NodeComparison::Arguments NodeComparison::allArguments(const Node& pattern, const Node& graph) const {
    Arguments result;
    for (std::size_t i = skipped(pattern); i < pattern.args().size(); ++i) result.pattern.push_back(&pattern.args()[i]);
    for (const auto& arg : graph.args()) result.graph.push_back(&arg);
    for (const auto& [key, arg] : pattern.kwargs()) {
        result.pattern.push_back(&arg);
        result.keywords.push_back(key);
    }
    for (const auto& [key, arg] : graph.kwargs()) result.graph.push_back(&arg);
    return result;
}

bool NodeComparison::haveOneForm(const Node& pattern, const Node& graph) const {
    return pattern.args().size() - skipped(pattern) == graph.args().size() &&
           sameKeys(pattern.kwargs(), graph.kwargs());
}

std::optional<NodeComparison::Arguments> NodeComparison::arguments(const Node& pattern, const Node& graph) {
    if (pattern.target() != graph.target() && acceptsTarget(pattern, graph)) return commonArguments(pattern, graph);
    if (haveOneForm(pattern, graph)) return allArguments(pattern, graph);
    if (const auto free = m_matcher.options().relaxations.arguments.find(pattern.id());
        free != m_matcher.options().relaxations.arguments.end() && free->second.contains("*"))
        return commonArguments(pattern, graph);
    const bool isOverload = pattern.op() == Op::CallFunction && pattern.callable()->kind == Callable::Kind::OpOverload;
    if (!isOverload || !ops::findOperator(pattern.target()) || !ops::findOperator(graph.target())) return std::nullopt;
    Arguments result{bySchema(pattern), bySchema(graph), {}};
    return result.pattern.size() == result.graph.size() ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace fx
