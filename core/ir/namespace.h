// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_map.h"
#include "core/ir/name_numbers.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Creates unique Python names like torch.fx's `_Namespace`; linear over any sequence of requests. Copying costs O(1),
/// so undo assigns an earlier copy.
///
/// Of a million names most are a text and a number, and there are few texts. A text is stored once; the numbers that
/// are used with it are bits:
///
///     relu, relu_1, relu_2, relu_64       "relu": used, last number 64
///                                         relu, 0 to 63: bits 1, 2;  relu, 64 to 127: bit 0
class Namespace {
public:
    /// A new name like `candidate` (torch.fx `create_name`). Names that Python or torch.fx reserve get a number, unless
    /// `isThatBuiltin` is set because the object is the builtin itself.
    std::string create(std::string_view candidate, bool isThatBuiltin = false);
    /// Reserves exactly `name`.
    void reserve(std::string_view name) { setUsed(name, true); }
    bool isUsed(std::string_view name) const;

    /// The state of one name; determines the next name.
    struct Entry {
        bool used = false;      ///< whether the name is in use
        std::string lastNumber; ///< last number used with this base, in decimal (may exceed 64 bits), or empty
        bool operator==(const Entry&) const = default;
    };
    Entry at(std::string_view name) const;
    void set(std::string_view name, const Entry& entry);
    /// The names whose entries differ from those of `other`, sorted.
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

    Texts m_texts;        ///< names without a number, or with one that no bit stands for; and what numbers are behind
    NumberBits m_numbers; ///< with the place of their text
};

/// Names that a node may not have: Python keywords, builtins, and what torch.fx imports into every graph.
bool isReservedName(std::string_view name);
/// torch.fx `_snake_case`: `_` between a lower-case and an upper-case letter, then lower case.
std::string snakeCase(std::string_view text);

} // namespace fx
