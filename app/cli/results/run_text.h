// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/run_message.h"

#include <string>

namespace app {

/// Returns the answer of `run` as text without the last newline.
std::string outputsText(const fx::remote::RunResult& result);
/// Returns the answer of `run --json`.
std::string outputsJson(const fx::remote::RunResult& result, const fx::Warnings& warnings);

} // namespace app
