// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <QString>

#include <optional>

namespace ui {

/// The effect of edits in numbers.
struct ChangeFacts {
    std::size_t created = 0, erased = 0, changed = 0; ///< nodes, without those that were merely recreated
    std::int64_t weightBytes = 0;                     ///< growth of parameters, buffers and packed weights
    bool modules = false;                             ///< a module or tensor was replaced
};
/// Compares two versions; `after` must be an edited version of `before`. Linear; thread-safe.
ChangeFacts changeFacts(const fx::GraphModule& before, const fx::GraphModule& after, const fx::Progress& progress = {});

/// Returns the bytes of all values that nodes compute, according to their metadata; without inputs, weights and the
/// output. Nullopt if a shape is unknown or symbolic. Linear.
std::optional<std::int64_t> activationBytes(const fx::GraphModule& shown);

/// Returns "9 nodes changed", "2 created, 1 erased", "nothing changed", without a full stop.
QString nodesText(const ChangeFacts& facts);
/// Formats a difference: "+3.2 MB", "−401 kB", "+0 B", in powers of 1000.
QString bytesText(std::int64_t difference);

} // namespace ui
