// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <string>

/// What every picture must keep to. Each check returns the first violation in words, or an empty text.
namespace picture_checks {

/// Boxes of one level do not overlap; boxes lie inside their group, below its header, with padding.
std::string boxes(const fx::Picture& picture);
/// Curves start and end at the borders of their items, and do not touch other nodes, closed groups or groups around
/// neither end.
std::string edges(const fx::Picture& picture);
/// Every edge leads down (or right): its user starts after its source ends.
std::string monotone(const fx::Picture& picture);
/// Two pictures are the same in every figure and text.
std::string same(const fx::Picture& a, const fx::Picture& b);
/// All of the first three.
std::string all(const fx::Picture& picture);

} // namespace picture_checks
