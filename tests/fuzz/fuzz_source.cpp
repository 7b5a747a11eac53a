// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/source_trace.h"
#include "core/textpasses/file_classes.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

using namespace fx;

/// The input is a Python file that somebody types; imports find nothing beside it. Whatever it holds, it is traced or
/// refused within seconds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::stop_source stop;
    const std::jthread watch([&](const std::stop_token& finished) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any ended;
        if (!ended.wait_for(lock, finished, std::chrono::seconds(2), [&] { return finished.stop_requested(); }))
            stop.request_stop();
    });
    const Progress progress(stop.get_token());
    SourceOptions options;
    options.weights = NewWeights::ShapesOnly;
    options.fx = fxClasses(true);
    try {
        const std::string text(reinterpret_cast<const char*>(data), size);
        (void)traceSource("/nowhere/net.py", text, options, progress);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Cancelled) throw; // other errors are reported as faults
    }
    return 0;
}
