// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Widths in pixels from a built-in table, so that the command line and the window produce the same layout on every
/// machine. They are those of DejaVu, which is wide; other fonts need less space.
double titleWidth(std::string_view utf8); ///< 13 px, semibold
double monoWidth(std::string_view utf8);  ///< 11 px, monospaced

/// `utf8`, truncated with "…" if it does not fit `width`. Invalid bytes count as one character each.
std::string elideTitle(std::string_view utf8, double width);
std::string elideMono(std::string_view utf8, double width);
/// The name of a node, shortened to `width`. Names in one group differ at their ends, so the prefix shared with
/// `groupPath`
/// ("features.denseblock2") is removed first, from the outside in: "…denselayer3_norm1". If that is not enough, "…"
/// replaces the middle.
std::string elideName(std::string_view utf8, std::string_view groupPath, double width);

} // namespace fx
