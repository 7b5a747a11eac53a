// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/standard_input.h"

#include "core/files/leftovers.h"
#include "core/files/temporary_folder.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>

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
    // It keeps its name: a worker in its sandbox opens nothing through this process.
    m_path = fx::temporaryPlace() + "/lancet-" + fx::processMark() + "-XXXXXX";
    m_descriptor = ::mkostemp(m_path.data(), O_CLOEXEC);
    if (m_descriptor < 0) fail("make a temporary file for standard input");
    try {
        copy(progress);
    } catch (...) {
        remove();
        throw;
    }
}

void StandardInput::copy(const fx::Progress& progress) const {
    std::array<char, 1 << 16> buffer;
    std::error_code unknown; // then the disk alone is the bound
    const std::uintmax_t free = std::filesystem::space(fx::temporaryPlace(), unknown).available;
    std::uintmax_t room = unknown ? UINTMAX_MAX : free / 2;
    for (pollfd waiting = {STDIN_FILENO, POLLIN, 0};;) {
        progress.check();
        if (::poll(&waiting, 1, 50) <= 0) continue;
        const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count == 0) return;
        if (count > 0 && static_cast<std::uintmax_t>(count) > room)
            throw fx::Error(fx::ErrorKind::File, fx::Message("cli.stdin_too_large", {{"bytes", free / 2}}))
                .in("standard input");
        if (count > 0) room -= static_cast<std::uintmax_t>(count);
        if (count > 0) writeAll(m_descriptor, {buffer.data(), static_cast<std::size_t>(count)});
        if (count < 0 && errno != EINTR && errno != EAGAIN) fail("read standard input");
    }
}

StandardInput::~StandardInput() { remove(); }

void StandardInput::remove() {
    if (m_descriptor < 0) return;
    ::unlink(m_path.c_str());
    ::close(std::exchange(m_descriptor, -1));
}

} // namespace app
