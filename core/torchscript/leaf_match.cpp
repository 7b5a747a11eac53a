// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/leaf_match.h"

#include "core/ops/parameter_list.h"
#include "core/tensor/elements.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <tuple>

namespace fx::script {
namespace {

constexpr int kMaxDepth = 24; // of the longest pattern, with some to spare

std::optional<Argument> literalText(std::string_view text) {
    if (text == "True" || text == "False") return Argument(text == "True");
    if (text == "None") return Argument();
    if (text.size() >= 2 && text.front() == '\'') return Argument(text.substr(1, text.size() - 2));
    if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '-')) return std::nullopt;
    return Argument(std::strtod(std::string(text).c_str(), nullptr)); // compared as a number
}

bool sameNumber(const Argument& value, const Argument& wanted) {
    const auto* number = wanted.as<double>();
    if (!number) return value == wanted;
    if (const auto* real = value.as<double>()) return *real == *number;
    const auto* integer = value.as<std::int64_t>();
    return integer && static_cast<double>(*integer) == *number;
}

/// A trace keeps integers that sizes are multiplied with as tensors without dimensions.
std::optional<Argument> numberIn(const TensorRef& tensor) {
    if (tensor.dtype != DType::Int64 || !tensor.sizes.empty() || !tensor.storage) return std::nullopt;
    return Argument(static_cast<std::int64_t>(elementValues(tensor).at(0)));
}

} // namespace

LeafMatch::LeafMatch(const Program& program, const Object& object, const Method& method,
                     const std::vector<std::string>& own)
    : m_program(program), m_object(object), m_method(method), m_own(own) {
    for (const Node& node : method.body.nodes)
        for (const std::uint32_t output : node.outputs) m_definitions.emplace(output, &node);
}

const Node* LeafMatch::definition(std::uint32_t value) const {
    const auto found = m_definitions.find(value);
    return found == m_definitions.end() ? nullptr : found->second;
}

bool LeafMatch::matches(const LeafPattern& pattern) {
    settings.clear(), inputs.clear(), outputs.clear(), m_seen.clear();
    if (pattern.body.front() == '(') return matchOutputs(pattern.body.substr(1, pattern.body.size() - 2)) && onlyThat();
    return returned() && match(pattern.body, m_returned.front(), 0) && onlyThat();
}

/// A trace leaves out the outputs that nothing uses.
bool LeafMatch::matchOutputs(std::string_view patterns) {
    if (m_method.body.outputs.size() != 1) return false;
    m_returned = m_method.body.outputs;
    const Node* node = definition(m_returned[0]);
    if (node && m_program.kindOf(*node).is("prim::TupleConstruct")) m_returned = node->inputs;
    const std::vector<std::string_view> all = ops::split(patterns, "; ");
    for (const std::uint32_t value : m_returned) {
        const auto found = std::find_if(all.begin(), all.end(), [&](std::string_view one) {
            const auto inputsBefore = inputs;
            const auto seenBefore = m_seen;
            if (match(one, value, 0)) return true;
            inputs = inputsBefore, m_seen = seenBefore;
            return false;
        });
        if (found == all.end()) return false;
        outputs.push_back(static_cast<std::size_t>(found - all.begin()));
    }
    return !m_returned.empty();
}

/// The values that the method returns, one or those of a tuple, are outputs of one operator.
bool LeafMatch::returned() {
    if (m_method.body.outputs.size() != 1) return false;
    m_returned = m_method.body.outputs;
    const Node* node = definition(m_returned[0]);
    if (node && m_program.kindOf(*node).is("prim::TupleConstruct")) m_returned = node->inputs, m_seen.insert(node);
    if (m_returned.empty()) return false;
    const Node* made = definition(m_returned[0]);
    for (const std::uint32_t value : m_returned) {
        if (definition(value) != made) return false;
        outputs.push_back(made ? static_cast<std::size_t>(std::find(made->outputs.begin(), made->outputs.end(), value) -
                                                          made->outputs.begin())
                               : 0);
    }
    return true;
}

