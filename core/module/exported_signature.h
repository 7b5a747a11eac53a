// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// What an exported program is beside its graph and its weights: what its outputs are, which sizes it takes, and how its module takes
/// and returns values. All that running it, or making a module of it, needs of its file.
struct ExportedSignature : Origin {
    struct Output {
        std::string kind;   ///< as in a .pt2 file: "user_output", "buffer_mutation", ...
        std::string target; ///< module path or input (of `inputNames`) that is changed or whose gradient this is, or empty
    };
    /// The sizes that a symbol may stand for; none: unbounded.
    struct Range {
        std::string symbol;
        std::optional<std::int64_t> min, max;
    };
    std::vector<std::string> inputNames; ///< that `GraphModule::lifted` had at first, in its order; an edit may rename the nodes
    std::vector<Output> outputs;         ///< of the flat tuple that the graph returns
    std::vector<Range> ranges;
    std::vector<std::string> argumentNames; ///< of the positional arguments of the call
    /// JSON [version, pytree specification] of the call's (args, kwargs) and of what it returns; empty when the file does not tell.
    std::string inputSpecification, outputSpecification;

    /// That of a model which came from a .pt2 file, or from a description of such a model; null for others.
    static std::shared_ptr<const ExportedSignature> of(const GraphModule& model) { return std::dynamic_pointer_cast<const ExportedSignature>(model.origin); }
};

} // namespace fx
