// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "core/module/graph_module.h"

#include <string>

namespace fx {

/// Writes the picture as a Graphviz digraph without geometry: nodes by name (`name@k` for copies of a hub), open groups
/// as clusters, closed ones as boxes named `/path`. All text from the file is quoted.
std::string toDot(const Picture& picture, const Graph& graph);

} // namespace fx
