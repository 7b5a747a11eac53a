// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/own/python_environment.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// A Python child, its rights and its files.
struct OwnChild {
    const PythonEnvironment& python;
    std::string_view program;           ///< a program of this folder: "describe" or "trace"
    std::vector<std::string> arguments; ///< `sys.argv[1:]`
    std::vector<std::string> readable;  ///< files and folders that it may read besides those of the environment
    std::vector<int> outputs;        ///< descriptors that become its descriptors 3, 4, …; it can write only to these
    std::uint64_t largestOutput = 0; ///< bytes to which it may fill a file
    std::chrono::seconds limit{0};   ///< time until it must have ended; 0 for none
};

/// Runs a child and waits for its end. `told` receives its output as it arrives, on this thread. Kills the child and
/// its processes when an exception leaves. Returns its exit code.
///
/// Throws Error{Run} if the child cannot be started, takes too long or is ended by a signal, and Error{Cancelled}.
int runOwnChild(const OwnChild& child, const std::function<void(std::string_view)>& told, const Progress& progress);

} // namespace fx
