// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Text widths in pixels, from a built-in table, so that the layout is the same in the command line and the window and
/// on every machine. The table has the widths of DejaVu, which is wide; other fonts need less space.
double titleWidth(std::string_view utf8); ///< 13 px, semibold
double monoWidth(std::string_view utf8);  ///< 11 px, monospaced

/// Truncates a title with "…" if it exceeds `width`. Invalid bytes count as one character each.
std::string elideTitle(std::string_view utf8, double width);
/// Truncates a monospaced text likewise.
std::string elideMono(std::string_view utf8, double width);
/// Shortens the name of a node to `width`. Names in one group differ at their ends, so the prefix shared with
/// `groupPath` ("features.denseblock2") is removed first, from the outside in: "…denselayer3_norm1". If that does not
/// suffice, "…" replaces the middle.
/// replaces the middle.
std::string elideName(std::string_view utf8, std::string_view groupPath, double width);

} // namespace fx
