// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/fault.h"

#include "core/diag/error.h"
#include "core/json/json_document.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
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

void open(const std::string& path, std::string_view how) {
    const int file = ::open(path.c_str(), how == "read" ? O_RDONLY : O_WRONLY | O_CREAT, 0600);
    if (file < 0) throw fx::Error(fx::ErrorKind::Refused, fx::Message("remote.cannot_open")).in(path);
    ::close(file);
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
    if (what == "read" || what == "write") return open(std::string(document->root().at("path").asText()), what);
    while (true) ::usleep(1000); // "loop", and after garbage
}

} // namespace app
