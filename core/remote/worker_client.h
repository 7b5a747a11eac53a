// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/remote/message.h"
#include "core/remote/model_sender.h"
#include "core/remote/worker_process.h"

#include <chrono>
#include <optional>
#include <thread>

namespace fx::remote {

/// How a worker is started and limited.
struct WorkerOptions {
    /// The program and its arguments: lancet-worker beside the running program, else on PATH; or `ssh box
    /// lancet-worker`.
    std::vector<std::string> command;
    bool local = true;             ///< it sees the same files and memory; otherwise tensors are sent in the frames
    std::uint64_t memoryBytes = 0; ///< limit for a local worker; 0 for the free memory at its start
    bool spare = false;            ///< keep a second worker ready to take over immediately
    std::chrono::milliseconds timeLimit{}; ///< for each request without its own limit; 0 for none
    /// That register operators, on the worker's machine; empty: those of `setOperatorLibraries` for a local worker.
    std::vector<std::string> libraries = {};
};
/// Libraries that register operators, for all local workers that are started from now on. Any thread.
void setOperatorLibraries(std::vector<std::string> libraries);
/// The path of lancet-worker beside the running program, or else its name, to be found on PATH.
std::vector<std::string> defaultWorkerCommand();

/// The process that runs models: started on first use, and restarted after a crash. A request that fails, hangs or
/// crashes the worker is reported as an Error. One thread at a time.
class WorkerClient {
public:
    explicit WorkerClient(WorkerOptions options) : m_options(std::move(options)) {}
    ~WorkerClient() { stop(); }

    /// Starts the worker and waits until it is ready. Call it early: it takes half a second. Throws Error{Run}.
    void start(const Progress& progress = {});
    bool running() const { return m_process != nullptr; }
    /// Whether another worker is ready to take over.
    bool spareReady() const;
    pid_t processId() const { return m_process ? m_process->id() : -1; }
    /// The worker's description of its library.
    const std::string& library() const { return m_library; }
    /// The worker's description of itself and its machine, as a JSON object; empty before the first start.
    const std::string& machine() const { return m_machine; }

    /// Throws errors reported by the worker (Error{Run, File, Usage, Refused}), Error{Run} if it crashes, and
    /// Error{Cancelled} within 100 ms if `progress` requests a stop or `timeout` expires (0: from the options). A
    /// worker that does not react within a second is killed.
    RunResult run(const RunRequest& request, std::chrono::milliseconds timeout = {}, const Progress& progress = {});
    /// For other verbs: sends the models that a request refers to and the request, and returns the frame of its result.
    /// The worker's progress is forwarded to `progress`. Same errors.
    Frame call(Frame request, std::chrono::milliseconds timeout, const Progress& progress);
    /// Ends the worker and its spare.
    void stop();
    std::uint32_t nextNumber() { return ++m_number; }
    bool local() const { return m_options.local; }

private:
    using Time = std::chrono::steady_clock::time_point;
    std::vector<std::string> command() const;
    void keepSpare();
    Frame answer(std::uint32_t number, std::chrono::milliseconds timeout, const Progress& progress);
    std::optional<Frame> next(std::chrono::milliseconds wait);
    std::optional<Frame> answerUntil(std::uint32_t number, Time deadline, const Progress& progress);
    [[noreturn]] void died(const Frame* crash);
    [[noreturn]] void giveUp(std::uint32_t number, Error error, bool end);
    void waitForAbandoned(const Progress& progress);
    void end();
    std::string endAndAsk();

    /// A cancelled request that the worker has not answered yet; if it does not do so in time, `watch` kills it.
    struct Abandoned {
        std::uint32_t number = 0;
        Time deadline;
        std::jthread watch;
    };

    WorkerOptions m_options;
    std::unique_ptr<WorkerProcess> m_process, m_spare;
    std::unique_ptr<FrameReader> m_reader;
    std::unique_ptr<ModelSender> m_sender;
    std::optional<Abandoned> m_abandoned;
    std::string m_library, m_machine;
    std::uint32_t m_number = 0;
};

/// "0.5 s", for texts.
std::string secondsText(std::chrono::milliseconds time);

} // namespace fx::remote
