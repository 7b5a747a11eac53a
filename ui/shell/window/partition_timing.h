// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_timer.h"

class QObject;

namespace ui {

class RunCenter;

/// Returns a timer that times partitions in the worker, with the inputs of their document. Answers arrive while
/// `receiver` lives.
PartitionTimer partitionTimer(RunCenter& run, QObject* receiver);
/// Drops the times of partitions and stages, because they were measured with other inputs.
void dropTimes(Document& document);

} // namespace ui
