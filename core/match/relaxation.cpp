// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/relaxation.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

using Kind = Relaxation::Kind;

struct Word {
    Kind kind;
    std::string_view word;
    bool hasNode, hasValue;
};
constexpr std::array<Word, 9> kWords = {{{Kind::Target, "target", true, true},
                                         {Kind::Argument, "argument", true, true},
                                         {Kind::OutsideUsers, "users", true, false},
                                         {Kind::Optional, "optional", true, false},
                                         {Kind::Commutative, "commutative", false, false},
                                         {Kind::Literals, "literals", false, false},
                                         {Kind::Overlap, "overlap", false, false},
                                         {Kind::AnyInput, "inputs", false, false},
                                         {Kind::AnyOutput, "output", false, false}}};

Relaxation parseOne(const Graph& pattern, std::string_view text) {
    const auto colon = text.find(':'), equals = text.find('=');
    const auto word = std::find_if(kWords.begin(), kWords.end(),
                                   [&](const Word& each) { return each.word == text.substr(0, colon); });
    const bool hasNode = colon != std::string_view::npos, hasValue = equals != std::string_view::npos;
    if (word == kWords.end() || word->hasNode != hasNode || word->hasValue != hasValue)
        throw Error(ErrorKind::Usage, Message("match.unknown_relaxation", {{"text", text}}));
    Relaxation relaxation{word->kind, kNoNode, {}};
    if (!hasNode) return relaxation;
    const std::string_view name = text.substr(colon + 1, hasValue ? equals - colon - 1 : std::string_view::npos);
    relaxation.patternNode = pattern.find(name);
    if (relaxation.patternNode == kNoNode) {
        std::string names;
        for (const Node& node : pattern.nodes()) names += (names.empty() ? "" : ", ") + node.name();
        throw Error(ErrorKind::Usage, Message("match.unknown_pattern_node", {{"name", name}, {"known", names}}));
    }
    if (hasValue) relaxation.value = text.substr(equals + 1);
    return relaxation;
}

} // namespace

void relax(MatcherOptions& options, const RelaxationList& relaxations) {
    for (const auto& [kind, node, value] : relaxations) switch (kind) {
        case Kind::Target: options.relaxations.targets[node].insert(value); break;
        case Kind::Argument: options.relaxations.arguments[node].insert(value); break;
        case Kind::OutsideUsers: options.relaxations.outsideUsers.insert(node); break;
        case Kind::Optional: options.relaxations.optional.insert(node); break;
        case Kind::Commutative: options.relaxations.commutative = true; break;
        case Kind::Literals: options.ignoreLiterals = true; break;
        case Kind::Overlap: options.removeOverlapping = false; break;
        case Kind::AnyInput: options.matchPlaceholder = false; break;
        case Kind::AnyOutput: options.matchOutput = false; break;
        }
}

std::string relaxationText(const Graph& pattern, const RelaxationList& relaxations) {
    std::string text;
    for (const Relaxation& each : relaxations) {
        const Word& word =
            *std::find_if(kWords.begin(), kWords.end(), [&](const Word& item) { return item.kind == each.kind; });
        if (!text.empty()) text += ',';
        text += word.word;
        if (word.hasNode) text += ":" + pattern.node(each.patternNode).name();
        if (word.hasValue) text += "=" + each.value;
    }
    return text;
}

RelaxationList parseRelaxations(const Graph& pattern, std::string_view text) {
    RelaxationList relaxations;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        relaxations.push_back(parseOne(pattern, text.substr(from, comma - from)));
        from = comma + 1;
    }
    return relaxations;
}

} // namespace fx
