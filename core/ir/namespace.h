// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_map.h"

#include <string>
#include <string_view>

namespace fx {

/// Creates unique Python names like torch.fx's `_Namespace`; linear over any sequence of requests. Copying costs O(1),
/// so undo assigns an earlier copy.
class Namespace {
public:
    /// A new name like `candidate` (torch.fx `create_name`). Names that Python or torch.fx reserve get a number, unless
    /// `isThatBuiltin` is set because the object is the builtin itself.
    std::string create(std::string_view candidate, bool isThatBuiltin = false);
    /// Reserves exactly `name`.
    void reserve(std::string_view name) { m_names.mut(m_names.enter(name)).used = true; }
    bool isUsed(std::string_view name) const { return at(name).used; }

    /// The state of one name; determines the next name.
    struct Entry {
        bool used = false;      ///< whether the name is in use
        std::string lastNumber; ///< last number used with this base, in decimal (may exceed 64 bits), or empty
        bool operator==(const Entry&) const = default;
    };
    const Entry& at(std::string_view name) const;
    void set(std::string_view name, Entry entry) { m_names.mut(m_names.enter(name)) = std::move(entry); }
    /// The names whose entries differ from those of `other`, sorted.
    std::vector<std::string> differences(const Namespace& other) const;

private:
    CowMap<Entry> m_names;
};

/// Names that a node may not have: Python keywords, builtins, and what torch.fx imports into every graph.
bool isReservedName(std::string_view name);
/// torch.fx `_snake_case`: `_` between a lower-case and an upper-case letter, then lower case.
std::string snakeCase(std::string_view text);

} // namespace fx
