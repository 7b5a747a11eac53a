// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/partition/partition_model.h"

namespace fx {

/// What the step `partition` asks for (docs/cli.md). Throws Error{Refused} or Error{File} when it asks for nothing that
/// can be.
PartitionRequest partitionRequest(const JsonValue& step);

} // namespace fx
