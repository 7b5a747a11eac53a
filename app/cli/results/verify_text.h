// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/verify_report.h"

#include <string>

namespace app {

/// Returns "max abs 0.1, max rel 0.2, 3 of 10 beyond tolerance (rtol 1e-05, atol 1e-06)", "equal", or why the values
/// cannot be compared.
std::string differenceText(const fx::ValueDifference& value);
/// Returns the answer of `verify` as text without the last newline.
std::string verifyText(const fx::VerifyReport& report);
/// Returns the answer of `verify --json`.
std::string verifyJson(const fx::VerifyReport& report, const fx::Warnings& warnings);

} // namespace app
