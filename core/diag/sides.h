// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"

namespace fx {

/// The display names of the two models of a comparison, for `{A}` and `{B}` in the templates of core/diag/texts.
struct SideNames {
    std::string a = "A", b = "B";
};

/// Returns the text of `message` with these names for the two models, also in nested messages (`containing`).
std::string textWith(const Message& message, const SideNames& names);

/// Returns `message`, whose argument `name` is the text of `inner`, with `inner` nested as data: its code
/// ("difference.code") and arguments ("difference.a") become further arguments. An empty `inner` adds nothing.
///
///     containing(Message("verify.at_path", {{"path", path}, {"difference", inner.text()}}), "difference", inner)
Message containing(const Message& message, std::string_view name, const Message& inner);

} // namespace fx
