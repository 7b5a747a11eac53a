// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"

#include <string>

namespace app {

/// The answer of `run`, as text without the last newline and as JSON.
std::string outputsText(const fx::remote::RunResult& result);
std::string outputsJson(const fx::remote::RunResult& result, const fx::Warnings& warnings);

} // namespace app
