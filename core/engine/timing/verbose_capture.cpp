// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/timing/verbose_capture.h"

#include "core/engine/dispatch.h"
#include "core/engine/machine.h"

#include <ATen/native/verbose_wrapper.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace fx::engine {

namespace {
constexpr char kMark = '\0'; ///< nothing that is printed has it
} // namespace

VerboseCapture::VerboseCapture() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw runError(Message("engine.no_capture", {{"detail", std::strerror(errno)}}));
    m_pipe = ends[0];
    std::fflush(stdout);
    m_output = ::dup(STDOUT_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[1]);
    m_reader = std::thread([this] { read(); });
    torch::verbose::_mkldnn_set_verbose(1);
    torch::verbose::_mkl_set_verbose(1);
}

VerboseCapture::~VerboseCapture() {
    torch::verbose::_mkldnn_set_verbose(0);
    torch::verbose::_mkl_set_verbose(0);
    std::fflush(stdout);
    ::dup2(m_output, STDOUT_FILENO); // the last writing end is gone
    ::close(m_output);
    m_reader.join();
    ::close(m_pipe);
}

void VerboseCapture::read() {
    std::array<char, 1 << 14> piece{};
    while (true) {
        const ssize_t got = ::read(m_pipe, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        const std::string_view text(piece.data(), static_cast<std::size_t>(got));
        const std::lock_guard lock(m_mutex);
        m_text += text;
        m_marks += static_cast<std::size_t>(std::count(text.begin(), text.end(), kMark));
        m_marked.notify_one();
    }
}

timing::VerboseLog VerboseCapture::take() {
    std::fflush(stdout);
    if (::write(STDOUT_FILENO, &kMark, 1) != 1) return {};
    std::unique_lock lock(m_mutex);
    m_marked.wait(lock, [this] { return m_marks > 0; });
    m_marks = 0;
    return timing::parseVerbose(std::exchange(m_text, {}));
}

const timing::VerboseLog& oneDnnDescription() {
    static const timing::VerboseLog description = [] {
        const c10::InferenceMode inference;
        VerboseCapture capture;
        // The first primitive that is made in verbose mode prints what the library is: a tensor brought into oneDNN's
        // own format.
        callOperator("aten::to_mkldnn", {{randomInput({2, 2}, at::kFloat, 0)}, {}});
        return capture.take();
    }();
    return description;
}

} // namespace fx::engine
