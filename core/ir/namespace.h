// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_map.h"
#include "core/ir/name_numbers.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Creates unique Python names like torch.fx's `_Namespace`. Any sequence of requests takes linear time. Copying costs
/// O(1), so undo restores an earlier copy.
///
/// Most names of a large graph are one of few texts with a number. A text is stored once; its used numbers are bits:
///
///     relu, relu_1, relu_2, relu_64       "relu": used, last number 64
///                                         relu, 0 to 63: bits 1, 2;  relu, 64 to 127: bit 0
class Namespace {
public:
    /// Creates a unique name from `candidate` (torch.fx `create_name`). A name that Python or torch.fx reserve gets a
    /// number, unless `isThatBuiltin` says that the object is the builtin itself.
    std::string create(std::string_view candidate, bool isThatBuiltin = false);
    /// Reserves exactly `name`.
    void reserve(std::string_view name) { setUsed(name, true); }
    bool isUsed(std::string_view name) const; ///< the name is taken

    /// The state of one name; determines the next name.
    struct Entry {
        bool used = false;      ///< the name is taken
        std::string lastNumber; ///< last number appended to this text, in decimal (may exceed 64 bits), or empty
        bool operator==(const Entry&) const = default;
    };
    /// The state of a name.
    Entry at(std::string_view name) const;
    /// Restores the state of a name.
    void set(std::string_view name, const Entry& entry);
    /// Returns the names whose state differs from that in `other`, sorted.
    std::vector<std::string> differences(const Namespace& other) const;

private:
    using Texts = CowMap<NameCounter>;
    struct Numbered;
    static Numbered split(std::string_view name);
    void setUsed(std::string_view name, bool used);
    bool isFree(Texts::Place base, const NameCounter& counter) const;
    void countOn(Texts::Place base, NameCounter& counter) const;
    static bool isReserved(NameCounter& counter, std::string_view text);
    void addDifferences(const Namespace& other, std::vector<std::string>& names) const;

    Texts m_texts; ///< names without a number or with one outside of m_numbers; also the last number of each text
    NumberBits m_numbers; ///< keyed by the index of their text
};

/// Returns true for names that a node may not have: Python keywords, builtins, and names that torch.fx imports into
/// every graph.
bool isReservedName(std::string_view name);
/// torch.fx `_snake_case`: inserts `_` between a lower-case and an upper-case letter, then converts to lower case.
std::string snakeCase(std::string_view text);

} // namespace fx
