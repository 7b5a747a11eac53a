// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/worker_client.h"

#include <condition_variable>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <poll.h>
#include <unistd.h>

namespace fx::remote {
namespace {

using namespace std::chrono_literals;
constexpr auto kStartPatience = 30s;
constexpr auto kSlice = 20ms;          ///< between looks at the stop request
constexpr auto kCancelPatience = 60ms; ///< for an answer to a request that is no longer wanted
constexpr auto kEndPatience = 1s;      ///< after that the worker is ended
constexpr int kAttempts = 4;           ///< to make models known

std::string nodeOf(const Frame& crash) {
    const auto document = JsonDocument::parse(crash.json);
    const JsonValue node = document->root().find("node");
    return node.exists() && node.isString() ? std::string(node.asText()) : std::string();
}

void forward(const Frame& frame, const Progress& progress) {
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    const double of = root.at("of").asDouble();
    progress.report(root.at("what").asText(), of > 0 ? root.at("done").asDouble() / of : 0);
}

/// Ends the worker at the deadline unless it says something before, or somebody takes over.
std::jthread watchOver(const WorkerProcess& worker, std::chrono::steady_clock::time_point deadline) {
    return std::jthread([id = worker.id(), output = worker.output(), deadline](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        wake.wait_until(lock, stop, deadline, [] { return false; });
        pollfd said = {output, POLLIN, 0};
        if (!stop.stop_requested() && ::poll(&said, 1, 0) == 0) ::kill(-id, SIGKILL);
    });
}

} // namespace

std::vector<std::string> defaultWorkerCommand() {
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto beside = self.parent_path() / "lancet-worker";
    return {!failed && ::access(beside.c_str(), X_OK) == 0 ? beside.string() : "lancet-worker"};
}

namespace {
std::mutex librariesMutex;
std::vector<std::string> commonLibraries;
} // namespace

void setOperatorLibraries(std::vector<std::string> libraries) {
    const std::lock_guard lock(librariesMutex);
    commonLibraries = std::move(libraries);
}

std::vector<std::string> WorkerClient::command() const {
    std::vector<std::string> command = m_options.command.empty() ? defaultWorkerCommand() : m_options.command;
    if (m_options.local && m_options.memoryBytes > 0) {
        command.push_back("--memory");
        command.push_back(std::to_string(m_options.memoryBytes));
    }
    const std::lock_guard lock(librariesMutex);
    for (const std::string& library :
         m_options.libraries.empty() && m_options.local ? commonLibraries : m_options.libraries)
        command.insert(command.end(), {std::string("--library"), library});
    return command;
}

void WorkerClient::start(const Progress& progress) {
    if (m_process && !m_process->alive()) end(); // it died while nothing was asked of it
    if (m_process) return;
    if (m_spare && !m_spare->alive()) m_spare.reset();
    m_process = m_spare ? std::move(m_spare) : std::make_unique<WorkerProcess>(command());
    m_reader = std::make_unique<FrameReader>(m_process->output());
    m_sender = std::make_unique<ModelSender>(m_options.local);
    Frame hello;
    try {
        hello = answer(0, kStartPatience, progress);
    } catch (const Error& error) { // no operator of a model ran yet
        if (!error.message().is("remote.died")) throw;
        throw Error(ErrorKind::Run, Message("remote.did_not_start", {{"how", error.message().argument("how")}}));
    }
    if (hello.kind != FrameKind::Hello) throw Error(ErrorKind::Run, Message("remote.not_ready"));
    m_library = JsonDocument::parse(hello.json)->root().at("library").asText();
    m_machine = hello.json;
    keepSpare();
}

void WorkerClient::keepSpare() {
    if (!m_options.spare || m_spare) return;
    try {
        m_spare = std::make_unique<WorkerProcess>(command());
    } catch (const Error&) { // then the next worker is started when it is needed, and tells why it cannot
    }
}

/// It has said Hello, which nobody reads before it is needed.
bool WorkerClient::spareReady() const {
    pollfd said = {m_spare ? m_spare->output() : -1, POLLIN, 0};
    return m_spare && m_spare->alive() && ::poll(&said, 1, 0) == 1;
}

void WorkerClient::end() {
    m_abandoned.reset(); // its thread knows the process by its number
    m_process.reset();
    m_reader.reset();
    m_sender.reset();
}

std::string secondsText(std::chrono::milliseconds time) {
    std::string text = std::to_string(static_cast<double>(time.count()) / 1000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + " s";
}

void WorkerClient::stop() {
    end();
    m_spare.reset();
}

RunResult WorkerClient::run(const RunRequest& request, std::chrono::milliseconds timeout, const Progress& progress) {
    return runResult(call(toFrame(request, nextNumber(), m_options.local), timeout, progress));
}

Frame WorkerClient::call(Frame request, std::chrono::milliseconds timeout, const Progress& progress) {
    progress.check();
    waitForAbandoned(progress);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        start(progress);
        // When these fail the worker has died, and its last words tell more.
        const bool sent = m_sender->send(m_process->input(), request.models, progress) &&
                          writeFrame(m_process->input(), request, progress);
        if (!sent && progress.stopRequested()) { // perhaps in the middle of a frame
            end();
            progress.check();
        }
        Frame frame = answer(request.request, timeout.count() > 0 ? timeout : m_options.timeLimit, progress);
        m_sender->settle();
        if (frame.kind == FrameKind::Error) throw errorOf(frame);
        if (frame.kind != FrameKind::Missing) return frame;
        m_sender->forget(frame);
    }
    throw Error(ErrorKind::Run, Message("remote.model_not_kept"));
}

/// The next frame; none when the wait is over. Throws when the worker is gone, or something else writes to its output.
std::optional<Frame> WorkerClient::next(std::chrono::milliseconds wait) {
    FrameReader::State state;
    try {
        state = m_reader->read(wait);
    } catch (const Error&) {
        end();
        throw;
    }
    if (state == FrameReader::State::Closed) died(nullptr);
    if (state == FrameReader::State::Waiting) return std::nullopt;
    Frame frame = m_reader->take();
    if (frame.kind == FrameKind::Crash) died(&frame);
    return frame;
}

/// Frames of other requests are answers to some that were given up.
std::optional<Frame> WorkerClient::answerUntil(std::uint32_t number, Time deadline, const Progress& progress) {
    do {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        std::optional<Frame> frame = next(std::max(left, 0ms));
        if (!frame || frame->request != number) continue;
        if (frame->kind != FrameKind::Progress) return frame;
        forward(*frame, progress);
    } while (std::chrono::steady_clock::now() < deadline);
    return std::nullopt;
}

Frame WorkerClient::answer(std::uint32_t number, std::chrono::milliseconds timeout, const Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    while (true) {
        if (auto frame = answerUntil(number, std::chrono::steady_clock::now() + kSlice, progress))
            return *std::move(frame);
        if (progress.stopRequested()) giveUp(number, Error(ErrorKind::Cancelled, Message("app.cancelled")), false);
        if (timeout.count() > 0 && std::chrono::steady_clock::now() >= start + timeout)
            giveUp(number, Error(ErrorKind::Cancelled, Message("remote.timeout", {{"time", secondsText(timeout)}})),
                   true);
    }
}

/// Tells the worker that the request is no longer wanted. One that does not stop is ended at once (`end`), which tells
/// the node that runs, or by and by.
void WorkerClient::giveUp(std::uint32_t number, Error error, bool end) {
    const auto now = std::chrono::steady_clock::now();
    std::stop_source atOnce;
    atOnce.request_stop();
    if (!writeFrame(m_process->input(), {FrameKind::Cancel, number, {}, {}, {}}, Progress(atOnce.get_token())))
        end = true;
    if (const auto frame = answerUntil(number, now + kCancelPatience, {})) {
        if (frame->kind == FrameKind::Error) error.onNode(errorOf(*frame).node);
    } else if (end || number == 0) {
        error.onNode(endAndAsk());
    } else {
        m_abandoned.emplace(Abandoned{number, now + kEndPatience, watchOver(*m_process, now + kEndPatience)});
    }
    throw error;
}

void WorkerClient::waitForAbandoned(const Progress& progress) {
    if (!m_abandoned) return;
    m_abandoned->watch = {};
    try {
        for (std::optional<Frame> frame; !frame;) {
            frame = answerUntil(m_abandoned->number,
                                std::min(m_abandoned->deadline, std::chrono::steady_clock::now() + kSlice), {});
            if (!frame && std::chrono::steady_clock::now() >= m_abandoned->deadline) return end();
            if (!frame && progress.stopRequested()) {
                m_abandoned->watch = watchOver(*m_process, m_abandoned->deadline);
                throw Error(ErrorKind::Cancelled, Message("app.cancelled"));
            }
        }
        m_abandoned.reset();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        end(); // how it ended no longer matters
    }
}

void WorkerClient::died(const Frame* crash) {
    const std::string node = crash ? nodeOf(*crash) : std::string();
    const std::string how = m_process->finish(crash ? 500ms : 200ms);
    const int signal = m_process->endedBySignal();
    end();
    throw Error(ErrorKind::Run,
                signal == SIGKILL ? Message("remote.killed", {{"how", how}}) : Message("remote.died", {{"how", how}}))
        .onNode(node);
}

/// Asks the worker for its last words, so that the node is known, and ends it.
std::string WorkerClient::endAndAsk() {
    std::string node;
    m_process->signal(SIGTERM);
    try {
        if (m_reader->read(200ms) == FrameReader::State::Frame)
            if (const Frame frame = m_reader->take(); frame.kind == FrameKind::Crash) node = nodeOf(frame);
    } catch (const Error&) { // no last words
    }
    end();
    return node;
}

} // namespace fx::remote
