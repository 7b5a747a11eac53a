// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"
#include "core/json/json_document.h"

namespace fx {

/// A rule with conditions on a node. All given conditions must hold.
struct SupportRule {
    std::optional<Op> op;                                ///< unset: any
    std::optional<std::string> target, moduleType, name; ///< globs, case-sensitive
    std::vector<std::string> dtypes;                     ///< "torch.float32"; allowed dtypes of the input tensors
    std::string reason;                                  ///< reported for rejected nodes in place of the rule
    std::string profile;                                 ///< the profile that contains the rule, or empty
    std::string place;                                   ///< "line 3, column 5 ($.supported[1])"

    /// Returns the rule as JSON: `{"op": "call_function", "target": "torch.relu"}`.
    std::string text() const;
};

/// The content of RULES.json (docs/cli/partition.md): a tree of lists of rules.
///
///     {"supported": [RULE...], "unsupported": [RULE...]}   nodes in the first list and not in the second;
///                                                         without "supported": every node not in the second
///     {"any": [...]}, {"all": [...]}                       of such objects, nested as needed
///     {"profile": "onednn"}                                what oneDNN runs on this machine, from the cache
///                                                         (core/timing/operator_profile.h)
class SupportRules {
public:
    /// A node of the tree.
    struct Clause {
        enum class Kind : std::uint8_t { Lists, Any, All };
        Kind kind = Kind::Lists;
        bool everything = false;                         ///< for Lists: "supported" is missing
        std::vector<std::size_t> supported, unsupported; ///< indices in rules()
        std::vector<Clause> parts;                       ///< Any and All
        std::string place;                               ///< position in the file, for errors
    };

    /// Throws Error{File} with line and column if the rules are malformed, Error{Refused} for a profile that was not
    /// created on this machine. The document of `json` should keep positions, so that errors contain them.
    static SupportRules parse(const JsonValue& json);
    /// As `parse`, from the text of a file.
    static SupportRules parseText(std::string text);

    /// All rules, in the order of the file.
    const std::vector<SupportRule>& rules() const { return m_rules; }
    /// The root of the tree.
    const Clause& root() const { return m_root; }

private:
    Clause clause(const JsonValue& json, int depth);
    Clause profile(const JsonValue& name, int depth);
    std::vector<std::size_t> ruleList(const JsonValue& json);
    SupportRule rule(const JsonValue& json);

    std::string m_profile; ///< the profile being read
    std::vector<SupportRule> m_rules;
    Clause m_root;
};

} // namespace fx
