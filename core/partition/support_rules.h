// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"
#include "core/json/json_document.h"

namespace fx {

/// One rule: what a node has to be. All that is given must hold.
struct SupportRule {
    std::optional<Op> op;
    std::optional<std::string> target, moduleType, name; ///< globs, case-sensitive
    std::vector<std::string> dtypes;                     ///< "torch.float32"; of all tensors that go in
    std::string reason;  ///< what to tell of nodes that it refuses, instead of the rule itself
    std::string profile; ///< the profile that it is from; empty: none
    std::string place;   ///< "line 3, column 5 ($.supported[1])"

    /// `{"op": "call_function", "target": "torch.relu"}`
    std::string text() const;
};

/// What RULES.json says (docs/cli.md): a tree of lists of rules.
///
///     {"supported": [RULE...], "unsupported": [RULE...]}   a node of the first and not of the second;
///                                                         without "supported": every node that is not of the second
///     {"any": [...]}, {"all": [...]}                       of such, nested at will
///     {"profile": "onednn"}                                what oneDNN runs on this machine, as the cache keeps it
///                                                         (core/timing/operator_profile.h)
class SupportRules {
public:
    struct Clause {
        enum class Kind : std::uint8_t { Lists, Any, All };
        Kind kind = Kind::Lists;
        bool everything = false;                         ///< Lists: there is no "supported"
        std::vector<std::size_t> supported, unsupported; ///< places in rules()
        std::vector<Clause> parts;                       ///< Any and All
        std::string place;
    };

    /// Throws Error{File} with line and column when the rules are malformed, Error{Refused} for a profile that has
    /// not been made on this machine. `json` of a document that keeps its positions, so that errors tell them.
    static SupportRules parse(const JsonValue& json);
    static SupportRules parseText(std::string text);

    const std::vector<SupportRule>& rules() const { return m_rules; }
    const Clause& root() const { return m_root; }

private:
    Clause clause(const JsonValue& json, int depth);
    Clause profile(const JsonValue& name, int depth);
    std::vector<std::size_t> ruleList(const JsonValue& json);
    SupportRule rule(const JsonValue& json);

    std::string m_profile; ///< whose rules are being read
    std::vector<SupportRule> m_rules;
    Clause m_root;
};

} // namespace fx
