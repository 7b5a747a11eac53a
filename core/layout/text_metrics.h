// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Widths in pixels from a built-in table, so that command line and window lay out alike on every machine. They are
/// those of DejaVu, which is wide: in other fonts the same texts need less.
double titleWidth(std::string_view utf8); ///< 13 px, semibold
double monoWidth(std::string_view utf8);  ///< 11 px, monospaced

/// `utf8` cut so that it fits `width`, ending in "…" when something was cut; whole when it fits. Invalid bytes count as
/// one character each.
std::string elideTitle(std::string_view utf8, double width);
std::string elideMono(std::string_view utf8, double width);
/// The name of a node cut to `width`. Names of one group differ at their ends, so what they share with `groupPath`
/// ("features.denseblock2") goes first: "…denselayer3_norm1" with the part for "features." left out, and so on inwards;
/// when that is not enough, "…" stands in the middle.
std::string elideName(std::string_view utf8, std::string_view groupPath, double width);

} // namespace fx
