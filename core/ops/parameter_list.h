// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace fx::ops {

/// A parameter of a Python function.
struct Parameter {
    enum class Kind { PositionalOnly, PositionalOrKeyword, VarPositional, KeywordOnly, VarKeyword };
    std::string_view name;
    std::string_view defaultValue; ///< Python text; empty when there is none
    Kind kind = Kind::PositionalOrKeyword;
};

/// Reads `input, dim=None, *, out=None`; `/` and `*` stand as in Python. Views into the text.
std::vector<Parameter> parseParameters(std::string_view text);

/// One argument of a call that is written as text: `input`, `*tensors`, `dim=dim`.
struct CallArgument {
    std::string_view keyword;    ///< empty: positional
    std::string_view expression; ///< the name of a parameter, or a Python literal
    bool starred = false;
};

/// Reads `input, *tensors, dim=dim`. Views into the text.
std::vector<CallArgument> parseCallArguments(std::string_view text);

/// Splits at each separator; an empty text has no parts.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

/// Splits at the commas that no bracket or quote encloses; the parts are trimmed.
std::vector<std::string_view> splitTopLevel(std::string_view text);

} // namespace fx::ops
