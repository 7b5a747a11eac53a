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

struct WorkerOptions {
    /// The program and its arguments: lancet-worker beside the running program, else on PATH; or `ssh box
    /// lancet-worker`.
    std::vector<std::string> command;
    bool local = true;                     ///< it sees the same files and memory; else tensors travel in the frames
    std::uint64_t memoryBytes = 0;         ///< limit for a local worker; 0: what the machine has free when it starts
    bool spare = false;                    ///< keep a second worker ready, so that the next one is there at once
    std::chrono::milliseconds timeLimit{}; ///< for each request that has no limit of its own; 0: none
};
/// lancet-worker beside the running program, else the name for a search on PATH.
std::vector<std::string> defaultWorkerCommand();

/// The process that runs models: started when first needed, and again after it died. A request that fails, hangs or
/// takes the worker down is an Error here and nothing else. One thread at a time.
class WorkerClient {
public:
    explicit WorkerClient(WorkerOptions options) : m_options(std::move(options)) {}
    ~WorkerClient() { stop(); }

    /// Starts the worker and waits until it is ready: worth doing early, it takes half a second. Throws Error{Run}.
    void start(const Progress& progress = {});
    bool running() const { return m_process != nullptr; }
    /// Whether another worker stands ready to take over at once.
    bool spareReady() const;
    pid_t processId() const { return m_process ? m_process->id() : -1; }
    /// What the worker says of its library.
    const std::string& library() const { return m_library; }
    /// What the worker says of itself and its machine, a JSON object; empty before the first start.
    const std::string& machine() const { return m_machine; }

    /// Throws what the worker reports (Error{Run, File, Usage, Refused}), Error{Run} when it dies, Error{Cancelled}
    /// within 100 ms when `progress` asks to stop or `timeout` (0: as the options say) is over. A worker that does not
    /// give up what it does within a second is ended.
    RunResult run(const RunRequest& request, std::chrono::milliseconds timeout = {}, const Progress& progress = {});
    /// For other verbs: sends a request, before it the models that it names, and gives the frame of its result. What
    /// the worker reports of its progress goes to `progress`. Same errors.
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

    /// A request that was given up and that the worker has not answered yet; when it does not do so in time, `watch`
    /// ends it.
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

} // namespace fx::remote
