// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/grouped.h"

#include <string>
#include <string_view>
#include <vector>

namespace app {

/// Thrown when the reader of standard output has gone (`lancet graph m.pt | head`): there is nothing left to do or
/// report.
struct OutputClosed {};

/// Writes `text` to standard output: byte for byte into a file or pipe, made visible (`fx::visibleText`) on a terminal.
/// Throws OutputClosed, or fx::Error if the disk is full.
void writeOutput(std::string_view text);
/// Writes Lancet's text that contains names from files: always made visible. Throws like `writeOutput`.
void writeVisible(std::string_view text);

/// Joins texts with a separator.
std::string joined(const std::vector<std::string>& texts, std::string_view separator);

using fx::grouped;
/// Formats a size: `46758048` as "46.8 MB".
std::string byteSize(long long bytes);

} // namespace app
