// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/worker_client.h"

#include "core/base/child_processes.h"
#include "core/base/memory.h"
#include "core/remote/descriptor_channel.h"
#include "core/remote/json_fields.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <poll.h>
#include <unistd.h>

namespace fx::remote {
namespace {

using namespace std::chrono_literals;
constexpr auto kStartPatience = 30s;
constexpr auto kSlice = 20ms;                   ///< between looks at the stop request
constexpr auto kCancelPatience = 60ms;          ///< for an answer to a request that is no longer wanted
constexpr auto kEndPatience = 1s;               ///< after that the worker is ended
constexpr int kAttempts = 4;                    ///< to make models known
constexpr std::uint64_t kAlwaysTaken = 1 << 30; ///< bytes of an answer, also where little memory is free

std::string nodeOf(const Frame& crash) {
    const auto document = JsonDocument::parse(crash.json);
    const JsonValue node = document->root().find("node");
    return node.exists() && node.isString() ? std::string(node.asText()) : std::string();
}

/// The text goes to terminals, and a model may have made it up.
void forward(const Frame& frame, const Progress& progress) {
    constexpr std::size_t kLongest = 200;
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    const double of = root.at("of").asDouble();
    std::string what(root.at("what").asText());
    if (what.size() > kLongest) what.resize(kLongest);
    for (bool cut = what.size() == kLongest; cut && !what.empty() && (what.back() & 0x80) != 0;)
        what.pop_back(); // part of a character
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
    progress.report(what, of > 0 ? root.at("done").asDouble() / of : 0);
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

std::vector<std::string> defaultWorkerCommand() { return {programBeside("lancet-worker")}; }

std::vector<std::string> WorkerClient::command() const {
    std::vector<std::string> command = m_options.command.empty() ? defaultWorkerCommand() : m_options.command;
    if (m_options.local && m_options.memoryBytes > 0) {
        command.push_back("--memory");
        command.push_back(std::to_string(m_options.memoryBytes));
    }
    for (const std::string& library : m_options.libraries)
        command.insert(command.end(), {std::string("--library"), library});
    return command;
}

void WorkerClient::start(const Progress& progress) {
    if (m_process && !m_process->alive()) end(); // it died while nothing was asked of it
    if (m_process) return;
    if (m_spare && !m_spare->alive()) m_spare.reset();
    m_process = m_spare ? std::move(m_spare) : std::make_unique<WorkerProcess>(command(), m_options.local);
    m_reader = std::make_unique<FrameReader>(m_process->output(), std::max(freeMemory() / 4, kAlwaysTaken));
    try {
        readHello(answer(0, kStartPatience, progress));
    } catch (const Error& error) { // no operator of a model ran yet
        end();
        if (!error.message().is("remote.died") && !error.message().is("remote.ended")) throw;
        throw Error(ErrorKind::Run, Message("remote.did_not_start", {{"how", error.message().argument("how")}}));
    }
    keepSpare();
}

/// The worker may have got no channel: a command that starts it can close descriptors.
void WorkerClient::readHello(const Frame& hello) {
    if (hello.kind != FrameKind::Hello) throw Error(ErrorKind::Run, Message("remote.not_ready"));
    const auto document = JsonDocument::parse(hello.json);
    const JsonValue sandbox = document->root().find("sandbox"), takes = document->root().find("takes_descriptors");
    m_library = document->root().at("library").asText();
    m_machine = hello.json;
    m_isSandboxed = sandbox.exists() && sandbox.at("landlock").asInt() > 0 && sandbox.at("seccomp").asBool();
    m_sender =
        std::make_unique<ModelSender>(m_options.local, takes.exists() && takes.asBool() ? m_process->channel() : -1,
                                      m_options.complete, m_options.python);
}

void WorkerClient::keepSpare() {
    if (!m_options.spare || m_spare) return;
    try {
        m_spare = std::make_unique<WorkerProcess>(command(), m_options.local);
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
    m_readable.reset();
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

/// Starts a worker that may read what the request names, unless the running one may.
void WorkerClient::startReading(const Frame& request, const Progress& progress) {
    std::vector<std::string> named;
    for (const std::string& file : request.files)
        for (std::string& each : filesOfModel(file)) named.push_back(std::move(each));
    const auto all = [&] {
        std::vector<std::string> out = m_sender->files(request.models, progress);
        out.insert(out.end(), named.begin(), named.end());
        return out;
    };
    start(progress);
    if (m_readable && m_readable->covers(all())) return;
    if (m_readable) end(), start(progress);
    m_readable.emplace(all(), m_options.local);
    JsonWriter json;
    json.beginObject();
    json.key("read").strings(m_readable->paths());
    writeFrame(m_process->input(), {FrameKind::Files, 0, json.endObject().text(), {}, {}}, progress);
}

/// When this fails the worker has died, and its last words tell more; or it is no longer wanted.
bool WorkerClient::send(const Frame& request, const Progress& progress) {
    const bool hands = !request.descriptors.empty() && m_sender->channel() >= 0;
    const bool sent = m_sender->send(m_process->input(), request.models, progress) &&
                      (!hands || sendDescriptors(m_sender->channel(), request.descriptors, progress)) &&
                      writeFrame(m_process->input(), request, progress);
    if (!sent && progress.stopRequested()) { // perhaps in the middle of a frame
        end();
        progress.check();
    }
    return sent;
}

Frame WorkerClient::call(Frame request, std::chrono::milliseconds timeout, const Progress& progress,
                         const OnPart& onPart) {
    progress.check();
    waitForAbandoned(progress);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        startReading(request, progress);
        send(request, progress);
        Frame frame = answer(request.request, timeout.count() > 0 ? timeout : m_options.timeLimit, progress, onPart);
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
std::optional<Frame> WorkerClient::answerUntil(std::uint32_t number, Time deadline, const Progress& progress,
                                               const OnPart& onPart) {
    do {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        std::optional<Frame> frame = next(std::max(left, 0ms));
        if (!frame || frame->request != number) continue;
        if (frame->kind == FrameKind::Progress) forward(*frame, progress);
        else if (frame->kind == FrameKind::Part) takePart(*frame, onPart);
        else return frame;
    } while (std::chrono::steady_clock::now() < deadline);
    return std::nullopt;
}

/// What cannot be taken, as on a full disk, ends the worker: it would go on sending.
void WorkerClient::takePart(const Frame& part, const OnPart& onPart) {
    if (!onPart || !part.blob) return;
    try {
        onPart(*part.blob);
    } catch (...) {
        end();
        throw;
    }
}

Frame WorkerClient::answer(std::uint32_t number, std::chrono::milliseconds timeout, const Progress& progress,
                           const OnPart& onPart) {
    const auto start = std::chrono::steady_clock::now();
    while (true) {
        if (auto frame = answerUntil(number, std::chrono::steady_clock::now() + kSlice, progress, onPart))
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

namespace {

/// What a signal that ended the worker says: memory ran out, somebody else ended it, or the model crashed it.
MessageCode deathBy(int signal) {
    if (signal == SIGKILL) return "remote.killed";
    if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT) return "remote.ended";
    return "remote.died";
}

} // namespace

void WorkerClient::died(const Frame* crash) {
    const std::string node = crash ? nodeOf(*crash) : std::string();
    const std::string how = m_process->finish(crash ? 500ms : 200ms);
    const int signal = m_process->endedBySignal();
    end();
    throw Error(ErrorKind::Run, Message(deathBy(signal), {{"how", how}})).onNode(node);
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
