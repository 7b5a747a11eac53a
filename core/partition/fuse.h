// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// torch.fx 2.13's fuse_by_partitions: each partition becomes a GraphModule `PREFIX + place in the list` and one call
/// of it; its results are taken out by getitems when they are several. Same names, same code. The modules that were
/// called stay in the model.
///
///     x ─▶ [a ─▶ b] ─▶ y        x ─▶ fused_0 ─▶ y        fused_0(x): a ─▶ b
///
/// Nodes that remain keep their ids. Throws Error{Refused}, and the model is then as it was, when the partitions depend
/// on each other in a circle (the error tells the way), one is empty, or a module of that name is there already.
/// O((nodes + edges) log nodes). Returns the paths of the modules.
std::vector<std::string> fuseByPartitions(GraphModule& model, const std::vector<Partition>& partitions,
                                          const std::string& prefix = "fused_", const Progress& progress = {});

} // namespace fx
