// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partitioner.h"

namespace fx {

/// Replaces each partition by a GraphModule `PREFIX + index` and one call of it; `getitem` calls unpack several
/// results. Mirrors torch.fx 2.13's fuse_by_partitions, with the same names and code. The called modules stay in the
/// model.
///
///     x ─▶ [a ─▶ b] ─▶ y        x ─▶ fused_0 ─▶ y        fused_0(x): a ─▶ b
///
/// Remaining nodes keep their ids. Throws Error{Refused}, and leaves the model unchanged, if the partitions depend on
/// each other in a cycle (which the error contains), one is empty, or a module of that name exists. O((nodes + edges)
/// log nodes). Returns the paths of the modules.
std::vector<std::string> fuseByPartitions(GraphModule& model, const std::vector<Partition>& partitions,
                                          const std::string& prefix = "fused_", const Progress& progress = {});

} // namespace fx
