// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/frame.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <unistd.h>

namespace fx::remote {
namespace {

constexpr std::string_view kMagic = "LNCW";

void append(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t number(const std::byte* at, int bytes) {
    std::uint64_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(at[i]);
    return value;
}

/// Writing to a pipe that nobody reads is an error like others while this lives, and no signal that ends the process.
/// Only for this thread: how the program treats SIGPIPE elsewhere is not for a library to say.
class NoBrokenPipeSignal {
public:
    NoBrokenPipeSignal() {
        sigset_t pending;
        sigemptyset(&m_broken);
        sigaddset(&m_broken, SIGPIPE);
        m_isPending = ::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
        ::pthread_sigmask(SIG_BLOCK, &m_broken, &m_before);
    }
    ~NoBrokenPipeSignal() {
        const timespec atOnce{};
        while (!m_isPending && ::sigtimedwait(&m_broken, nullptr, &atOnce) < 0 && errno == EINTR) {}
        ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
    NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

private:
    sigset_t m_broken, m_before;
    bool m_isPending = false; ///< somebody else's
};

bool writeAll(int descriptor, const void* data, std::size_t size, const Progress& progress) {
    constexpr int kPause = 20; // ms between looks at the stop token
    const NoBrokenPipeSignal quiet;
    const auto* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t count = ::write(descriptor, at, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN && !progress.stopRequested()) {
            pollfd waiting = {descriptor, POLLOUT, 0};
            ::poll(&waiting, 1, kPause);
            continue;
        }
        if (count <= 0) return false;
        at += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

struct Header {
    FrameKind kind;
    std::uint32_t request;
    std::uint64_t json, blob;
};

Header parseHeader(const std::byte* at) {
    if (std::memcmp(at, kMagic.data(), kMagic.size()) != 0)
        throw Error(ErrorKind::Run, Message("remote.not_a_message"));
    if (number(at + 4, 2) != kProtocolVersion)
        throw Error(ErrorKind::Run,
                    Message("remote.protocol", {{"worker", number(at + 4, 2)}, {"own", kProtocolVersion}}));
    const Header header{static_cast<FrameKind>(number(at + 6, 2)), static_cast<std::uint32_t>(number(at + 8, 4)),
                        number(at + 16, 8), number(at + 24, 8)};
    if (header.json > kMaxJsonBytes || header.blob > kMaxBlobBytes)
        throw Error(ErrorKind::Run, Message("remote.message_too_large"));
    return header;
}

} // namespace

std::string frameHeader(FrameKind kind, std::uint32_t request, std::uint64_t jsonBytes, std::uint64_t blobBytes) {
    std::string out(kMagic);
    append(out, kProtocolVersion, 2);
    append(out, static_cast<std::uint64_t>(kind), 2);
    append(out, request, 4);
    append(out, 0, 4);
    append(out, jsonBytes, 8);
    append(out, blobBytes, 8);
    return out;
}

bool writeFrame(int descriptor, const Frame& frame, const Progress& progress) {
    const std::size_t blob = frame.blob ? frame.blob->size() : 0;
    const std::string head = frameHeader(frame.kind, frame.request, frame.json.size(), blob) + frame.json;
    return writeAll(descriptor, head.data(), head.size(), progress) &&
           (blob == 0 || writeAll(descriptor, frame.blob->data(), blob, progress));
}

/// Whether the buffer holds a whole frame; else m_needed says how many bytes it takes.
bool FrameReader::complete() {
    if (m_filled < kHeaderBytes) return false;
    const Header header = parseHeader(m_buffer.data());
    if (header.blob > m_mostBlob) throw Error(ErrorKind::Run, Message("remote.message_too_large"));
    m_needed = kHeaderBytes + static_cast<std::size_t>(header.json + header.blob);
    return m_filled >= m_needed;
}

FrameReader::State FrameReader::read(std::chrono::milliseconds wait) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    while (!complete()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd waiting = {m_descriptor, POLLIN, 0};
        const int ready =
            ::poll(&waiting, 1, wait.count() < 0 ? -1 : static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) return State::Waiting;
        // Memory grows with what has come, not with what a header promises.
        constexpr std::size_t kPiece = 4 << 20;
        m_buffer.resize(std::max(m_buffer.size(), std::min(m_needed, m_filled + kPiece)));
        const ssize_t count =
            ::read(m_descriptor, m_buffer.data() + m_filled, std::min(m_needed, m_buffer.size()) - m_filled);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return State::Closed;
        m_filled += static_cast<std::size_t>(count);
    }
    return State::Frame;
}

Frame FrameReader::take() {
    const Header header = parseHeader(m_buffer.data());
    Frame frame{header.kind, header.request, {}, {}, {}};
    frame.json.assign(reinterpret_cast<const char*>(m_buffer.data()) + kHeaderBytes,
                      static_cast<std::size_t>(header.json));
    if (header.blob > 0) {
        m_buffer.resize(m_filled);
        m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(kHeaderBytes + header.json));
        frame.blob = std::make_shared<const std::vector<std::byte>>(std::move(m_buffer));
    }
    m_buffer.clear();
    m_filled = 0;
    m_needed = kHeaderBytes;
    return frame;
}

} // namespace fx::remote
