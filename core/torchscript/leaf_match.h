// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/leaf_table.h"
#include "core/torchscript/script_objects.h"

#include <map>
#include <set>

namespace fx::script {

/// Compares the body of a module's method with a pattern of `leafPatterns`.
class LeafMatch {
public:
    /// `own` names, by input of the method, the tensor of the object that is passed there; torch.jit.trace passes the
    /// weights of a module that is called twice.
    LeafMatch(const Program& program, const Object& object, const Method& method, const std::vector<std::string>& own);

    /// Returns true if the method returns outputs of the pattern's operator and does nothing else.
    bool matches(const LeafPattern& pattern);

    std::map<std::string, Argument, std::less<>> settings; ///< settings that the pattern names, after `matches`
    std::map<int, std::uint32_t> inputs;                   ///< `$0` -> index among the method's inputs, without self
    std::vector<std::size_t> outputs; ///< for each returned value, the index of the operator's output

private:
    bool match(std::string_view pattern, std::uint32_t value, int depth);
    bool matchOutputs(std::string_view patterns);
    bool matchItem(std::string_view list, std::size_t item, std::uint32_t value, int depth);
    bool matchAny(std::string_view patterns, std::uint32_t value, int depth);
    bool matchCall(std::string_view pattern, std::uint32_t value, int depth);
    bool matchList(std::string_view items, const Node& list, int depth);
    bool matchAttribute(std::string_view name, std::uint32_t value) const;
    bool matchWeights(std::uint32_t value) const;
    bool returned();
    bool onlyThat() const;
    bool isUnusedItem(std::uint32_t value) const;
    const Node* definition(std::uint32_t value) const;
    /// Returns a literal, possibly a list or tuple of literals.
    std::optional<Argument> literal(std::uint32_t value) const;
    const std::string* attributeName(std::uint32_t value) const;
    bool isChildTensor(std::string_view path, std::uint32_t value) const;

    const Program& m_program;
    const Object& m_object;
    const Method& m_method;
    const std::vector<std::string>& m_own;
    std::map<std::uint32_t, const Node*> m_definitions;
    std::set<const Node*> m_seen;
    std::vector<std::uint32_t> m_returned;
};

} // namespace fx::script
