// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fx {

/// Hash of names that takes std::string_view without making a std::string.
struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

/// Makes unique Python names the way torch.fx's `_Namespace` does; linear over any sequence of requests.
class Namespace {
public:
    /// A new name like `candidate` (torch.fx `create_name`). Names that Python or torch.fx reserve get a number, unless
    /// `isThatBuiltin` says that the named object is the builtin itself.
    std::string create(std::string_view candidate, bool isThatBuiltin = false);
    /// Takes `name` out of circulation without any change to it.
    void reserve(std::string_view name) { m_state.used.emplace(name); }
    bool isUsed(std::string_view name) const { return m_state.used.contains(name); }

    /// Everything that decides what the next name is: for saving, and for going back.
    struct State {
        std::unordered_set<std::string, NameHash, std::equal_to<>> used;
        /// The last number given for a base, as decimal digits: a suffix may exceed 64 bits.
        std::unordered_map<std::string, std::string, NameHash, std::equal_to<>> lastNumbers;
        bool operator==(const State&) const = default;
    };
    const State& state() const { return m_state; }
    void restore(State state) { m_state = std::move(state); }

private:
    State m_state;
};

/// Names that a node may not have: Python keywords, builtins, and what torch.fx imports into every graph.
bool isReservedName(std::string_view name);
/// torch.fx `_snake_case`: `_` between a lower-case and an upper-case letter, then lower case.
std::string snakeCase(std::string_view text);

} // namespace fx
