// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/worker_client.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace fx::remote {
namespace {

using namespace std::chrono_literals;
constexpr auto kStartPatience = 30s;
constexpr auto kSlice = 50ms; ///< between looks at the stop request

std::string nodeOf(const Frame& crash) {
    const auto document = JsonDocument::parse(crash.json);
    const JsonValue node = document->root().find("node");
    return node.exists() && node.isString() ? std::string(node.asText()) : std::string();
}

std::string seconds(std::chrono::milliseconds time) {
    std::string text = std::to_string(static_cast<double>(time.count()) / 1000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + " s";
}

} // namespace

std::vector<std::string> defaultWorkerCommand() {
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto beside = self.parent_path() / "lancet-worker";
    return {!failed && ::access(beside.c_str(), X_OK) == 0 ? beside.string() : "lancet-worker"};
}

void WorkerClient::start(const Progress& progress) {
    if (m_process) return;
    ::signal(SIGPIPE, SIG_IGN); // a worker that dies while it is written to is an error like others
    std::vector<std::string> command = m_options.command.empty() ? defaultWorkerCommand() : m_options.command;
    if (m_options.local && m_options.memoryBytes > 0) {
        command.push_back("--memory");
        command.push_back(std::to_string(m_options.memoryBytes));
    }
    m_process = std::make_unique<WorkerProcess>(command);
    m_reader = std::make_unique<FrameReader>(m_process->output());
    const Frame hello = answer(0, kStartPatience, progress);
    if (hello.kind != FrameKind::Hello) throw Error(ErrorKind::Run, "the worker did not say that it is ready");
    m_library = JsonDocument::parse(hello.json)->root().at("library").asText();
}

RunResult WorkerClient::run(const RunRequest& request, std::chrono::milliseconds timeout, const Progress& progress) {
    start(progress);
    return runResult(call(toFrame(request, nextNumber(), m_options.local), timeout, progress));
}

Frame WorkerClient::call(Frame request, std::chrono::milliseconds timeout, const Progress& progress) {
    start(progress);
    if (!writeFrame(m_process->input(), request)) died(nullptr);
    Frame frame = answer(request.request, timeout, progress);
    if (frame.kind == FrameKind::Error) throw errorOf(frame);
    return frame;
}

Frame WorkerClient::answer(std::uint32_t number, std::chrono::milliseconds timeout, const Progress& progress) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (true) {
        FrameReader::State state;
        try {
            state = m_reader->read(kSlice);
        } catch (const Error&) {
            stop();
            throw;
        }
        if (state == FrameReader::State::Closed) died(nullptr);
        if (state == FrameReader::State::Frame) {
            Frame frame = m_reader->take();
            if (frame.kind == FrameKind::Crash) died(&frame);
            if (frame.request == number) return frame;
            continue; // the answer to a request that was given up
        }
        if (progress.stopRequested()) {
            const std::string node = endAndAsk();
            throw Error(ErrorKind::Cancelled, "cancelled").onNode(node);
        }
        if (timeout.count() > 0 && std::chrono::steady_clock::now() >= deadline) {
            const std::string node = endAndAsk();
            throw Error(ErrorKind::Cancelled, "timed out after " + seconds(timeout)).onNode(node).hinting("give it longer with --timeout SECONDS, or smaller inputs");
        }
    }
}

void WorkerClient::died(const Frame* crash) {
    const std::string node = crash ? nodeOf(*crash) : std::string();
    const std::string how = m_process->finish(crash ? 500ms : 200ms);
    const int signal = m_process->endedBySignal();
    stop();
    Error error(ErrorKind::Run, "the worker " + how + " while it ran the model");
    error.onNode(node);
    if (signal == SIGKILL) error.hinting("the system ended it, most likely for want of memory; run with smaller inputs");
    else error.hinting("an operator of the model crashes LibTorch; the model and Lancet are unharmed");
    throw error;
}

std::string WorkerClient::endAndAsk() {
    std::string node;
    m_process->signal(SIGTERM);
    try {
        if (m_reader->read(200ms) == FrameReader::State::Frame)
            if (const Frame frame = m_reader->take(); frame.kind == FrameKind::Crash) node = nodeOf(frame);
    } catch (const Error&) { // no last words
    }
    stop();
    return node;
}

} // namespace fx::remote
