// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <chrono>

namespace fx::timing {

/// CPU time used so far by the machine and by this process, in seconds.
struct ProcessorTime {
    double busy = 0;                            ///< of all CPUs: user, nice, system, interrupts
    double steal = 0;                           ///< taken by the hypervisor
    double own = 0;                             ///< of this process, all threads
    std::chrono::steady_clock::time_point when; ///< time of the reading
    bool known = false;                         ///< false if /proc/stat could not be read
};
/// Reads /proc/stat and /proc/self/stat. Takes about 50 µs.
ProcessorTime processorTime();
/// Parses `cpu  user nice system idle iowait irq softirq steal ...`; returns false for other text. `tick` is jiffies
/// per second.
bool parseProcStat(const std::string& text, double tick, ProcessorTime& out);

/// Computes `otherLoad` and `stealShare` from two readings.
void noteLoad(Environment& environment, const ProcessorTime& before, const ProcessorTime& after);
/// Describes this machine: CPU, count, governor, load, system. Reads /proc and /sys; fields of unreadable files stay
/// empty.
Environment machineEnvironment();
/// Returns the current average CPU frequency in MHz, or 0 if unknown.
double frequencyMhz();
/// Returns messages about conditions that make the times unreliable.
std::vector<Message> doubts(const Environment& environment);

} // namespace fx::timing
