// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/fault.h"

#include "core/json/json_document.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

namespace app {
namespace {

/// Takes memory until there is no more of it.
void allocate() {
    constexpr std::size_t kPiece = 64 << 20, kAll = 200'000'000'000;
    std::vector<std::vector<char>> pieces;
    for (std::size_t taken = 0; taken < kAll; taken += kPiece) pieces.emplace_back(kPiece, 'x');
}

} // namespace

void fault(const std::string& json, int descriptor) {
    const auto document = fx::JsonDocument::parse(json);
    const std::string_view what = document->root().at("what").asText();
    if (what == "abort") std::abort();
    if (what == "segv") ::raise(SIGSEGV);
    if (what == "kill") ::raise(SIGKILL);
    if (what == "exit") ::_exit(3);
    if (what == "print") return void((std::puts("this is no message"), std::fflush(stdout)));
    if (what == "garbage") {
        const std::string garbage(4096, '?');
        [[maybe_unused]] const auto written = ::write(descriptor, garbage.data(), garbage.size());
    }
    if (what == "allocate") return allocate();
    if (what == "one allocation") return void(std::vector<char>(200'000'000'000));
    if (what == "stop") ::raise(SIGSTOP);
    while (true) ::usleep(1000); // "loop", and after garbage
}

} // namespace app
