// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <string>

/// Invariants of every picture. Each check describes the first violation, or returns an empty text.
namespace picture_checks {

/// Checks that boxes of one level do not overlap, and lie inside their group, below its header, with padding.
std::string boxes(const fx::Picture& picture);
/// Checks that curves start and end at the borders of their items, and touch no other nodes, closed groups, or groups
/// around neither end.
std::string edges(const fx::Picture& picture);
/// Checks that every edge leads down (or right): its user starts after its source ends.
std::string monotone(const fx::Picture& picture);
/// Checks that two pictures have the same numbers and texts.
std::string same(const fx::Picture& a, const fx::Picture& b);
/// Runs the first three checks.
std::string all(const fx::Picture& picture);

} // namespace picture_checks
