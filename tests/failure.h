// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <functional>

/// Returns the error that ends an action; Error{Refused, "no failure"} if none exists.
inline fx::Error failure(const std::function<void()>& action) {
    try {
        action();
    } catch (const fx::Error& error) { return error; }
    return fx::Error(fx::ErrorKind::Refused, fx::Message::received({}, {}, "no failure"));
}
