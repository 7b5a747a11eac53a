// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"

namespace fx {

/// What the two models of a comparison are called: templates of core/diag/texts say `{A}` and `{B}`.
struct SideNames {
    std::string a = "A", b = "B";
};

/// The text of `message` with these names for the two models, also in the messages that it contains (`containing`).
std::string textWith(const Message& message, const SideNames& names);

/// `message`, whose argument `name` is the text of `inner`, with `inner` as data: further arguments are its code
/// ("difference.code") and its arguments ("difference.a"). An empty `inner` adds nothing.
///
///     containing(Message("verify.at_path", {{"path", path}, {"difference", inner.text()}}), "difference", inner)
Message containing(const Message& message, std::string_view name, const Message& inner);

} // namespace fx
