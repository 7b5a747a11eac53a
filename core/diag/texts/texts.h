// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string_view>

namespace fx {

/// Selects whether the hint in terms of options replaces the general hint on the command line or follows it.
enum class HintOrder : bool { Instead, Both };

/// The texts of a code. Templates refer to arguments: `{key}` is the argument, `{count,}` a number with grouped digits,
/// `{count|node|nodes}` the word that fits the number, `{A}` and `{B}` the names of the compared models
/// (core/diag/sides.h). Other braces are literal. A hint is omitted if an argument that it refers to is empty.
struct MessageText {
    std::string_view code;                 ///< "area.what", unique
    std::string_view text;                 ///< what happened: lower case, no full stop, names in quotes
    std::string_view hint = {};            ///< remedy, as an imperative
    std::string_view commandLineHint = {}; ///< remedy in terms of options of `lancet`; not shown in windows
    HintOrder order = HintOrder::Instead;
};
using MessageTexts = std::span<const MessageText>;

/// One table per area, in <area>.cpp, so that changing a text recompiles one file.
namespace texts {
MessageTexts app();
MessageTexts calls();
MessageTexts codegen();
MessageTexts compile();
MessageTexts edit();
MessageTexts engine();
MessageTexts files();
MessageTexts graphmodule();
MessageTexts inputs();
MessageTexts io();
MessageTexts json();
MessageTexts make();
MessageTexts match();
MessageTexts modelFiles();
MessageTexts partition();
MessageTexts passes();
MessageTexts pt2();
MessageTexts pt2e();
MessageTexts python();
MessageTexts quant();
MessageTexts reader();
MessageTexts remote();
MessageTexts script();
MessageTexts trace();
MessageTexts verify();
MessageTexts worker();
} // namespace texts

/// Returns all tables.
std::span<const MessageTexts> allMessageTexts();

} // namespace fx
