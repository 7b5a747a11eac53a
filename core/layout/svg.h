// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "core/module/graph_module.h"

namespace fx {

enum class SvgTheme : std::uint8_t { Light, Dark };

/// The picture as an SVG document, with a frame around the nodes of `selected`. Self-contained; all text is escaped.
std::string toSvg(const Picture& picture, const Graph& graph, SvgTheme theme = SvgTheme::Light, const std::vector<NodeId>& selected = {});

} // namespace fx
