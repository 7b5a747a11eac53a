// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/make/new_module.h"
#include "core/match/relaxation.h"
#include "core/match/rewriter.h"

namespace app {

/// A pattern or replacement from the command line: `FILE.py[:NAME]`, or any MODEL.
struct PatternFile {
    std::shared_ptr<const fx::GraphModule> graph;
    bool isModule = false;     ///< it came with modules and tensors of its own
    fx::NewModules newModules; ///< that it creates for each match
};
/// For `model`, whose functions are known. `name`: the function taken when the file names none.
PatternFile openPattern(Session& session, const fx::GraphModule& model, const std::string& path,
                        const std::string& name, bool isFallback = false);

/// The flags of `match` that `replace` takes too.
struct MatchFlags {
    bool ignoreLiterals = false, commutative = false;
    std::vector<std::string> relax, filters;

    void declare(CLI::App& cli);
    /// Loosens `options` for a pattern. Throws Error{Usage} for what is no relaxation.
    void apply(fx::MatcherOptions& options, const fx::Graph& pattern) const;
    /// What --filter asks for; matches of which that is not known are counted in `*unknown`.
    std::vector<fx::MatchFilter> matchFilters(const fx::GraphModule& pattern,
                                              const std::shared_ptr<std::size_t>& unknown) const;
};

/// Writes what a pattern node stands for: the name of a graph node, `{"literal": ...}`, or `{"module": path}`.
void writeBinding(fx::JsonWriter& json, const fx::Graph& graph, const fx::Binding& binding);

} // namespace app
