// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace fx {

/// What to open of a file.
struct OpenOptions {
    std::string modelName; ///< which model of an archive with several; empty: the first
};

} // namespace fx
