// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/warnings.h"

#include "core/base/visible_text.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <set>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace app {
namespace {

class OnceHandler : public c10::WarningHandler {
public:
    void process(const c10::Warning& warning) override {
        if (m_quiet) return;
        // Meant for who writes the program: each quantised tensor would give one.
        if (std::holds_alternative<c10::DeprecationWarning>(warning.type()) || isOfQuantizers(warning)) return;
        if (m_told.size() >= kMost) m_told.clear();
        if (m_told.insert(warning.msg()).second)
            std::fprintf(stderr, "lancet: warning: PyTorch: %s\n", fx::visibleLine(warning.msg()).c_str());
    }

private:
    /// That quantised dtypes are deprecated is given as a warning for users.
    static bool isOfQuantizers(const c10::Warning& warning) {
        return std::string_view(warning.source_location().file).ends_with("Quantizer.cpp");
    }

    static constexpr std::size_t kMost = 1000; ///< texts may have sizes in them
    std::set<std::string> m_told;
    const bool m_quiet = std::getenv("LANCET_QUIET") != nullptr; ///< --quiet of the verb that started this worker
};

void print(const std::string& text) {
    const std::string shown = fx::visibleText(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
}

/// Prints what is written to a stream, line by line, with characters spelled that steer terminals.
class VisibleBuffer final : public std::streambuf {
public:
    explicit VisibleBuffer(std::ostream& stream) : m_stream(stream), m_before(stream.rdbuf(this)) {}
    ~VisibleBuffer() override { m_stream.rdbuf(m_before); }
    VisibleBuffer(const VisibleBuffer&) = delete;
    VisibleBuffer& operator=(const VisibleBuffer&) = delete;

protected:
    int_type overflow(int_type c) override {
        if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
        const std::lock_guard lock(m_mutex);
        m_line += traits_type::to_char_type(c);
        if (m_line.back() == '\n' || m_line.size() >= kMost) sync();
        return c;
    }
    int sync() override {
        const std::lock_guard lock(m_mutex);
        print(std::exchange(m_line, {}));
        return 0;
    }

private:
    static constexpr std::size_t kMost = 64 << 10;
    std::ostream& m_stream;
    std::streambuf* m_before;
    std::recursive_mutex m_mutex; ///< LibTorch has threads
    std::string m_line;
};

} // namespace

void tellWarningsOnce() {
    static OnceHandler handler;
    c10::WarningUtils::set_warning_handler(&handler);
    static VisibleBuffer output(std::cout), errors(std::cerr); // of `aten::_print`, and of LibTorch itself
    torch::jit::setPrintHandler(print);                        // `print` in a script
}

} // namespace app
