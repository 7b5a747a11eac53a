// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/remote/model_sender.h"
#include "core/remote/readable.h"
#include "core/remote/run_message.h"
#include "core/remote/worker_process.h"

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <thread>

namespace fx::remote {

/// How to start and limit a worker.
struct WorkerOptions {
    /// The program and its arguments: by default lancet-worker beside the running program, else on PATH; or
    /// `ssh box lancet-worker`.
    std::vector<std::string> command;
    bool local = true;             ///< the worker sees the same files and memory; otherwise frames carry the tensors
    std::uint64_t memoryBytes = 0; ///< limit for a local worker; 0 for the free memory at its start
    bool spare = false;            ///< keep a second worker ready to take over immediately
    std::chrono::milliseconds timeLimit{};   ///< for each request without its own limit; 0 for none
    std::vector<std::string> libraries = {}; ///< libraries on the worker's machine that register operators
    CompleteModel complete = {};             ///< makes the versions that are sent; empty: models as they are
    StartOwnPython python = {};              ///< starts what runs calls that versions leave to Python
};
/// Returns the path of lancet-worker beside the running program, or else its name, to be found on PATH.
std::vector<std::string> defaultWorkerCommand();

/// The process that runs models: started on first use, and restarted after a crash. A request that fails, hangs or
/// crashes the worker throws an Error. One thread at a time.
///
/// A worker may read only the files that its first call names, for the rest of its life (core/sandbox). A call that
/// names other files gets a new worker, the spare if there is one.
class WorkerClient {
public:
    /// Does not start the worker.
    explicit WorkerClient(WorkerOptions options) : m_options(std::move(options)) {}
    ~WorkerClient() { stop(); }

    /// Starts the worker and waits until it is ready. Call it early: it takes half a second. Throws Error{Run}.
    void start(const Progress& progress = {});
    /// True after `start`, until the worker ends.
    bool running() const { return m_process != nullptr; }
    /// Returns true if a second worker is ready to take over.
    bool spareReady() const;
    /// The process id of the worker, or -1.
    pid_t processId() const { return m_process ? m_process->id() : -1; }
    /// The worker's description of its LibTorch.
    const std::string& library() const { return m_library; }
    /// The worker's description of itself and its machine, as a JSON object; empty before the first start.
    const std::string& machine() const { return m_machine; }

    /// Receives the bytes of Part frames. If it throws, the worker ends and `call` rethrows.
    using OnPart = std::function<void(std::span<const std::byte> bytes)>;
    /// True if the worker's machine can sandbox it; see `worker --check`. Known after the first start.
    bool isSandboxed() const { return m_isSandboxed; }

    /// Runs a model. Throws the errors that the worker reports (Error{Run, File, Usage, Refused}), Error{Run} if it
    /// crashes, and Error{Cancelled} within 100 ms if `progress` requests a stop or `timeout` expires (0: the limit in
    /// the options). Kills a worker that does not react within a second.
    RunResult run(const RunRequest& request, std::chrono::milliseconds timeout = {}, const Progress& progress = {});
    /// Sends any other request, after the models that it refers to, and returns the frame of its result. Forwards the
    /// worker's progress to `progress`. Throws like `run`.
    Frame call(Frame request, std::chrono::milliseconds timeout, const Progress& progress, const OnPart& onPart = {});
    /// Ends the worker and its spare.
    void stop();
    /// Returns a new request number.
    std::uint32_t nextNumber() { return ++m_number; }
    /// True if the worker sees the same files and memory.
    bool local() const { return m_options.local; }

private:
    using Time = std::chrono::steady_clock::time_point;
    std::vector<std::string> command() const;
    void keepSpare();
    void readHello(const Frame& hello);
    void startReading(const Frame& request, const Progress& progress);
    bool send(const Frame& request, const Progress& progress);
    Frame answer(std::uint32_t number, std::chrono::milliseconds timeout, const Progress& progress,
                 const OnPart& onPart = {});
    std::optional<Frame> next(std::chrono::milliseconds wait);
    std::optional<Frame> answerUntil(std::uint32_t number, Time deadline, const Progress& progress,
                                     const OnPart& onPart = {});
    void takePart(const Frame& part, const OnPart& onPart);
    [[noreturn]] void died(const Frame* crash);
    [[noreturn]] void giveUp(std::uint32_t number, Error error, bool end);
    void waitForAbandoned(const Progress& progress);
    void end();
    std::string endAndAsk();

    /// A cancelled request that the worker has not answered yet. `watch` kills the worker at the deadline.
    struct Abandoned {
        std::uint32_t number = 0;
        Time deadline;
        std::jthread watch;
    };

    WorkerOptions m_options;
    std::unique_ptr<WorkerProcess> m_process, m_spare;
    std::unique_ptr<FrameReader> m_reader;
    std::unique_ptr<ModelSender> m_sender;
    std::optional<Readable> m_readable; ///< unset until the worker receives its files
    std::optional<Abandoned> m_abandoned;
    std::string m_library, m_machine;
    bool m_isSandboxed = false;
    std::uint32_t m_number = 0;
};

/// Formats a duration for messages: "0.5 s".
std::string secondsText(std::chrono::milliseconds time);

} // namespace fx::remote
