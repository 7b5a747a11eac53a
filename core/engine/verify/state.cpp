// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/state.h"

#include "core/base/joined_path.h"
#include "core/diag/sides.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/lockstep_run.h"
#include "core/make/observer_spec.h"
#include "core/module/call_semantics.h"
#include "core/torchscript/torchscript.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <map>
#include <set>

namespace fx::engine {
namespace {

/// A tensor that a forward may write to.
struct StateTensor {
    TensorPtr ref;  ///< null for one of a file that runs as a whole
    at::Tensor now; ///< undefined: nothing has used it
    bool isChanged = false;
    bool isTensor = true; ///< false: a number, text, list or dict of a file, or None; only later outputs tell it
};
using States = std::map<std::string, StateTensor>;

void addTensors(const std::string& path, const Module& module, const TensorStore& tensors, States& out) {
    forEachOwnTensor(module, [&](const std::string& name, const TensorPtr& ref) {
        const at::Tensor* used = tensors.used(ref);
        out[joinedPath(path, name)] = {ref, used ? *used : at::Tensor(), used && tensors.isChanged(ref)};
    });
}

constexpr int kMostDepth = 20; ///< of lists in lists

bool isUnchanged(const c10::IValue& a, const c10::IValue& b, int depth = 0) {
    const auto areSame = [&](const auto& left, const auto& right) {
        return left.size() == right.size() &&
               std::equal(left.begin(), left.end(), right.begin(),
                          [&](const c10::IValue& x, const c10::IValue& y) { return isUnchanged(x, y, depth + 1); });
    };
    if (depth > kMostDepth || (a.isObject() && b.isObject())) return true;
    if (a.isTensor() && b.isTensor())
        return a.toTensor().is_same(b.toTensor()) || compareTensors(a.toTensor(), b.toTensor(), {}).equal;
    if (a.isList() && b.isList()) return areSame(a.toListRef(), b.toListRef());
    if (a.isTuple() && b.isTuple()) return areSame(a.toTupleRef().elements(), b.toTupleRef().elements());
    if (a.isGenericDict() && b.isGenericDict()) {
        const auto left = a.toGenericDict(), right = b.toGenericDict();
        return left.size() == right.size() &&
               std::equal(left.begin(), left.end(), right.begin(), [&](const auto& x, const auto& y) {
                   return isUnchanged(x.key(), y.key(), depth + 1) && isUnchanged(x.value(), y.value(), depth + 1);
               });
    }
    if ((a.isScalar() && b.isScalar()) || (a.isString() && b.isString())) return a == b;
    return a.tagKind() == b.tagKind();
}

/// The tensors of a file that runs as a whole, by their paths in it, and what else it keeps. Both copies have the same
/// modules in one order.
void addScript(const TensorStore::ScriptCopy& script, States& out) {
    const torch::jit::Module loaded(script.loaded.toObject()), running(script.running.toObject());
    std::map<std::string, c10::IValue> before;
    for (const auto& each : loaded.named_attributes()) before.emplace(each.name, each.value);
    for (const auto& each : running.named_attributes()) {
        const auto first = before.find(each.name);
        if (first == before.end() || each.value.isObject()) continue;
        if (!each.value.isTensor() || !first->second.isTensor()) {
            out[each.name] = {nullptr, {}, !isUnchanged(first->second, each.value), false};
            continue;
        }
        const at::Tensor& now = each.value.toTensor();
        if (!now.is_same(first->second.toTensor()))
            out[each.name] = {nullptr, now, !compareTensors(first->second.toTensor(), now, {}).equal};
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

/// Those that one of the models has in a state, without parameters.
std::vector<SharedTensor> sharedTensors(const VerifySide& a, const VerifySide& b,
                                        const std::function<bool(const StateTensor&)>& isIn) {
    const States ofB = statesOf(b);
    std::vector<SharedTensor> out;
    for (const auto& [path, state] : statesOf(a)) {
        const auto same = ofB.find(path);
        if (same == ofB.end() || !state.ref || !same->second.ref || state.ref->isParameter) continue;
        if (isIn(state) || isIn(same->second)) out.push_back({path, state.ref, same->second.ref});
    }
    return out;
}

/// Visits the calls of a model that write into its tensors, in order.
void forEachWriter(const GraphModule& model,
                   const std::function<void(const Node& node, const TensorPtr& tensor)>& visit) {
    CallSemantics(*model.root).forEachWrite(model.graph, [&](const Node& writer, NodeId owner) {
        if (const TensorPtr tensor = tensorRead(model.graph.node(owner), model)) visit(writer, tensor);
    });
}

/// The tensors that they write into.
std::set<TensorPtr> writtenIn(const GraphModule& model) {
    std::set<TensorPtr> out;
    forEachWriter(model, [&](const Node&, const TensorPtr& tensor) { out.insert(tensor); });
    return out;
}

/// "the largest error is 0.5", or why they cannot be compared.
Message differenceIn(const ValueDifference& difference) {
    return difference.comparable() ? largestError(difference.maxAbs) : difference.reason;
}

} // namespace

bool changesState(const VerifySide& side) {
    const States states = statesOf(side);
    return std::any_of(states.begin(), states.end(), [](const auto& each) { return each.second.isChanged; });
}

std::vector<SharedTensor> changedTensors(const VerifySide& a, const VerifySide& b) {
    return sharedTensors(a, b, [](const StateTensor& state) { return state.isChanged; });
}

std::vector<SharedTensor> writtenTensors(const VerifySide& a, const VerifySide& b) {
    const std::set<TensorPtr> inA = writtenIn(*a.model), inB = writtenIn(*b.model);
    return sharedTensors(a, b, [&](const StateTensor& state) {
        return state.isChanged || inA.contains(state.ref) || inB.contains(state.ref);
    });
}

OverwrittenState::Writers OverwrittenState::overwrittenIn(const GraphModule& model) {
    Writers out;
    std::map<TensorPtr, NodeId> last;
    forEachWriter(model, [&](const Node& node, const TensorPtr& tensor) {
        if (const auto before = last.find(tensor); before != last.end())
            if (const auto writer = out.find(before->second); writer != out.end()) writer->second = true;
        if (node.users().empty()) out.emplace(node.id(), false);
        last[tensor] = node.id();
    });
    for (NodeId id = out.empty() ? kNoNode : model.graph.last(); id != kNoNode; id = model.graph.prev(id)) {
        const auto& users = model.graph.node(id).users();
        const bool isForBuffers =
            std::all_of(users.begin(), users.end(), [&](NodeId user) { return out.contains(user); });
        if (!model.graph.node(id).isCall() || users.empty() || !isForBuffers) continue;
        out[id] = std::all_of(users.begin(), users.end(), [&](NodeId user) { return out.at(user); });
    }
    return out;
}

bool OverwrittenState::contains(const std::pair<NodeId, NodeId>& nodes) const {
    const auto a = m_a.find(nodes.first), b = m_b.find(nodes.second);
    return a != m_a.end() && b != m_b.end() && (a->second || b->second);
}

StateFinding compareInputs(const VerifySide& a, const VerifySide& b, const Tolerances& tolerances) {
    StateFinding out;
    const auto ofA = namedInputs(*a.model, a.inputs), ofB = namedInputs(*b.model, b.inputs);
    for (std::size_t i = 0; i < ofA.size(); ++i) {
        const auto& mine = ofA[i];
        const auto same =
            std::find_if(ofB.begin(), ofB.end(), [&](const auto& each) { return each.first == mine.first; });
        const Value* theirs = same != ofB.end() ? same->second : i < ofB.size() ? ofB[i].second : nullptr;
        if (!mine.second || !theirs) continue;
        const ValueDifference difference = compareValues(*mine.second, *theirs, tolerances);
        out.isEqual = out.isEqual && difference.equal;
        if (difference.close || !out.differs.text().empty()) continue;
        const Message why = differenceIn(difference);
        out.differs = containing(Message("verify.other_inputs", {{"input", mine.first}, {"difference", why.text()}}),
                                 "difference", why);
    }
    return out;
}

StateFinding compareStates(const VerifySide& a, const VerifySide& b, const Tolerances& tolerances) {
    const States ofA = statesOf(a), ofB = statesOf(b);
    StateFinding out;
    std::vector<const StateTensor*> others; // that B changed and A does not have
    for (const auto& [path, state] : ofB)
        if (state.isTensor && state.isChanged && !ofA.contains(path)) others.push_back(&state);
    for (const auto& [path, state] : ofA) {
        const auto same = ofB.find(path);
        if (!state.isTensor || (same != ofB.end() && !same->second.isTensor)) continue;
        if (!state.isChanged && (same == ofB.end() || !same->second.isChanged)) continue;
        const at::Tensor mine = valueOf(state, *a.tensors);
        if (same != ofB.end()) {
            const ValueDifference difference = compareTensors(mine, valueOf(same->second, *b.tensors), tolerances);
            out.isEqual = out.isEqual && difference.equal;
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
