// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "core/module/graph_module.h"

namespace fx {

enum class SvgTheme : std::uint8_t { Light, Dark };

/// What colours tell in place of the kinds of nodes: a class for each node. A legend below the picture names the
/// classes.
struct NodeClasses {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> classOf; ///< by node id; kNone: drawn without colour
    std::vector<std::string> names;    ///< of the classes
    bool ordered = false; ///< from little to much: one hue from light to dark. Else the colours are distinct; more than
                          ///< eight repeat
    std::vector<std::string>
        values; ///< by node id: shown in place of what the node calls, which a tool tip then says; may be empty
};

/// The picture as an SVG document, with a frame around the nodes of `selected`. Self-contained; all text is escaped.
std::string toSvg(const Picture& picture, const Graph& graph, SvgTheme theme = SvgTheme::Light,
                  const std::vector<NodeId>& selected = {}, const NodeClasses* classes = nullptr);

} // namespace fx
