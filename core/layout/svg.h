// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "core/module/graph_module.h"

namespace fx {

enum class SvgTheme : std::uint8_t { Light, Dark };

/// Colours nodes by class instead of by kind. A legend below the picture names the classes.
struct NodeClasses {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> classOf; ///< by node id; kNone for no colour
    std::vector<std::string> names;    ///< of the classes
    bool ordered = false; ///< true: one hue from light to dark, for increasing values. false: distinct colours; more
                          ///< than eight repeat
    /// By node id: shown instead of what the node does, which moves to a tooltip; may be empty.
    std::vector<std::string> values;
};

/// The picture as an SVG document, with a frame around the nodes of `selected`; transparent without `background`.
/// Self-contained; all text is escaped.
std::string toSvg(const Picture& picture, const Graph& graph, SvgTheme theme = SvgTheme::Light,
                  const std::vector<NodeId>& selected = {}, const NodeClasses* classes = nullptr,
                  bool background = true);

/// CSS rules that show a picture of the light theme in the colours of the dark one, for pages that follow
/// `prefers-color-scheme`. Rules win over the attributes in which the picture has its colours. Not for NodeClasses.
std::string svgDarkRules();

} // namespace fx
