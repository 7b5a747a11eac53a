// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/warnings.h"

#include <c10/util/Exception.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
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
            std::fprintf(stderr, "lancet: warning: PyTorch: %s\n", warning.msg().c_str());
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

} // namespace

void tellWarningsOnce() {
    static OnceHandler handler;
    c10::WarningUtils::set_warning_handler(&handler);
}

} // namespace app
