// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/pattern_checks.h"

#include "core/passes/value_facts.h"

#include <algorithm>
#include <cmath>

namespace fx {
namespace {

/// A number, a flag, or a list of one.
std::optional<double> numberOf(const Argument& value) {
    if (const auto* flag = value.as<bool>()) return *flag ? 1 : 0;
    if (const auto number = value.number()) return number;
    const auto* sequence = value.as<Sequence>();
    return sequence && sequence->items.size() == 1 && !sequence->items[0].as<Sequence>() ? numberOf(sequence->items[0])
                                                                                         : std::nullopt;
}

/// A keyword argument that leaves a call as it is: what PyTorch's Python functions add (`inplace=False`, `dtype=None`).
bool saysNothing(const std::pair<std::string, Argument>& argument) {
    const auto* flag = argument.second.as<bool>();
    return argument.second.isNone() || (flag && !*flag) || argument.first.starts_with('_');
}

bool isAbout(double a, double b) { return std::abs(a - b) <= 1e-5 * std::max(std::abs(b), 1e-3); }

} // namespace

bool PatternChecks::accept(const InternalMatch& match, bool aten) const {
    if (!constantsFit(match) || !callsFit(match)) return false;
    const auto bound = [&](const std::string& name) { return match.find(m_pattern.find(name)); };
    for (const std::string& name : m_library.vectors)
        if (const Binding* value = bound(name); !value || !isVector(value->value)) return false;
    if (!m_library.floats.empty())
        if (const Binding* value = bound(m_library.floats); !value || !isFloat(value->value)) return false;
    const bool needsSizes = aten && m_library.vectors.empty() && m_library.name.ends_with("_norm");
    return !needsSizes || knownSizes(m_model.graph.node(bound("x")->value.node())).has_value();
}

bool PatternChecks::constantsFit(const InternalMatch& match) const {
    for (const auto& [id, bound] : match.nodesMap) {
        const Node& pattern = m_pattern.node(id);
        if (pattern.op() != Op::Placeholder) continue;
        const auto constant = std::find_if(m_library.constants.begin(), m_library.constants.end(),
                                           [&](const auto& each) { return each.input == pattern.target(); });
        if (constant == m_library.constants.end()) {
            if (!bound.value.isNode()) return false; // a number where the pattern has a tensor
            continue;
        }
        const auto number = bound.value.isNode() ? std::nullopt : numberOf(bound.value);
        if (!number || (!constant->isAny && !isAbout(*number, constant->value))) return false;
    }
    return true;
}

bool PatternChecks::callsFit(const InternalMatch& match) const {
    return std::all_of(match.nodesMap.begin(), match.nodesMap.end(), [&](const auto& entry) {
        const Node& pattern = m_pattern.node(entry.first);
        if (!pattern.isCall()) return true;
        if (!entry.second.value.isNode()) return false;
        const Node& node = m_model.graph.node(entry.second.value.node());
        return node.op() == Op::CallModule ? moduleFits(pattern, node) : callFits(pattern, node);
    });
}

/// What the pattern gives by position was compared; the rest must be what the checks say, and nothing else.
bool PatternChecks::callFits(const Node& pattern, const Node& node) const {
    std::set<std::size_t> places;
    std::set<std::string_view> names;
    for (const auto& check : m_library.checks) {
        if (check.node != pattern.name()) continue;
        const Argument* given = nullptr;
        // By its place or name; aten.var.correction calls what is no longer `unbiased` by another one.
        for (const std::string_view name : {std::string_view(check.name), std::string_view("correction")})
            if (!given && (name == check.name || check.name == "unbiased")) given = node.argument(check.place, name);
        const auto number = given ? numberOf(*given) : std::nullopt;
        if (!number || *number != check.value) return false;
        places.insert(check.place);
        names.insert(check.name);
        if (check.name == "unbiased") names.insert("correction");
    }
    for (std::size_t i = 0; i < std::max(pattern.args().size(), node.args().size()); ++i)
        if ((i >= pattern.args().size() || i >= node.args().size()) && !places.contains(i)) return false;
    return std::all_of(node.kwargs().begin(), node.kwargs().end(),
                       [&](const auto& each) { return names.contains(each.first) || saysNothing(each); });
}

bool PatternChecks::moduleFits(const Node& pattern, const Node& node) const {
    const Module* module = m_paths.resolve(node.target()).module;
    if (!module || node.args().size() != 1 || !node.kwargs().empty()) return false;
    return std::all_of(m_library.checks.begin(), m_library.checks.end(), [&](const auto& check) {
        if (check.node != pattern.name()) return true;
        const Argument* value = module->setting(check.name);
        const auto number = value ? numberOf(*value) : std::nullopt;
        return number && *number == check.value;
    });
}

bool PatternChecks::isVector(const Argument& value) const {
    if (!value.isNode()) return false;
    if (const TensorPtr tensor = m_tensors.tensor(value.node())) return tensor->sizes.size() == 1;
    return false;
}

/// Flags added to scores are numbers; given to the operator they would be a mask.
bool PatternChecks::isFloat(const Argument& value) const {
    if (!value.isNode()) return false;
    const Node& node = m_model.graph.node(value.node());
    const std::string dtype = knownDtype(node);
    if (!dtype.empty()) return dtype.find("float") != std::string::npos;
    const TensorPtr tensor = m_tensors.tensor(value.node());
    if (tensor) return dtypeName(tensor->dtype).find("float") != std::string_view::npos;
    // Arithmetic with a float gives floats.
    return node.isCall() && std::any_of(node.args().begin(), node.args().end(),
                                        [](const Argument& argument) { return argument.as<double>() != nullptr; });
}

} // namespace fx
