// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/leave_last_words.h"

#include "core/engine/interpreter.h"
#include "core/remote/frame.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace app {
namespace {

constexpr std::size_t kMaxName = 512;
std::atomic<int> g_descriptor{-1};
std::atomic<bool> g_said{false};
alignas(16) std::array<char, 64 << 10> g_stack;

/// Only what is allowed in a signal handler: no allocation, plain writes.
void sayLastWords(int signal) {
    if (!g_said.exchange(true)) {
        const char* const node = fx::engine::currentNode();
        std::array<char, fx::remote::kHeaderBytes + kMaxName + 64> frame{
            'L', 'N', 'C', 'W', fx::remote::kProtocolVersion, 0, static_cast<char>(fx::remote::FrameKind::Crash), 0};
        constexpr char kStart[] = "{\"node\":\"", kEnd[] = "\"}";
        std::size_t size = 0;
        char* const json = frame.data() + fx::remote::kHeaderBytes;
        for (const char* c = kStart; *c; ++c) json[size++] = *c;
        for (const char* c = node; c && *c && size < kMaxName; ++c)
            if (*c >= ' ' && *c != '"' && *c != '\\') json[size++] = *c;
        for (const char* c = kEnd; *c; ++c) json[size++] = *c;
        frame[16] = static_cast<char>(size & 0xFF);
        frame[17] = static_cast<char>(size >> 8);
        [[maybe_unused]] const auto written =
            ::write(g_descriptor.load(), frame.data(), fx::remote::kHeaderBytes + size);
    }
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

} // namespace

void leaveLastWords(int descriptor) {
    g_descriptor = descriptor;
    stack_t stack{};
    stack.ss_sp = g_stack.data();
    stack.ss_size = g_stack.size();
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = sayLastWords;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

} // namespace app
