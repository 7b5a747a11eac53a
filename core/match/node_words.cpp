// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/node_words.h"

#include "core/base/utf8.h"
#include "core/ir/print.h"

#include <cctype>

namespace fx {
namespace {

/// "batch_norm" and "BatchNorm2d" become "batchnorm".
std::string plainName(std::string_view name) {
    std::string plain;
    for (const char c : name)
        if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (plain.size() > 2 && plain.back() == 'd' && std::isdigit(static_cast<unsigned char>(plain[plain.size() - 2])))
        plain.resize(plain.size() - 2);
    return plain;
}

std::string plainWord(PathResolver& paths, const Node& node) {
    std::string_view target = node.target();
    if (node.op() == Op::CallModule) {
        const auto module = paths.resolve(target);
        return module.kind == PathTarget::Kind::Module ? plainName(module.module->className) : std::string();
    }
    if (!node.isCall()) return {};
    if (node.op() == Op::CallFunction && node.callable()->kind == Callable::Kind::OpOverload)
        target = target.substr(0, target.rfind('.'));
    return plainName(target.substr(target.rfind('.') + 1));
}

std::vector<std::string> plainWords(const GraphModule& model) {
    PathResolver paths(*model.root);
    std::vector<std::string> words(model.graph.idLimit());
    for (const Node& node : model.graph.nodes()) words[index(node.id())] = plainWord(paths, node);
    return words;
}

std::string described(const GraphModule& model, const Node& node) {
    switch (node.op()) {
    case Op::CallFunction: return node.target();
    case Op::CallMethod: return "the method " + node.target();
    case Op::CallModule: {
        const auto module = resolvePath(*model.root, node.target());
        return "the module " + node.target() +
               (module.kind == PathTarget::Kind::Module ? " (" + module.module->className + ")" : "");
    }
    case Op::GetAttr: {
        const bool isParameter = resolvePath(*model.root, node.target()).kind == PathTarget::Kind::Parameter;
        return (isParameter ? "the parameter " : "the buffer ") + node.target();
    }
    case Op::Placeholder: return "the input " + node.target();
    case Op::Output: break;
    }
    return "the output";
}

} // namespace

NodeWords::NodeWords(const SubgraphMatcher& matcher, const GraphModule& target)
    : m_matcher(matcher), m_target(target), m_patternWords(plainWords(matcher.pattern())),
      m_graphWords(plainWords(target)) {}

std::string NodeWords::ofPattern(const Node& node) const {
    if (node.op() == Op::CallMethod && node.target() == "__call__" && !node.args().empty() && node.args()[0].isNode())
        if (const std::string* type = m_matcher.moduleType(node.args()[0].node())) return *type;
    return described(m_matcher.pattern(), node);
}

std::string NodeWords::ofGraph(const Node& node) const { return described(m_target, node); }

std::string NodeWords::value(const Graph& graph, const Argument& value) const {
    constexpr std::size_t kLongest = 60;
    std::string text = reprOf(graph, value);
    if (text.size() > kLongest) text = std::string(wholeCharacters(text, kLongest - 3)) + "...";
    return text;
}

} // namespace fx
