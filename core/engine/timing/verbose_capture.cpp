// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/timing/verbose_capture.h"

#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/engine/machine.h"

#include <ATen/native/verbose_wrapper.h>
#include <c10/core/InferenceMode.h>

#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

namespace fx::engine {

VerboseCapture::VerboseCapture() {
    m_file = ::memfd_create("verbose", MFD_CLOEXEC);
    if (m_file < 0) throw runError(Message("engine.no_memory_file", {{"detail", std::strerror(errno)}}));
    std::fflush(stdout);
    m_output = ::dup(STDOUT_FILENO);
    ::dup2(m_file, STDOUT_FILENO);
    torch::verbose::_mkldnn_set_verbose(1);
    torch::verbose::_mkl_set_verbose(1);
}

VerboseCapture::~VerboseCapture() {
    torch::verbose::_mkldnn_set_verbose(0);
    torch::verbose::_mkl_set_verbose(0);
    std::fflush(stdout);
    ::dup2(m_output, STDOUT_FILENO);
    ::close(m_output);
    ::close(m_file);
}

timing::VerboseLog VerboseCapture::take() {
    std::fflush(stdout);
    const auto size = static_cast<std::size_t>(::lseek(m_file, 0, SEEK_END));
    std::string text(size - m_read, '\0');
    const ssize_t got = ::pread(m_file, text.data(), text.size(), static_cast<off_t>(m_read));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    m_read += text.size();
    return timing::parseVerbose(text);
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
