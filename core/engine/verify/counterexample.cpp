// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/counterexample.h"

#include "core/diag/sides.h"
#include "core/engine/value_conversion.h"
#include "core/engine/verify/lockstep_run.h"

namespace fx::engine {

Counterexample counterexampleFrom(const FurtherInputs& further, const Message& difference) {
    const Message all("verify.other_data", {{"inputs", further.what}, {"difference", difference.text()}});
    return {further.otherSizes ? VerdictReason::OtherSizes : VerdictReason::OtherData,
            containing(all, "difference", difference), further.inputs};
}

Counterexample counterexampleFrom(const FurtherInputs& further, const Refusal& refusal) {
    const MessageArgument inputs("inputs", further.what), reason("reason", refusal.why);
    if (further.isNamed)
        return {VerdictReason::OtherData, Message("verify.refused_integers", {inputs, reason}), further.inputs};
    return {VerdictReason::OtherSizes,
            refusal.node.empty() ? Message("verify.refused_inputs", {inputs, reason})
                                 : Message("verify.refused_sizes", {inputs, {"node", refusal.node}, reason}),
            further.inputs};
}

std::shared_ptr<const ValueTree> inputsByName(const VerifySide& side, const RunInputs& inputs) {
    const auto names = namedInputs(*side.model, inputs);
    auto all = std::make_shared<Mapping>();
    for (std::size_t i = 0; i < inputs.positional.size(); ++i) {
        if (i >= names.size() || names[i].first.starts_with('*')) return nullptr;
        all->items.emplace_back(names[i].first, inputs.positional[i]);
    }
    for (const auto& [name, value] : inputs.named)
        if (!value.isNone()) all->items.emplace_back(name, value);
    return std::make_shared<const ValueTree>(toTree(all));
}

} // namespace fx::engine
