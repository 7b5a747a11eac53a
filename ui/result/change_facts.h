// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QString>

#include <optional>

namespace ui {

/// What edits changed, in numbers.
struct ChangeFacts {
    std::size_t created = 0, erased = 0, changed = 0; ///< nodes, without those that are only made again
    std::int64_t weightBytes = 0;                     ///< parameters, buffers and packed weights after it less before
    bool modules = false;                             ///< a module or tensor was exchanged
};
/// `after` came from `before` by edits. Linear; any thread.
ChangeFacts changeFacts(const fx::GraphModule& before, const fx::GraphModule& after);

/// The bytes of all values that nodes compute, as far as their metadata says: those of inputs, weights and the output
/// are not among them. Nullopt when the shape of one is unknown or symbolic. Linear.
std::optional<std::int64_t> activationBytes(const fx::GraphModule& shown);

/// "9 nodes changed", "2 created, 1 erased", "nothing changed"; never with a full stop.
QString nodesText(const ChangeFacts& facts);
/// "+3.2 MB", "−401 kB", "+0 B", in powers of 1000.
QString bytesText(std::int64_t difference);

} // namespace ui
