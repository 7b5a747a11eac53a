// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string_view>

namespace fx {

/// Whether the hint in terms of options takes the place of the other one on the command line, or follows it.
enum class HintOrder : bool { Instead, Both };

/// What a code says. Templates name arguments: `{key}` is the argument, `{count|node|nodes}` the word that fits the
/// number, `{A}` and `{B}` what the models of a comparison are called (core/diag/sides.h). Other braces stand for
/// themselves. A hint is left out when an argument that it names is empty.
struct MessageText {
    std::string_view code;                 ///< "area.what", unique
    std::string_view text;                 ///< what happened: lower case, no full stop, names in quotes
    std::string_view hint = {};            ///< what to do, as an imperative
    std::string_view commandLineHint = {}; ///< in terms of options of `lancet`; windows do not show it
    HintOrder order = HintOrder::Instead;
};
using MessageTexts = std::span<const MessageText>;

/// One table an area, <area>.cpp: a changed text compiles one file again.
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
MessageTexts remote();
MessageTexts script();
MessageTexts trace();
MessageTexts verify();
MessageTexts worker();
} // namespace texts

/// All tables.
std::span<const MessageTexts> allMessageTexts();

} // namespace fx
