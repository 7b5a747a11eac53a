// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace fx {

/// Returns the strongly connected component of every vertex of a graph given by its successor lists (Tarjan 1972,
/// without recursion). Components are numbered from 0. O(vertices + edges).
std::vector<std::uint32_t> strongComponents(const std::vector<std::vector<std::uint32_t>>& out);

} // namespace fx
