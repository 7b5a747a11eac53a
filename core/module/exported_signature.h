// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <algorithm>
#include <optional>

namespace fx {

/// The interface of an exported program besides graph and weights: its outputs, its valid sizes, and how its module
/// takes and returns values. It contains everything needed from the file to run the program or to convert it to a
/// module.
struct ExportedSignature : Origin {
    /// An output of the graph and its meaning.
    struct Output {
        std::string kind; ///< as in a .pt2 file: "user_output", "buffer_mutation", ...
        /// The module path or input (of `inputNames`) that is changed, or whose gradient this is; may be empty.
        std::string target;
    };
    /// The valid sizes of a symbol; nullopt if unbounded.
    struct Range {
        std::string symbol;                   ///< "s77"
        std::optional<std::int64_t> min, max; ///< inclusive
    };
    /// The original names of the inputs, in the order of `GraphModule::lifted` (see `setInputs`). Edits may rename the
    /// nodes.
    std::vector<std::string> inputNames;
    std::vector<Output> outputs;            ///< outputs in the flat tuple that the graph returns
    std::vector<Range> ranges;              ///< valid sizes of the symbols of the graph
    std::vector<std::string> argumentNames; ///< names of the positional arguments of the call
    /// The pytree specifications of the (args, kwargs) of the call and of its result, as JSON; empty if not in the
    /// file.
    std::string inputSpecification, outputSpecification;

    /// Returns the signature of a model from a .pt2 file or a description of one, else null.
    static std::shared_ptr<const ExportedSignature> of(const GraphModule& model) {
        return std::dynamic_pointer_cast<const ExportedSignature>(model.origin);
    }

    /// Returns the input of `model` that had this name originally, or kNoNode. The model must have this signature.
    NodeId inputCalled(const GraphModule& model, const std::string& name) const {
        const auto found = std::find(inputNames.begin(), inputNames.end(), name);
        const auto place = static_cast<std::size_t>(found - inputNames.begin());
        return found == inputNames.end() || place >= model.lifted.size() ? kNoNode : model.lifted[place].node;
    }
};

/// Sets the inputs of a model and, if it has a signature, their names there. `places[i]` is the former index of the
/// i-th input in `lifted`; an index beyond its end marks a new input. Afterwards `origin` keeps only the signature.
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
