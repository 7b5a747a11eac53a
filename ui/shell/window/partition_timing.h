// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_timer.h"

class QObject;

namespace ui {

class RunCenter;

/// Times partitions in the worker, with the inputs of their document. Answers come while `receiver` lives.
PartitionTimer partitionTimer(RunCenter& run, QObject* receiver);

} // namespace ui
