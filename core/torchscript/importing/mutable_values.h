// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/importing/symbol.h"

#include <map>
#include <optional>
#include <set>

namespace fx::script {

/// The values that a script mutates while it is interpreted: lists, dicts, instances and attributes of modules. A
/// container whose items are known is mutated in place, so that all references see it; one that a block mutates is
/// replaced by a result of the block. `rollBack` undoes all of it.
class MutableValues {
    using Attribute = std::pair<const Object*, std::string>;

public:
    /// A state to which `rollBack` returns.
    struct Mark {
        std::size_t changes;
        std::map<Identity, Symbol> replaced;
        std::map<Attribute, Symbol> attributes;
        std::set<Identity> owned, aliased;
    };
    Mark mark() const { return {m_changes.size(), m_replaced, m_attributes, m_owned, m_aliased}; } ///< The state now.
    void rollBack(const Mark& mark); ///< Undoes all mutations since `mark`.

    /// Returns what a list or dict is after the blocks that mutated it; other values unchanged.
    const Symbol& current(const Symbol& symbol) const;

    /// Applies a method such as "aten::append" to a container with known items, which is the first of `arguments`.
    /// Updates the depth of `container`. Returns the result of the call: the container, or the item that `pop` removes;
    /// nullopt, with nothing changed, if the effect is unknown. Throws Unsupported if the container may not change.
    std::optional<Symbol> apply(std::string_view method, Symbol& container, const std::vector<Symbol>& arguments);
    /// Assigns to `(*instance.items)[index]`.
    void setItem(const Symbol& instance, std::size_t index, const Symbol& item);

    /// Returns the value that the script has assigned to an attribute of a module, or null.
    const Symbol* attribute(const Object& object, const std::string& name) const;
    /// Assigns to an attribute of a module.
    void setAttribute(const Object& object, const std::string& name, const Symbol& value);
    /// Returns the container that is an attribute of a module, with the entries that the script has added to `literal`.
    const Symbol& containerOf(const Object& object, const std::string& name, const Argument& literal);
    /// Number of values that the script has stored in attributes of modules, for its next call.
    int stored() const { return m_stored; }

    /// Records that a list is new: only the script holds it.
    void own(const Symbol& list) { m_owned.insert(Identity(list)); }
    /// True if a result of a block may alias the container, which therefore must not change.
    bool isAliased(const Symbol& container) const { return m_aliased.contains(Identity(container)); }
    /// Throws Unsupported unless a block may mutate copies of its `inputs` at these indices: only the script holds
    /// them, and they hold no other containers.
    void checkMutation(const std::vector<Symbol>& inputs, const std::set<std::size_t>& mutated) const;
    /// Records that a block has mutated `before`, whose new value is its result `now`.
    void replace(const Symbol& before, const Symbol& now);
    /// Records that results of a block may alias or contain its `inputs` at these indices.
    void alias(const std::vector<Symbol>& inputs, const std::set<std::size_t>& aliased);

private:
    /// A container before a mutation: its size and the replaced item, or all items.
    struct Change {
        std::shared_ptr<std::vector<Symbol>> items;
        std::size_t size;
        std::optional<std::pair<std::size_t, Symbol>> old;
        std::optional<std::vector<Symbol>> all = {};
    };
    void beforeChange(const Symbol& container, std::optional<std::size_t> index = std::nullopt);
    void beforeMoves(const Symbol& list);
    void setEntry(const Symbol& dict, const Symbol& key, const Symbol& item);
    std::optional<Symbol> rearrange(std::string_view method, Symbol& list, const std::vector<Symbol>& arguments);

    std::vector<Change> m_changes;
    std::size_t m_kept = 0;                   ///< items of whole lists in m_changes
    std::map<Identity, Symbol> m_replaced;    ///< new values of lists and dicts that blocks mutated
    std::map<Attribute, Symbol> m_attributes; ///< assigned by the script
    std::map<Attribute, Symbol> m_containers; ///< containers that are attributes
    std::set<Identity> m_owned;               ///< containers that blocks returned and nothing else holds
    std::set<Identity> m_aliased;             ///< containers that results of blocks may alias
    int m_stored = 0;
};

} // namespace fx::script
