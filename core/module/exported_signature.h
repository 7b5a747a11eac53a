// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <algorithm>
#include <optional>

namespace fx {

/// The interface of an exported program, besides its graph and weights: its outputs, its valid sizes, and how its
/// module takes and returns values. It contains everything needed from the file to run it or to convert it to a module.
struct ExportedSignature : Origin {
    struct Output {
        std::string kind; ///< as in a .pt2 file: "user_output", "buffer_mutation", ...
        std::string
            target; ///< module path or input (of `inputNames`) that is changed or whose gradient this is, or empty
    };
    /// The valid sizes of a symbol; nullopt if unbounded.
    struct Range {
        std::string symbol;
        std::optional<std::int64_t> min, max;
    };
    std::vector<std::string>
        inputNames; ///< of `GraphModule::lifted` at first, in its order (see setInputs); an edit may rename the nodes
    std::vector<Output> outputs; ///< of the flat tuple returned by the graph
    std::vector<Range> ranges;
    std::vector<std::string> argumentNames; ///< of the positional arguments of the call
    /// JSON [version, pytree specification] of the call's (args, kwargs) and of its result; empty if not in the file.
    std::string inputSpecification, outputSpecification;

    /// The signature of a model that came from a .pt2 file or a description of one, else null.
    static std::shared_ptr<const ExportedSignature> of(const GraphModule& model) {
        return std::dynamic_pointer_cast<const ExportedSignature>(model.origin);
    }

    /// The input of `model` (which has this signature) that originally had this name, or kNoNode.
    NodeId inputCalled(const GraphModule& model, const std::string& name) const {
        const auto found = std::find(inputNames.begin(), inputNames.end(), name);
        const auto place = static_cast<std::size_t>(found - inputNames.begin());
        return found == inputNames.end() || place >= model.lifted.size() ? kNoNode : model.lifted[place].node;
    }
};

/// Sets the inputs of a model and, if it has a signature, their names in it: `places[i]` is the former index of the
/// i-th input in `lifted`, or beyond its end for a new one. `origin` then keeps only the signature.
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
