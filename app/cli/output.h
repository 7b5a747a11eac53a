// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// Thrown when the reader of standard output has gone (`lancet graph m.pt | head`): nothing is left to do or to say.
struct OutputClosed {};

/// Writes all of `text` to standard output. Throws OutputClosed, or fx::Error when the disk is full.
void writeOutput(std::string_view text);

/// `text` on one line and without control characters: what a file's name or content may put on a terminal.
std::string oneLine(std::string_view text);

std::string joined(const std::vector<std::string>& texts, std::string_view separator);

/// `1234567` as "1,234,567".
std::string grouped(long long number);
/// `46758048` as "46.8 MB".
std::string byteSize(long long bytes);

} // namespace app
