// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/make/new_module.h"
#include "core/match/relaxation.h"
#include "core/match/rewriter.h"

namespace app {

/// A pattern or replacement from the command line: `FILE.py[:NAME]`, or any MODEL.
struct PatternFile {
    std::shared_ptr<const fx::GraphModule> graph; ///< the graph of the pattern
    bool isModule = false;                        ///< it has its own modules and tensors
    fx::NewModules newModules;                    ///< modules that it creates for each match
};
/// Opens a pattern for `model`, whose functions are known. `name` is the function to use if the file names none.
PatternFile openPattern(Session& session, const fx::GraphModule& model, const std::string& path,
                        const std::string& name, bool isFallback = false);

/// The flags that `match` and `replace` share.
struct MatchFlags {
    bool ignoreLiterals = false, commutative = false; ///< options of the matcher
    std::vector<std::string> relax, filters;          ///< relaxations and filters

    void declare(CLI::App& cli); ///< Adds the flags to a verb.
    /// Relaxes `options` for a pattern. Throws Error{Usage} for an invalid relaxation.
    void apply(fx::MatcherOptions& options, const fx::Graph& pattern) const;
    /// Returns the filters of --filter. Matches for which a filter cannot be decided are counted in `*unknown`.
    std::vector<fx::MatchFilter> matchFilters(const fx::GraphModule& pattern,
                                              const std::shared_ptr<std::size_t>& unknown) const;
};

/// Writes the value bound to a pattern node: the name of a graph node, `{"literal": ...}`, or `{"module": path}`.
void writeBinding(fx::JsonWriter& json, const fx::Graph& graph, const fx::Binding& binding);

} // namespace app
