// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace fx::ops {

/// A parameter of a Python function.
struct Parameter {
    /// The kinds of inspect.Parameter.
    enum class Kind { PositionalOnly, PositionalOrKeyword, VarPositional, KeywordOnly, VarKeyword };
    std::string_view name;
    std::string_view defaultValue; ///< Python text; empty if absent
    Kind kind = Kind::PositionalOrKeyword;
};

/// Parses `input, dim=None, *, out=None`; `/` and `*` are as in Python. The results view into the text.
std::vector<Parameter> parseParameters(std::string_view text);

/// An argument of a call in text form: `input`, `*tensors`, `dim=dim`.
struct CallArgument {
    std::string_view keyword;    ///< empty for a positional argument
    std::string_view expression; ///< the name of a parameter, or a Python literal
    bool starred = false;        ///< `*expression`
};

/// Parses `input, *tensors, dim=dim`. The results view into the text.
std::vector<CallArgument> parseCallArguments(std::string_view text);

/// Splits the text at each separator; an empty text has no parts.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

/// Splits the text at commas outside of brackets and quotes; the parts are trimmed.
std::vector<std::string_view> splitTopLevel(std::string_view text);

} // namespace fx::ops
