// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "core/module/graph_module.h"

#include <string>

namespace fx {

/// Writes the geometry of the picture as JSON: `{"nodes": [{"name", "x", "y", "w", "h", "group"}], "groups": [{"path",
/// "x", "y", "w", "h", "expanded"}], "edges": [{"from", "to", "points": [[x, y]...], "stub"}], "millis", "engine",
/// "direction"}`. Coordinates are centres; y grows downwards. Ends of edges are node names, or paths of closed groups;
/// copies of a hub are `name@k`.
std::string toJson(const Picture& picture, const Graph& graph);

} // namespace fx