/// What else the body computes has no effect; but in training, BatchNorm counts batches.
bool LeafMatch::onlyThat() const {
    return std::all_of(m_method.body.nodes.begin(), m_method.body.nodes.end(), [&](const Node& node) {
        const std::string& kind = m_program.kindOf(node).name;
        if (m_seen.contains(&node)) return true;
        if (kind == "aten::add_") {
            const std::string* counter = attributeName(node.inputs.at(0));
            return counter && *counter == "num_batches_tracked";
        }
        if (kind.ends_with('_') && isUnusedItem(node.inputs.at(0))) return node.blocks.empty();
        return node.blocks.empty() && !kind.ends_with('_') && kind != "prim::CallMethod" &&
               kind != "prim::CallFunction" && kind != "prim::SetAttr" && kind != "prim::RaiseException";
    });
}

/// A chunk that nothing matched reads: a trace changes it in place for a result that nobody takes.
bool LeafMatch::isUnusedItem(std::uint32_t value) const {
    const Node* node = definition(value);
    return node && m_program.kindOf(*node).is("prim::ListUnpack") &&
           std::none_of(m_seen.begin(), m_seen.end(), [&](const Node* seen) {
               return std::find(seen->inputs.begin(), seen->inputs.end(), value) != seen->inputs.end();
           });
}

std::optional<Argument> LeafMatch::literal(std::uint32_t value) const {
    const Node* node = definition(value);
    if (!node) return std::nullopt;
    const std::string& kind = m_program.kindOf(*node).name;
    if (kind == "prim::Constant") {
        if (node->constant < 0) return Argument();
        const auto& constant = m_program.constants[static_cast<std::size_t>(node->constant)];
        if (const auto* tensor = std::get_if<TensorPtr>(&constant)) return numberIn(**tensor);
        return std::get<Argument>(constant);
    }
    if (kind == "prim::GetAttr") {
        const Argument* setting = m_object.setting(m_program, node->name);
        return setting && attributeName(value) ? std::optional(*setting) : std::nullopt;
    }
    if (kind != "prim::ListConstruct" && kind != "prim::TupleConstruct") return std::nullopt;
    std::vector<Argument> items;
    for (const std::uint32_t input : node->inputs) {
        const Node* inner = definition(input);
        if (!inner || !m_program.kindOf(*inner).is("prim::Constant")) return std::nullopt;
        auto item = literal(input);
        if (!item) return std::nullopt;
        items.push_back(std::move(*item));
    }
    return Argument::list(std::move(items));
}

const std::string* LeafMatch::attributeName(std::uint32_t value) const {
    const std::vector<std::uint32_t>& given = m_method.body.inputs;
    const Node* node = definition(value);
    if (!node) {
        const auto place = static_cast<std::size_t>(std::find(given.begin(), given.end(), value) - given.begin());
        return place < m_own.size() && !m_own[place].empty() ? &m_own[place] : nullptr;
    }
    const bool own =
        m_program.kindOf(*node).is("prim::GetAttr") && !given.empty() && node->inputs.at(0) == given.front();
    return own ? &node->name : nullptr;
}

/// Whether it is `out_proj.weight`, read step by step.
bool LeafMatch::isChildTensor(std::string_view path, std::uint32_t value) const {
    const std::size_t dot = path.rfind('.');
    const Node* node = definition(value);
    if (dot == path.npos) {
        const std::string* read = attributeName(value);
        return read && *read == path;
    }
    return node && m_program.kindOf(*node).is("prim::GetAttr") && node->name == path.substr(dot + 1) &&
           isChildTensor(path.substr(0, dot), node->inputs.at(0));
}

bool LeafMatch::matchAttribute(std::string_view name, std::uint32_t value) const {
    if (name.find('.') != name.npos && isChildTensor(name, value)) return true;
    if (const std::string* read = attributeName(value)) return *read == name;
    const auto given = literal(value);
    return given && given->isNone() && !m_object.tensorAt(name);
}

/// The parameters of a recurrent network, in their order.
bool LeafMatch::matchWeights(std::uint32_t value) const {
    const Node* list = definition(value);
    if (!list || !m_program.kindOf(*list).is("prim::ListConstruct")) return false;
    std::vector<std::string> wanted;
    for (const auto& [name, field] : m_object.fields)
        if (std::holds_alternative<TensorPtr>(field)) wanted.push_back(name);
    std::vector<std::string> read;
    for (const std::uint32_t input : list->inputs)
        if (const std::string* name = attributeName(input)) read.push_back(*name);
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::string> sorted = read;
    std::sort(sorted.begin(), sorted.end());
    return read.size() == list->inputs.size() && sorted == wanted && read.front() == "weight_ih_l0";
}

