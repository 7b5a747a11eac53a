// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/leaf_table.h"
#include "core/io/torchscript/script_objects.h"

#include <map>
#include <set>

namespace fx::script {

/// Compares the body of a module's method with a pattern of `leafPatterns`.
class LeafMatch {
public:
    /// `own`: by input of the method, the name of the object's tensor that is passed there, as torch.jit.trace does
    /// with the weights of a module that is called twice.
    LeafMatch(const Program& program, const Object& object, const Method& method, const std::vector<std::string>& own);

    /// Whether the method returns outputs of the pattern's operator and does nothing else.
    bool matches(const LeafPattern& pattern);

    std::map<std::string, Argument, std::less<>> settings; ///< what the pattern names
    std::map<int, std::uint32_t> inputs;                   ///< `$0` -> index among the method's inputs, without self
    std::vector<std::size_t> outputs;                      ///< which output of the operator each returned value is

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
    /// A literal, also a list or tuple of literals.
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
