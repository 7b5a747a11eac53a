// SPDX-License-Identifier: GPL-3.0-or-later
// lancet-worker: runs models for lancet and lancet-gui. Messages (core/remote/frame.h) on standard input and output.
#include "app/worker/last_words.h"
#include "app/worker/run_model.h"
#include "core/base/json_writer.h"
#include "core/engine/machine.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace app {
namespace {

struct Channel {
    int in = -1, out = -1;
};

/// Takes standard input and output for messages; whatever prints later (LibTorch, oneDNN) goes to standard error.
Channel takeChannel() {
    const Channel channel{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::close(nothing);
    return channel;
}

/// Ends this process when the other side goes away, also in the middle of a run that would never end.
void endWithTheOther(int descriptor) {
    std::thread([descriptor] {
        pollfd gone = {descriptor, 0, 0};
        while (::poll(&gone, 1, -1) <= 0) {}
        ::_exit(0);
    }).detach();
}

/// Bytes that the machine has free, from /proc/meminfo; 0 when it does not say.
std::uint64_t freeMemory() {
    std::ifstream in("/proc/meminfo");
    std::string word;
    while (in >> word)
        if (std::uint64_t kilobytes = 0; word == "MemAvailable:" && in >> kilobytes) return kilobytes << 10;
    return 0;
}

/// An allocation beyond the limit fails in the node that makes it, instead of the system ending some process.
void limitMemory(std::uint64_t bytes) {
    rlimit limit{};
    if (bytes == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
    ::setrlimit(RLIMIT_DATA, &limit);
}

std::string hello() {
    fx::JsonWriter json;
    json.beginObject().key("library").string(fx::engine::libraryDescription()).key("threads").integer(fx::engine::threads()).endObject();
    return json.text();
}

/// What tests of the other side ask for: ways to die.
[[noreturn]] void fault(const std::string& json) {
    if (json.find("\"abort\"") != json.npos) std::abort();
    if (json.find("\"exit\"") != json.npos) ::_exit(3);
    if (json.find("\"kill\"") != json.npos) ::raise(SIGKILL);
    if (json.find("\"print\"") != json.npos) std::printf("this is no message\n"), std::fflush(stdout), std::abort();
    if (json.find("\"loop\"") != json.npos)
        while (true) ::usleep(0);
    ::raise(SIGSEGV);
    std::abort();
}

fx::remote::Frame answer(const fx::remote::Frame& frame) {
    const std::string verb = fx::remote::verbOf(frame);
    if (verb == "run") return fx::remote::toFrame(runModel(fx::remote::runRequest(frame)), frame.request);
    if (verb == "fault" && std::getenv("LANCET_WORKER_FAULTS")) fault(frame.json);
    throw fx::Error(fx::ErrorKind::Run, "the worker does not know the request '" + verb + "'").hinting("install the same version of Lancet on both sides");
}

fx::remote::Frame guarded(const fx::remote::Frame& frame) {
    try {
        return answer(frame);
    } catch (const fx::Error& error) {
        return fx::remote::toFrame(error, frame.request);
    } catch (const std::bad_alloc&) {
        return fx::remote::toFrame(fx::Error(fx::ErrorKind::Run, "out of memory").hinting("run with smaller inputs"), frame.request);
    } catch (const std::exception& error) {
        return fx::remote::toFrame(fx::Error(fx::ErrorKind::Run, std::string("the worker failed: ") + error.what()), frame.request);
    }
}

int serve(Channel channel) {
    fx::remote::FrameReader reader(channel.in);
    if (!fx::remote::writeFrame(channel.out, {fx::remote::FrameKind::Hello, 0, hello(), {}})) return 1;
    while (reader.read(std::chrono::milliseconds(-1)) == fx::remote::FrameReader::State::Frame) {
        const fx::remote::Frame frame = reader.take();
        if (frame.kind != fx::remote::FrameKind::Request) continue;
        if (!fx::remote::writeFrame(channel.out, guarded(frame))) return 1;
    }
    return 0;
}

} // namespace
} // namespace app

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
        std::puts(fx::engine::libraryDescription().c_str());
        return 0;
    }
    const bool limited = argc > 2 && std::strcmp(argv[1], "--memory") == 0;
    if (argc > 1 && !limited) {
        std::fputs("usage: lancet-worker [--memory BYTES]\nIt speaks to lancet on standard input and output.\n", stderr);
        return 2;
    }
    if (::isatty(STDOUT_FILENO)) {
        std::fputs("lancet-worker runs models for lancet, which starts it by itself.\n", stderr);
        return 2;
    }
    try {
        const app::Channel channel = app::takeChannel();
        app::leaveLastWords(channel.out);
        app::endWithTheOther(channel.in);
        app::limitMemory(limited ? std::strtoull(argv[2], nullptr, 10) : app::freeMemory());
        return app::serve(channel);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lancet-worker: %s\n", error.what());
        return 1;
    }
}
