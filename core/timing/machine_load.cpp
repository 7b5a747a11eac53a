// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/machine_load.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace fx::timing {
namespace {

std::string contentOf(const char* path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string firstLine(const char* path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

/// Values of a field of /proc/cpuinfo, one for each processor.
std::vector<std::string> cpuField(std::string_view name) {
    std::ifstream in("/proc/cpuinfo");
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);)
        if (const std::size_t colon = line.find(": "); line.starts_with(name) && colon != line.npos)
            out.push_back(line.substr(colon + 2));
    return out;
}

int usableProcessors() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

double secondsOf(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string oneDecimal(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

} // namespace

bool parseProcStat(const std::string& text, double tick, ProcessorTime& out) {
    std::istringstream in(text);
    std::string word;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0;
    if (!(in >> word >> user >> nice >> system >> idle >> wait >> irq >> softirq) || word != "cpu") return false;
    in >> out.steal;
    out.busy = (user + nice + system + irq + softirq) / tick;
    out.steal /= tick;
    return out.known = true;
}

ProcessorTime processorTime() {
    ProcessorTime out;
    out.when = std::chrono::steady_clock::now();
    parseProcStat(firstLine("/proc/stat"), static_cast<double>(::sysconf(_SC_CLK_TCK)), out);
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0) out.own = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
    return out;
}

void noteLoad(Environment& environment, const ProcessorTime& before, const ProcessorTime& after) {
    const double seconds = std::chrono::duration<double>(after.when - before.when).count();
    if (!before.known || !after.known || seconds <= 0) return;
    environment.otherLoad = std::max(0.0, (after.busy - before.busy) - (after.own - before.own)) / seconds;
    environment.stealShare = std::max(0.0, after.steal - before.steal) / seconds / std::max(1, environment.processors);
}

double frequencyMhz() {
    double sum = 0;
    const auto all = cpuField("cpu MHz");
    for (const std::string& each : all) sum += std::atof(each.c_str());
    return all.empty() ? 0 : sum / static_cast<double>(all.size());
}

Environment machineEnvironment() {
    Environment out;
    if (const auto names = cpuField("model name"); !names.empty()) out.processor = names.front();
    out.processors = usableProcessors();
    out.governor = firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    out.loadAverage = std::atof(contentOf("/proc/loadavg").c_str());
    if (utsname name{}; ::uname(&name) == 0)
        out.system = std::string(name.sysname) + " " + name.release + " " + name.machine;
    return out;
}

std::vector<Message> doubts(const Environment& environment) {
    std::vector<Message> out;
    if (environment.otherLoad > 0.1 * environment.processors)
        out.push_back(Message("timing.other_load",
                              {{"busy", oneDecimal(environment.otherLoad)}, {"processors", environment.processors}}));
    if (environment.stealShare > 0.02)
        out.push_back(Message("timing.steal", {{"share", oneDecimal(environment.stealShare * 100) + " %"}}));
    if (!environment.governor.empty() && environment.governor != "performance")
        out.push_back(Message("timing.governor", {{"governor", environment.governor}}));
    if (environment.noiseFloor > 0.02)
        out.push_back(Message("timing.noise_floor", {{"share", oneDecimal(environment.noiseFloor * 100) + " %"}}));
    return out;
}

} // namespace fx::timing
