// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/passes/manager/pass_manager.h"

#include <memory>

namespace app {

/// Which passes `lancet pass` runs, and in which order.
struct PassOptions {
    std::vector<std::string> words;       ///< NAME[=JSON]
    std::vector<std::string> files;       ///< FILE.py[:NAME], passes in Python text
    std::vector<std::string> checks;      ///< FILE.py[:NAME]
    std::string pipeline;                 ///< a file
    std::vector<std::string> constraints; ///< A:B
    std::size_t steps = 0;                ///< 0: not given
    std::size_t limit = 0;                ///< of rewrites; 0: all

    void declare(CLI::App& cli);
    /// Passes by name and in files run in the order of the command line. The manager for them; `documents` keeps the
    /// JSON alive that it refers to. Throws Error{Usage, File, Refused}.
    fx::PassManager manager(std::vector<std::shared_ptr<const fx::JsonDocument>>& documents) const;

private:
    const CLI::App* m_cli = nullptr; ///< knows the order of the passes
};

/// Writes what passes do to standard error, as they do it: `--trace passes` each pass with its time, `rewrites` each
/// rewrite too.
class PassPrinter : public fx::PassInstrument {
public:
    explicit PassPrinter(bool rewrites) : m_rewrites(rewrites) {}
    void afterPass(const fx::PassPlace& place, const fx::GraphModule& model, const fx::PassReport& report) override;
    bool beforeRewrite(const fx::RewritePlace& rewrite, const fx::GraphModule& model) override;

private:
    bool m_rewrites;
};

} // namespace app