bool LeafMatch::matchAny(std::string_view patterns, std::uint32_t value, int depth) {
    for (std::size_t start = 0, at = 0, open = 0; at <= patterns.size(); ++at) {
        const char c = at < patterns.size() ? patterns[at] : '|';
        open += c == '<' ? 1 : 0;
        open -= c == '>' ? 1 : 0;
        if (c != '|' || open != 0) continue;
        const auto before = std::tuple(settings, inputs, m_seen);
        if (match(patterns.substr(start, at - start), value, depth)) return true;
        std::tie(settings, inputs, m_seen) = before;
        start = at + 1;
    }
    return false;
}

bool LeafMatch::match(std::string_view pattern, std::uint32_t value, int depth) {
    if (depth > kMaxDepth) return false;
    if (pattern == "_") return true;
    if (pattern == "weights") return matchWeights(value);
    if (pattern.front() == '$') {
        int number = 0;
        std::from_chars(pattern.data() + 1, pattern.data() + pattern.size(), number);
        const auto found = std::find(m_method.body.inputs.begin(), m_method.body.inputs.end(), value);
        if (found == m_method.body.inputs.end() || found == m_method.body.inputs.begin()) return false;
        const auto place = static_cast<std::uint32_t>(found - m_method.body.inputs.begin() - 1);
        return inputs.emplace(number, place).first->second == place;
    }
    if (const std::size_t item = pattern.size() - 1; item > 1 && pattern[item - 1] == '#')
        return matchItem(pattern.substr(0, item - 1), static_cast<std::size_t>(pattern[item] - '0'), value, depth);
    if (pattern.front() == '@') return match(leafPart(pattern), value, depth);
    if (pattern.front() == '<') return matchAny(pattern.substr(1, pattern.size() - 2), value, depth);
    if (pattern.front() == '{') {
        const auto given = literal(value);
        if (given) settings[std::string(pattern.substr(1, pattern.size() - 2))] = *given;
        return given.has_value();
    }
    if (pattern.front() == '[') {
        const Node* list = definition(value);
        return list && m_program.kindOf(*list).is("prim::ListConstruct") &&
               matchList(pattern.substr(1, pattern.size() - 2), *list, depth);
    }
    if (pattern == "training") {
        const auto given = literal(value);
        const Argument* flag = m_object.setting(m_program, "training");
        const bool own = flag && flag->as<bool>() && *flag->as<bool>();
        // Without running statistics those of the batch are used, whatever the mode.
        return given && given->as<bool>() &&
               (*given->as<bool>() == own || (*given->as<bool>() && !m_object.tensor("running_mean") &&
                                              m_object.className.find("BatchNorm") != std::string::npos));
    }
    if (pattern.ends_with(')')) return matchCall(pattern, value, depth);
    if (const auto wanted = literalText(pattern)) {
        const auto given = literal(value);
        return given && sameNumber(*given, *wanted);
    }
    return matchAttribute(pattern, value);
}

/// An item of a list that is unpacked.
bool LeafMatch::matchItem(std::string_view list, std::size_t item, std::uint32_t value, int depth) {
    const Node* node = definition(value);
    return node && m_program.kindOf(*node).is("prim::ListUnpack") && item < node->outputs.size() &&
           node->outputs[item] == value && match(list, node->inputs.at(0), depth);
}

bool LeafMatch::matchCall(std::string_view pattern, std::uint32_t value, int depth) {
    const std::size_t open = pattern.find('(');
    const std::string_view wanted = pattern.substr(0, open);
    const Node* node = definition(value);
    if (!node) return false;
    const std::string& kind = m_program.kindOf(*node).name;
    const bool inPlace = kind.size() == wanted.size() + 1 && kind.starts_with(wanted) && kind.ends_with('_');
    if (kind != wanted && !inPlace) return false;
    m_seen.insert(node);
    if (depth == 0) settings["inplace"] = Argument(inPlace);
    return matchList(pattern.substr(open + 1, pattern.size() - open - 2), *node, depth);
}

bool LeafMatch::matchList(std::string_view items, const Node& node, int depth) {
    const std::vector<std::string_view> patterns = ops::splitTopLevel(items);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (patterns[i] == "...") return true;
        if (i >= node.inputs.size() || !match(patterns[i], node.inputs[i], depth + 1)) return false;
    }
    return patterns.size() == node.inputs.size();
}

} // namespace fx::script
