// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "core/module/graph_module.h"

namespace fx {

/// The colours of the picture.
enum class SvgTheme : std::uint8_t { Light, Dark };

/// The colours of nodes by class instead of by kind. A legend below the picture names the classes.
struct NodeClasses {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> classOf; ///< by node id; kNone for no colour
    std::vector<std::string> names;    ///< by class
    /// True for one hue from light to dark, for increasing values; false for distinct colours, which repeat after
    /// eight.
    bool ordered = false;
    /// By node id: a text shown instead of the operation, which moves to a tooltip; may be empty.
    std::vector<std::string> values;
};

/// Writes the picture as a self-contained SVG document, with a frame around the nodes of `selected`. Transparent
/// without `background`. All text is escaped.
std::string toSvg(const Picture& picture, const Graph& graph, SvgTheme theme = SvgTheme::Light,
                  const std::vector<NodeId>& selected = {}, const NodeClasses* classes = nullptr,
                  bool background = true);

/// Returns CSS rules that show a picture of the light theme in the colours of the dark theme, for pages that follow
/// `prefers-color-scheme`. CSS overrides the attributes that define the colours of the picture. Does not apply to
/// NodeClasses.
std::string svgDarkRules();

} // namespace fx
