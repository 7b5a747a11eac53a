// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/standard_input.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace app {
namespace {

[[noreturn]] void fail(std::string_view what) {
    throw fx::Error(fx::ErrorKind::File,
                    fx::Message("cli.standard_input", {{"action", what}, {"detail", std::strerror(errno)}}))
        .in("standard input");
}

void writeAll(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) fail("copy standard input to a temporary file");
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace

StandardInput::StandardInput(const fx::Progress& progress) {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder && *folder ? folder : "/tmp") + "/lancet-stdin-XXXXXX";
    m_descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (m_descriptor < 0) fail("make a temporary file for standard input");
    ::unlink(name.c_str());
    m_path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(m_descriptor); // a worker opens it too
    std::array<char, 1 << 16> buffer;
    for (pollfd waiting = {STDIN_FILENO, POLLIN, 0};;) {
        progress.check();
        if (::poll(&waiting, 1, 50) <= 0) continue;
        const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count == 0) return;
        if (count > 0) writeAll(m_descriptor, {buffer.data(), static_cast<std::size_t>(count)});
        if (count < 0 && errno != EINTR && errno != EAGAIN) fail("read standard input");
    }
}

StandardInput::~StandardInput() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

} // namespace app
