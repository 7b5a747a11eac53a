// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/passes/manager/pass_manager.h"

#include <memory>

namespace app {

/// The options of `lancet pass`: which passes run, and in which order.
struct PassOptions {
    std::vector<std::string> words;       ///< NAME[=JSON]
    std::vector<std::string> files;       ///< FILE.py[:NAME], passes in Python text
    std::vector<std::string> checks;      ///< FILE.py[:NAME]
    std::string pipeline;                 ///< a file
    std::vector<std::string> constraints; ///< A:B
    std::size_t steps = 0;                ///< 0: not given
    std::size_t limit = 0;                ///< maximum number of rewrites; 0: no limit

    void declare(CLI::App& cli); ///< Adds the options to a verb.
    /// Returns a manager that runs passes by name and in files in the order of the command line. `documents` keeps
    /// alive the JSON to which it refers. Throws Error{Usage, File, Refused}.
    fx::PassManager manager(const fx::Readers& readers,
                            std::vector<std::shared_ptr<const fx::JsonDocument>>& documents) const;

private:
    const CLI::App* m_cli = nullptr; ///< has the order of the passes
};

/// Writes the progress of passes to standard error: `--trace passes` each pass with its time, `rewrites` also each
/// rewrite.
class PassPrinter : public fx::PassInstrument {
public:
    explicit PassPrinter(bool rewrites) : m_rewrites(rewrites) {} ///< `rewrites` also prints each rewrite.
    void afterPass(const fx::PassPlace& place, const fx::GraphModule& model, const fx::PassReport& report) override;
    bool beforeRewrite(const fx::RewritePlace& rewrite, const fx::GraphModule& model) override;

private:
    bool m_rewrites;
};

} // namespace app
