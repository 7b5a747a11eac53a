// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <chrono>

namespace fx::timing {

/// Processor time that the machine and this process have used so far, in seconds.
struct ProcessorTime {
    double busy = 0;  ///< of all processors: user, nice, system, interrupts
    double steal = 0; ///< taken away by the hypervisor
    double own = 0;   ///< of this process, all threads
    std::chrono::steady_clock::time_point when;
    bool known = false; ///< /proc/stat could be read
};
/// Reads /proc/stat and /proc/self/stat. Cheap: 50 µs.
ProcessorTime processorTime();
/// `cpu  user nice system idle iowait irq softirq steal ...`; false when the text is something else. `tick`: jiffies in
/// a second.
bool parseProcStat(const std::string& text, double tick, ProcessorTime& out);

/// What happened between two looks, into `otherLoad` and `stealShare`.
void noteLoad(Environment& environment, const ProcessorTime& before, const ProcessorTime& after);
/// What this machine is: processor, count, governor, load, system. Reads /proc and /sys; what cannot be read stays
/// empty.
Environment machineEnvironment();
/// The frequency that processors run at now, on average, in MHz; 0: unknown.
double frequencyMhz();
/// What of it casts doubt on the times, in words.
std::vector<std::string> doubts(const Environment& environment);

} // namespace fx::timing
