// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reader/last_words.h"

#include "core/base/memory.h"
#include "core/make/initial_weights.h"
#include "core/python/imports/place.h"
#include "core/python/values/object.h"
#include "core/remote/json_fields.h"
#include "core/remote/worker_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace fx::reader {
namespace {

constexpr std::uint64_t kFewDrawn = 16 << 20; ///< bytes that take no time and memory worth mentioning
constexpr std::uint64_t kNanosPerByte = 20;   ///< of drawing, on a slow machine
constexpr std::uint64_t kMostDraws = 4;       ///< of each weight: a layer draws its own, then the model initialises all
constexpr int kMemoryExit = 3;                ///< without last words, since others are half written
constexpr suseconds_t kTick = 50'000;         ///< microseconds between looks at time and client
constexpr std::size_t kMostText = 4096;       ///< of a path, and of a line

struct Watch {
    Limits limits;
    std::uint64_t startNanos = 0; ///< of the processor
    std::uint32_t request = 0;
    int input = -1, output = -1;
    std::atomic<int> held = 0;
    std::atomic<bool> said = false;
};
Watch g_watch;
alignas(16) std::array<char, 64 << 10> g_stack;

/// Puts texts and numbers one behind the other; without memory of its own, for signal handlers.
struct Buffer {
    std::array<char, remote::kHeaderBytes + 256 + 2 * kMostText> bytes{};
    std::size_t size = remote::kHeaderBytes;
    void add(std::string_view text) {
        const std::size_t count = std::min(text.size(), bytes.size() - size);
        std::memcpy(bytes.data() + size, text.data(), count);
        size += count;
    }
    void add(const char* key, std::uint64_t number) {
        std::array<char, 24> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        add(key), add({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }
    void setHeader(std::size_t jsonBytes) {
        const auto put = [this](std::size_t at, std::uint64_t number, int count) {
            for (int i = 0; i < count; ++i)
                bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(number >> 8 * i);
        };
        std::memcpy(bytes.data(), "LNCW", 4);
        put(4, remote::kProtocolVersion, 2), put(6, static_cast<std::uint64_t>(remote::FrameKind::Crash), 2);
        put(8, g_watch.request, 4), put(12, 0, 4);
        put(16, jsonBytes, 8), put(24, size - remote::kHeaderBytes - jsonBytes, 8);
    }
};
Buffer g_buffer;

/// The line of a source around a byte offset, and its number and column, from 1.
struct Line {
    std::string_view text;
    std::size_t number = 1, column = 1;
};
Line lineAt(std::string_view text, std::size_t offset) {
    Line out;
    std::size_t start = 0;
    for (std::size_t i = 0; i < offset; ++i)
        if (text[i] == '\n') ++out.number, start = i + 1;
    out.column = offset - start + 1;
    out.text = text.substr(start, std::min(text.find('\n', start), text.size()) - start).substr(0, 200);
    return out;
}

/// Where the program is in a file of the user; if it is in Lancet's own library, where that was called. Null: nowhere.
const python::Place* usersPlace() {
    const auto isUsers = [](const python::Place* place) { return place && place->file && !place->file->path.empty(); };
    if (isUsers(python::running.at)) return python::running.at;
    if (const auto* calls = python::running.calls)
        for (auto call = calls->rbegin(); call != calls->rend(); ++call)
            if (isUsers(&*call)) return &*call;
    return nullptr;
}

/// Writes the frame and ends the process. Only what is allowed in a signal handler.
[[noreturn]] void end(EndedBy why, int signal) {
    if (g_watch.held > 0 || g_watch.said.exchange(true)) ::_exit(why == EndedBy::Memory ? kMemoryExit : 1);
    const python::Place* place = usersPlace();
    const bool isKnown = place != nullptr;
    const std::size_t offset = isKnown ? std::min(place->offset, place->file->text.size()) : 0;
    const Line line = isKnown ? lineAt(place->file->text, offset) : Line();
    g_buffer.add("{\"why\":", static_cast<std::uint64_t>(why));
    g_buffer.add(",\"signal\":", static_cast<std::uint64_t>(signal));
    g_buffer.add(",\"line\":", isKnown ? line.number : 0);
    g_buffer.add(",\"column\":", line.column);
    g_buffer.add(",\"offset\":", offset);
    const std::string_view path = isKnown ? std::string_view(place->file->path).substr(0, kMostText) : "";
    g_buffer.add(",\"path\":", path.size());
    g_buffer.add("}");
    const std::size_t jsonBytes = g_buffer.size - remote::kHeaderBytes;
    g_buffer.add(path), g_buffer.add(line.text);
    g_buffer.setHeader(jsonBytes);
    [[maybe_unused]] const auto written = ::write(g_watch.output, g_buffer.bytes.data(), g_buffer.size);
    ::_exit(1);
}

/// The limit of all draws together. A draw that a later one replaces takes no memory.
std::uint64_t mostDrawn(const Limits& limits) { return std::max(kMostDrawn, kMostDraws * limits.drawnBytes); }

/// Weights are all that may take more than usual, once it is known how many there are.
EndedBy orDrawn(EndedBy why) {
    return g_watch.limits.drawnBytes == 0 && drawnBytes() > kFewDrawn ? EndedBy::Drawn : why;
}

void crashed(int signal) { end(EndedBy::Signal, signal); }
void outOfMemory() { end(orDrawn(EndedBy::Memory), 0); }

std::uint64_t usedNanos() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

void tick(int) {
    if (g_watch.held > 0) return;
    const int error = errno;
    pollfd client = {g_watch.input, POLLIN, 0};
    if (::poll(&client, 1, 0) == 1 && (client.revents & (POLLHUP | POLLERR))) ::_exit(1);
    if (drawnBytes() > mostDrawn(g_watch.limits)) end(EndedBy::Drawn, 0);
    const std::uint64_t nanos = usedNanos() - g_watch.startNanos;
    const std::uint64_t allowed = static_cast<std::uint64_t>(g_watch.limits.time.count()) * 1'000'000;
    if (nanos > allowed + kMostDraws * g_watch.limits.drawnBytes * kNanosPerByte) end(orDrawn(EndedBy::Time), 0);
    errno = error;
}

void limitMemory(std::uint64_t before, std::uint64_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    rlimit limit{};
    if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(before + bytes, limit.rlim_max);
    ::setrlimit(RLIMIT_DATA, &limit);
#else
    (void)before, (void)bytes; // they reserve terabytes
#endif
}

std::size_t sizeAt(JsonValue object, const char* key) {
    return static_cast<std::size_t>(std::max<std::int64_t>(object.at(key).asInt(), 0));
}

Message messageOf(EndedBy why, int signal, const SourceRequest& request) {
    switch (why) {
    case EndedBy::Time: return {"reader.time", {{"limit", remote::secondsText(request.limits.time)}}};
    case EndedBy::Signal:
        return {"reader.crashed", {{"signal", std::to_string(signal)}, {"name", ::strsignal(signal)}}};
    case EndedBy::Drawn: return {"reader.weights", {{"limit", bytesInWords(mostDrawn(request.limits))}}};
    case EndedBy::Memory: break;
    }
    return {"reader.memory", {{"limit", bytesInWords(request.limits.memoryBytes)}}};
}

} // namespace

std::uint64_t dataBytes() {
    std::uint64_t pages = 0;
    std::ifstream in("/proc/self/statm");
    for (int field = 0; field < 6; ++field) in >> pages;
    return in ? pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

LastWordsHeld::LastWordsHeld() { ++g_watch.held; }
LastWordsHeld::~LastWordsHeld() { --g_watch.held; }

void watchOver(const Limits& limits, std::uint32_t request, int input, int output, std::uint64_t before) {
    g_watch.startNanos = usedNanos();
    g_watch.limits = limits, g_watch.request = request, g_watch.input = input, g_watch.output = output;
    stack_t stack{};
    stack.ss_sp = g_stack.data(), stack.ss_size = g_stack.size();
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    action.sa_handler = crashed;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
    action.sa_handler = tick;
    ::sigaction(SIGALRM, &action, nullptr);
    const itimerval every = {{0, kTick}, {0, kTick}};
    ::setitimer(ITIMER_REAL, &every, nullptr);
    std::set_new_handler(outOfMemory);
    limitMemory(before, limits.memoryBytes + 2 * limits.drawnBytes);
}

EndedBy endedBy(const remote::Frame& crash) {
    const std::int64_t why = JsonDocument::parse(crash.json)->root().at("why").asInt();
    return why >= 0 && why <= static_cast<std::int64_t>(EndedBy::Signal) ? static_cast<EndedBy>(why) : EndedBy::Signal;
}

Error errorOf(const remote::Frame* crash, const SourceRequest& request, const std::string& how) {
    const bool isMemory = how == "ended with code " + std::to_string(kMemoryExit);
    if (!crash)
        return Error(ErrorKind::Refused,
                     isMemory ? messageOf(EndedBy::Memory, 0, request) : Message("reader.ended", {{"how", how}}))
            .in(request.file);
    const auto document = JsonDocument::parse(crash->json);
    const JsonValue root = document->root();
    Error error(ErrorKind::Refused, messageOf(endedBy(*crash), static_cast<int>(root.at("signal").asInt()), request));
    std::string texts;
    if (crash->blob) texts.assign(reinterpret_cast<const char*>(crash->blob->data()), crash->blob->size());
    const std::size_t pathBytes = std::min(sizeAt(root, "path"), texts.size());
    if (pathBytes == 0) return error.in(request.file);
    return error.in(request.file.empty() ? std::string() : texts.substr(0, pathBytes))
        .at(TextPlace{sizeAt(root, "line"), sizeAt(root, "column")})
        .quoting(texts.substr(pathBytes));
}

} // namespace fx::reader
