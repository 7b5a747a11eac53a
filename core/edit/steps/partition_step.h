// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/partition/partition_model.h"

namespace fx {

/// Parses the step `partition` (docs/cli/edit.md). Throws Error{Refused} or Error{File} if it is invalid.
PartitionRequest partitionRequest(const JsonValue& step);

} // namespace fx
