// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/remote/message.h"
#include "core/remote/worker_process.h"

#include <chrono>

namespace fx::remote {

struct WorkerOptions {
    /// The program and its arguments: lancet-worker beside the running program, else on PATH; or `ssh box lancet-worker`.
    std::vector<std::string> command;
    bool local = true;            ///< it sees the same files
    std::uint64_t memoryBytes = 0; ///< limit for a local worker; 0: what the machine has free when it starts
};
/// lancet-worker beside the running program, else the name for a search on PATH.
std::vector<std::string> defaultWorkerCommand();

/// The process that runs models: started when first needed, and again after it died. A request that fails, hangs or takes the worker
/// down is an Error here and nothing else. One thread at a time.
class WorkerClient {
public:
    explicit WorkerClient(WorkerOptions options) : m_options(std::move(options)) {}

    /// Starts the worker and waits until it is ready: worth doing early, it takes half a second. Throws Error{Run}.
    void start(const Progress& progress = {});
    bool running() const { return m_process != nullptr; }
    pid_t processId() const { return m_process ? m_process->id() : -1; }
    /// What the worker says of its library.
    const std::string& library() const { return m_library; }

    /// Throws what the worker reports (Error{Run, File, Usage, Refused}), Error{Run} when it dies, Error{Cancelled} when `progress`
    /// asks to stop or `timeout` (0: none) is over; in the last three cases the worker has been ended.
    RunResult run(const RunRequest& request, std::chrono::milliseconds timeout = {}, const Progress& progress = {});
    /// For other verbs: sends a request and gives the frame of its result. Same errors.
    Frame call(Frame request, std::chrono::milliseconds timeout, const Progress& progress);
    void stop() { m_process.reset(), m_reader.reset(); }
    std::uint32_t nextNumber() { return ++m_number; }
    bool local() const { return m_options.local; }

private:
    Frame answer(std::uint32_t number, std::chrono::milliseconds timeout, const Progress& progress);
    [[noreturn]] void died(const Frame* crash);
    /// Asks the worker for its last words, so that the node is known, and ends it.
    std::string endAndAsk();

    WorkerOptions m_options;
    std::unique_ptr<WorkerProcess> m_process;
    std::unique_ptr<FrameReader> m_reader;
    std::string m_library;
    std::uint32_t m_number = 0;
};

} // namespace fx::remote
