// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_timer.h"

class QObject;

namespace ui {

class RunCenter;

/// Times partitions in the worker, with the inputs of their document. Answers come while `receiver` lives.
PartitionTimer partitionTimer(RunCenter& run, QObject* receiver);
/// A document runs with other inputs: what partitions and stages took with those before says nothing any more.
void dropTimes(Document& document);

} // namespace ui
