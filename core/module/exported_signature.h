// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <algorithm>
#include <optional>

namespace fx {

/// What an exported program is beside its graph and its weights: what its outputs are, which sizes it takes, and how
/// its module takes and returns values. All that running it, or making a module of it, needs of its file.
struct ExportedSignature : Origin {
    struct Output {
        std::string kind; ///< as in a .pt2 file: "user_output", "buffer_mutation", ...
        std::string
            target; ///< module path or input (of `inputNames`) that is changed or whose gradient this is, or empty
    };
    /// The sizes that a symbol may stand for; none: unbounded.
    struct Range {
        std::string symbol;
        std::optional<std::int64_t> min, max;
    };
    std::vector<std::string>
        inputNames; ///< of `GraphModule::lifted` at first, in its order (see setInputs); an edit may rename the nodes
    std::vector<Output> outputs; ///< of the flat tuple that the graph returns
    std::vector<Range> ranges;
    std::vector<std::string> argumentNames; ///< of the positional arguments of the call
    /// JSON [version, pytree specification] of the call's (args, kwargs) and of what it returns; empty when the file
    /// does not tell.
    std::string inputSpecification, outputSpecification;

    /// That of a model which came from a .pt2 file, or from a description of such a model; null for others.
    static std::shared_ptr<const ExportedSignature> of(const GraphModule& model) {
        return std::dynamic_pointer_cast<const ExportedSignature>(model.origin);
    }

    /// The input of `model`, whose signature this is, that had the name at first; kNoNode when there is none.
    NodeId inputCalled(const GraphModule& model, const std::string& name) const {
        const auto found = std::find(inputNames.begin(), inputNames.end(), name);
        const auto place = static_cast<std::size_t>(found - inputNames.begin());
        return found == inputNames.end() || place >= model.lifted.size() ? kNoNode : model.lifted[place].node;
    }
};

/// Gives a model other inputs and its signature, when it has one, their names: `places[i]` is where the i-th was in
/// `lifted`; beyond its end for a new one. Of a file no more than the signature stays in `origin`.
inline void setInputs(GraphModule& model, std::vector<LiftedInput> inputs, const std::vector<std::size_t>& places) {
    model.lifted = std::move(inputs);
    const auto known = ExportedSignature::of(model);
    if (!known) return;
    auto signature = std::make_shared<ExportedSignature>(*known);
    signature->inputNames.clear();
    for (const std::size_t place : places)
        signature->inputNames.push_back(place < known->inputNames.size() ? known->inputNames[place] : std::string());
    model.origin = std::move(signature);
}

} // namespace fx
