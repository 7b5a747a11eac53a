// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/state.h"

#include "core/base/joined_path.h"
#include "core/diag/sides.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/race.h"
#include "core/io/torchscript/torchscript.h"
#include "core/quant/observer_spec.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace fx::engine {
namespace {

/// A tensor that a forward may write to.
struct StateTensor {
    TensorPtr ref;  ///< null for one of a file that runs as a whole
    at::Tensor now; ///< undefined: nothing has used it
    bool isChanged = false;
};
using States = std::map<std::string, StateTensor>;

void addTensors(const std::string& path, const Module& module, const TensorStore& tensors, States& out) {
    const auto add = [&](const std::string& name, const TensorPtr& ref) {
        if (!ref) return;
        const at::Tensor* used = tensors.used(ref);
        out[joinedPath(path, name)] = {ref, used ? *used : at::Tensor(), used && tensors.isChanged(ref)};
    };
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const Module::Slot& slot : *slots) add(slot.name, slot.tensor);
    for (const auto& [name, value] : module.attributes)
        if (const TensorPtr* tensor = std::get_if<TensorPtr>(&value)) add(name, *tensor);
}

/// The tensors of a file that runs as a whole, by their paths in it. Both copies have the same modules in one order.
void addScript(const TensorStore::ScriptCopy& script, States& out) {
    const torch::jit::Module loaded(script.loaded.toObject()), running(script.running.toObject());
    std::map<std::string, at::Tensor> before;
    for (const auto& each : loaded.named_attributes())
        if (each.value.isTensor()) before.emplace(each.name, each.value.toTensor());
    for (const auto& each : running.named_attributes()) {
        const auto first = before.find(each.name);
        if (!each.value.isTensor() || first == before.end() || each.value.toTensor().is_same(first->second)) continue;
        const at::Tensor& now = each.value.toTensor();
        out[each.name] = {nullptr, now, !compareTensors(first->second, now, {}).equal};
    }
}

States statesOf(const VerifySide& side) {
    States out;
    forEachModule(*side.model->root, [&](const std::string& path, const Module& module) {
        if (quant::isObserver(module)) return;
        if (!script::isScriptFile(module)) return addTensors(path, module, *side.tensors, out);
        if (const auto* script = side.tensors->script(script::scriptFilePath(module))) addScript(*script, out);
    });
    return out;
}

at::Tensor valueOf(const StateTensor& state, TensorStore& tensors) {
    return state.now.defined() ? state.now : tensors.tensor(state.ref);
}

/// "the largest error is 0.5", or why they cannot be compared.
Message differenceIn(const ValueDifference& difference) {
    if (!difference.comparable()) return difference.reason;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.2g", difference.maxAbs);
    return Message("verify.largest_error", {{"error", text.data()}});
}

/// The user's inputs of a model, by the names of its placeholders.
std::vector<std::pair<std::string, const Value*>> namedInputs(const VerifySide& side) {
    std::vector<std::pair<std::string, const Value*>> out;
    std::size_t place = 0;
    for (const Node& node : side.model->graph.nodes()) {
        if (!isUserInput(*side.model, node)) continue;
        const Value* value = place < side.inputs.positional.size() ? &side.inputs.positional[place] : nullptr;
        ++place;
        for (const auto& [name, given] : side.inputs.named)
            if (!value && (name == node.target() || name == node.name())) value = &given;
        out.emplace_back(node.target(), value);
    }
    return out;
}

} // namespace

bool changesState(const VerifySide& side) {
    const States states = statesOf(side);
    return std::any_of(states.begin(), states.end(), [](const auto& each) { return each.second.isChanged; });
}

Message compareInputs(const VerifySide& a, const VerifySide& b, const Tolerances& tolerances) {
    const auto ofA = namedInputs(a), ofB = namedInputs(b);
    for (std::size_t i = 0; i < ofA.size(); ++i) {
        const auto& mine = ofA[i];
        const auto same =
            std::find_if(ofB.begin(), ofB.end(), [&](const auto& each) { return each.first == mine.first; });
        const Value* theirs = same != ofB.end() ? same->second : i < ofB.size() ? ofB[i].second : nullptr;
        if (!mine.second || !theirs) continue;
        const ValueDifference difference = compareValues(*mine.second, *theirs, tolerances);
        if (difference.close) continue;
        const Message why = differenceIn(difference);
        return containing(Message("verify.other_inputs", {{"input", mine.first}, {"difference", why.text()}}),
                          "difference", why);
    }
    return {};
}

StateFinding compareStates(const VerifySide& a, const VerifySide& b, const Tolerances& tolerances) {
    const States ofA = statesOf(a), ofB = statesOf(b);
    StateFinding out;
    std::vector<const StateTensor*> others; // that B changed and A does not have
    for (const auto& [path, state] : ofB)
        if (state.isChanged && !ofA.contains(path)) others.push_back(&state);
    for (const auto& [path, state] : ofA) {
        const auto same = ofB.find(path);
        if (!state.isChanged && (same == ofB.end() || !same->second.isChanged)) continue;
        const at::Tensor mine = valueOf(state, *a.tensors);
        if (same != ofB.end()) {
            const ValueDifference difference = compareTensors(mine, valueOf(same->second, *b.tensors), tolerances);
            if (difference.close || !out.differs.text().empty()) continue;
            const Message why = differenceIn(difference);
            out.differs = containing(Message("verify.other_state", {{"buffer", path}, {"difference", why.text()}}),
                                     "difference", why);
            continue;
        }
        const auto alike = std::find_if(others.begin(), others.end(), [&](const StateTensor* other) {
            return compareTensors(mine, other->now, tolerances).close;
        });
        if (alike == others.end()) out.onlyA.push_back(path);
        else others.erase(alike);
    }
    return out;
}

} // namespace fx::engine
