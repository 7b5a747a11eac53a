// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/computations.h"

#include "core/base/joined_path.h"
#include "core/make/initial_weights.h"
#include "core/module/call_semantics.h"
#include "core/ops/catalogue.h"
#include "core/textpasses/program_part.h"
#include "core/trace/callables.h"
#include "core/trace/constants/sure_calls.h"

#include <algorithm>

namespace fx {

using trace::CannotFollow;
using trace::ConstantCall;
using trace::TensorValue;

namespace {

/// "values" and "indices" of what PyTorch returns as a named tuple of so many.
std::vector<std::string> fieldsOf(std::string_view operation, std::size_t count) {
    for (const ops::Operator& each : ops::overloads("aten::" + std::string(operation))) {
        const ops::ArgumentRange results = each.returns();
        if (results.size() != count || count < 2 || results[0].name().empty()) continue;
        std::vector<std::string> fields;
        for (const ops::Argument& result : results) fields.emplace_back(result.name());
        return fields;
    }
    return {};
}

/// It answers with a number or truth, as torch.equal does.
bool givesNoTensor(std::string_view operation) {
    const auto all = ops::overloads("aten::" + std::string(operation));
    return !all.empty() && std::none_of(all.begin(), all.end(), [](const ops::Operator& each) {
        const ops::ArgumentRange results = each.returns();
        return results.size() == 0 || results[0].type().find("Tensor") != std::string_view::npos;
    });
}

/// Of a question about sizes and types.
bool isAnswer(const trace::Value& value) {
    const auto* items = value.as<trace::ValueSequence>();
    return value.as<Argument>() || (items && std::all_of(items->items.begin(), items->items.end(), isAnswer));
}

template<class Visit> void forEachTensor(const Module& root, const Visit& visit) {
    forEachModule(root, [&](const std::string&, const Module& module) {
        forEachOwnTensor(module, [&](const std::string&, const TensorPtr& tensor) { visit(tensor); });
    });
}

} // namespace

/// The results and leaves of a program are its own: nobody else has seen them, so they are changed in place.
bool Computations::update(const TensorPtr& tensor) {
    const auto known = m_results.find(tensor->storage.get());
    if (known == m_results.end() || !known->second.value) return false;
    giveBytes(const_cast<TensorRef&>(*tensor), *known->second.value);
    if (const auto block = memory->known(*known->second.value)) memory->join(tensor, block);
    return true;
}

NodeId Computations::nodeOf(const TensorPtr& tensor) {
    update(tensor);
    if (const auto known = m_results.find(tensor->storage.get()); known != m_results.end()) return known->second.node;
    const auto block = m_leafOf.contains(tensor.get()) ? nullptr : memory->shared(*tensor);
    if (!block) return leafOf(tensor);
    // A view of the memory that it shares with others, which the program then writes to.
    static const CallablePtr asStrided = resolveCallable("torch.as_strided");
    const auto numbers = [](const std::vector<std::int64_t>& all) {
        return Argument::list(std::vector<Argument>(all.begin(), all.end()));
    };
    const NodeId whole = leafOf(block->whole, block);
    return m_program.graph.callFunction(asStrided,
                                        {whole, numbers(tensor->sizes), numbers(tensor->strides), tensor->offset}, {});
}

NodeId Computations::leafOf(const TensorPtr& tensor, SharedMemory::BlockPtr block) {
    const auto [place, isNew] = m_leafOf.emplace(tensor.get(), m_leaves.size());
    if (!isNew) return m_leaves[place->second].node;
    if (!m_program.root) m_program.root = std::make_shared<Module>();
    const std::string name = "t" + std::to_string(m_leaves.size());
    auto plain = std::make_shared<TensorRef>(*tensor);
    plain->isParameter = plain->requiresGrad = false;
    plain->origin = {};
    if (const TensorPtr value = constantOf(*tensor)) giveBytes(*plain, *value);
    m_program.root->buffers.push_back({name, std::move(plain)});
    const NodeId node = m_program.graph.createNode(Op::GetAttr, name);
    m_leaves.push_back({tensor, node, std::move(block)});
    return node;
}

/// The value of a constant of the model that is an expression; null for other tensors.
TensorPtr Computations::constantOf(const TensorRef& tensor) {
    if (!m_model || !tensor.storage || !tensor.storage->isExpression()) return nullptr;
    std::string path;
    forEachModule(*m_model, [&](const std::string& owner, const Module& module) {
        forEachOwnTensor(module, [&](const std::string& name, const TensorPtr& each) {
            if (each->storage == tensor.storage) path = joinedPath(owner, name);
        });
    });
    if (path.empty()) return nullptr;
    GraphModule reading;
    reading.root = m_model;
    reading.graph.output(Argument::tuple({reading.graph.createNode(Op::GetAttr, path)}));
    const std::vector<ValueTree> values = m_engine.values(reading);
    if (values.size() != 1) throw Error(ErrorKind::Run, Message("passes.value_count"));
    return values[0].tensor;
}

Argument Computations::argumentOf(const trace::Value& value) {
    if (const auto* argument = value.as<Argument>()) return *argument;
    if (const auto* tensor = value.as<TensorValue>()) return {nodeOf(tensor->tensor)};
    if (const auto* sequence = value.as<trace::ValueSequence>())
        return sequence->list ? Argument::list(argumentsOf(sequence->items))
                              : Argument::tuple(argumentsOf(sequence->items));
    if (const auto* slice = value.as<trace::ValueSlice>())
        return Argument::slice(argumentOf(slice->start), argumentOf(slice->stop), argumentOf(slice->step));
    if (const auto* dict = value.as<trace::ValueDict>()) {
        std::vector<std::pair<Argument, Argument>> items;
        for (const auto& [key, each] : dict->items) items.emplace_back(argumentOf(key), argumentOf(each));
        return Argument::dict(std::move(items));
    }
    throw CannotFollow(Message("passes.text_unknown_values", {{"value", trace::textOf(value)}}));
}

std::vector<Argument> Computations::argumentsOf(const trace::Values& values) {
    std::vector<Argument> out;
    for (const trace::Value& each : values) out.push_back(argumentOf(each));
    return out;
}

Kwargs Computations::kwargsOf(const trace::KeywordValues& kwargs) {
    Kwargs out;
    for (const auto& [key, each] : kwargs) out.emplace_back(key, argumentOf(each));
    return out;
}

NodeId Computations::record(const ConstantCall& call) {
    std::vector<Argument> args = argumentsOf(call.operands);
    Kwargs kwargs = kwargsOf(call.kwargs);
    Graph& graph = m_program.graph;
    switch (call.kind) {
    case ConstantCall::Kind::Function:
        return graph.callFunction(call.function->callable, std::move(args), std::move(kwargs));
    case ConstantCall::Kind::Operator:
        return graph.callFunction(resolveCallable("operator." + std::string(call.spelled)), std::move(args), {});
    case ConstantCall::Kind::Attribute:
        args.emplace_back(std::string(call.spelled));
        return graph.callFunction(resolveCallable("builtins.getattr"), std::move(args), {});
    case ConstantCall::Kind::Method: break;
    }
    return graph.createNode(Op::CallMethod, std::string(call.name), std::move(args), std::move(kwargs));
}

/// Whether what is recorded next is inside a `try`. What was recorded before the outermost one is run first: its
/// failure does not belong to the `try` and ends the pass. With `peeks`, `tried` looks at that if something fails.
bool Computations::isTried() {
    const bool tries = isTrying && isTrying();
    if (!tries) m_isChecked = false;
    else if (!std::exchange(m_isChecked, true) && !m_peeks) runPending();
    return tries;
}

/// Records a call and runs it, to see whether it fails; then the program is as before.
NodeId Computations::tried(const ConstantCall& call) {
    const Graph before = m_program.graph;
    const std::size_t leaves = m_leaves.size();
    const NodeId node = record(call);
    try {
        (void)peek(node);
    } catch (const Error& error) {
        const std::vector<NodeId> inputs = m_program.graph.node(node).inputs();
        undo(before, leaves);
        for (const NodeId input : inputs) // an error of what they come from is not of this call
            if (m_peeks && index(input) < before.idLimit()) (void)peek(input);
        raise(error);
    }
    return node;
}

/// Forgets what was recorded since the program was `before`.
void Computations::undo(const Graph& before, std::size_t leaves) {
    for (; m_leaves.size() > leaves; m_leaves.pop_back()) {
        m_leafOf.erase(m_leaves.back().tensor.get());
        m_program.root->buffers.pop_back();
    }
    m_program.graph = before;
}

/// Throws what is being handled, as an exception of the program if PyTorch raises it.
void Computations::raise(const Error& error) {
    const Message& message = error.message();
    const std::string type = message.argument("exception"), detail = message.argument("detail");
    if (type.empty()) throw;
    if (!message.is("engine.raised")) throw trace::PythonError(message, type, detail.empty() ? message.text() : detail);
    const std::string said = message.argument("text"); // "TypeError: ..."
    throw trace::PythonError(message, type, said.substr(std::min(type.size() + 2, said.size())));
}

/// Copies that another program has handed out do not change with what they were made from.
void Computations::noteWrite(const ConstantCall& call) {
    const auto* target = call.operands.empty() ? nullptr : call.operands[0].as<TensorValue>();
    if (target) update(target->tensor);
    if (target && m_shared.contains(target->tensor->storage))
        throw CannotFollow(Message("trace.writes_view_at_load", {{"function", call.name}}));
    m_writes = true;
}

/// Whether a call of this program gave it the memory of another tensor, with its gradients.
bool Computations::isView(const TensorRef& tensor) const {
    const auto known = m_results.find(tensor.storage.get());
    if (known == m_results.end() || known->second.value || !m_program.root) return false;
    const NodeId node = known->second.node;
    const std::string_view target = m_program.graph.node(node).target();
    if (target == "detach" || target.ends_with(".detach")) return false;
    return CallSemantics(*m_program.root).memoryOf(m_program.graph)[index(node)] != node;
}

/// A tensor of known sizes, whose bytes are computed later.
trace::Value Computations::promised(const TensorValue& guess, NodeId node) {
    auto tensor = std::make_shared<TensorRef>(*guess.tensor);
    tensor->storage = Storage::expression(std::string(python::kComputedLater), guess.tensor->storage->byteCount());
    m_results[tensor->storage.get()] = {tensor->storage, node, nullptr};
    return {TensorValue{tensor, true}};
}

/// Nothing when a size is not known.
std::optional<trace::Value> Computations::promised(const trace::Value& guess, NodeId node, std::string_view operation) {
    if (const auto* tensor = guess.as<TensorValue>())
        return tensor->shapeKnown ? std::optional(promised(*tensor, node)) : std::nullopt;
    const auto* parts = guess.as<trace::ValueSequence>();
    const auto isKnown = [](const trace::Value& each) {
        const auto* tensor = each.as<TensorValue>();
        return tensor && tensor->shapeKnown;
    };
    if (!parts || !std::all_of(parts->items.begin(), parts->items.end(), isKnown)) return std::nullopt;
    static const CallablePtr getItem = resolveCallable("operator.getitem");
    trace::Values items;
    for (const trace::Value& each : parts->items) {
        const NodeId part = m_program.graph.callFunction(getItem, {node, static_cast<std::int64_t>(items.size())});
        if (m_views.contains(node)) m_views.insert(part);
        items.push_back(promised(*each.as<TensorValue>(), part));
    }
    std::vector<std::string> fields = fieldsOf(operation, items.size());
    return trace::box(trace::ValueSequence{parts->list, std::move(items), std::move(fields)});
}

trace::Value Computations::computed(const ConstantCall& call, const std::function<trace::Value()>& guess) {
    const trace::ConstantEffect effect = trace::effectOf(call);
    const bool assigns = call.name == "setitem";
    const auto* first = call.operands.empty() ? nullptr : call.operands[0].as<TensorValue>();
    if (call.name == "detach_" && first && !first->data && isView(*first->tensor))
        throw trace::PythonError("RuntimeError: Can't detach views in-place. Use detach() instead.");
    if (const auto changed = trace::changedFlag(call)) return *changed;
    if (effect.draws && random) return drawn(call, effect.writesFirst, guess);
    if (effect.writesFirst || assigns) {
        noteWrite(call);
        if (effect.changesSizes) checkGeometry(call, *first);
        if (isTried()) tried(call);
        else record(call);
        if (effect.changesSizes) takeGeometry(first->tensor);
        return assigns ? trace::none() : call.operands[0];
    }
    if (effect.writesElsewhere) m_writes = true;
    std::optional<trace::Value> known;
    try {
        known = guess();
    } catch (const CannotFollow&) {} // then it is run to see
    if (known && isAnswer(*known)) return *known;
    const auto* same = known ? known->as<TensorValue>() : nullptr;
    if (same && first && first->tensor == same->tensor) return *known;
    const bool tries = !(known && trace::surelySucceeds(call, *known)) && isTried();
    const NodeId node = tries ? tried(call) : record(call);
    if (!effect.givesFresh) {
        m_views.insert(node);
        for (const NodeId input : m_program.graph.node(node).inputs()) m_views.insert(input);
    }
    if (known && !givesNoTensor(call.name))
        if (const auto later = promised(*known, node, call.name)) {
            if (tries && !m_peeks && !m_writes && m_views.empty()) run(); // what a loop tries is run once
            return *later;
        }
    const bool keepsViews = !m_peeks && !m_views.empty() && effect.givesFresh && !givesNoTensor(call.name);
    if (!keepsViews) return taken(m_peeks ? peek(node) : run(node));
    const ValueTree value = peek(node); // the program goes on: after its end, its views would be copies
    m_program.graph.erase(node);
    return taken(value);
}

trace::Value Computations::callModule(const std::shared_ptr<Module>& module, const trace::Values& args,
                                      const trace::KeywordValues& kwargs) {
    if (m_peeks) {
        const auto check = [](const TensorPtr& tensor) {
            if (isShapeOnly(*tensor)) throw python::ValuesNeeded();
        };
        forEachTensor(*module, check);
        for (const Leaf& leaf : m_leaves) check(leaf.tensor);
    }
    const bool tries = isTried();
    run();
    updateTree(*module);
    std::vector<Argument> operands = argumentsOf(args);
    Kwargs named = kwargsOf(kwargs);
    if (!m_program.root) m_program.root = std::make_shared<Module>();
    const std::string name = "m" + std::to_string(m_program.root->children.size());
    m_program.root->children.push_back({name, module});
    const NodeId node = m_program.graph.createNode(Op::CallModule, name, std::move(operands), std::move(named));
    try {
        return taken(run(node));
    } catch (const Error& error) {
        if (!tries) throw;
        forget();
        raise(error);
    }
}

/// A value that was computed, as one of the program.
trace::Value Computations::taken(const ValueTree& value) {
    if (value.kind == ValueTree::Kind::Plain) return trace::fromArgument(value.plain);
    if (value.kind == ValueTree::Kind::Tensor) {
        const TensorPtr own = std::make_shared<TensorRef>(*value.tensor);
        if (const auto block = memory->known(*value.tensor)) memory->join(own, block);
        return {TensorValue{own, true}};
    }
    trace::Values items;
    for (const ValueTree& each : value.items) items.push_back(taken(each));
    if (value.kind == ValueTree::Kind::Dict) {
        trace::ValueDict out;
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) out.items.emplace_back(items[i], items[i + 1]);
        return trace::box(std::move(out));
    }
    return trace::box(trace::ValueSequence{value.kind == ValueTree::Kind::List, std::move(items), value.fields});
}

/// What is written to is a copy.
NodeId Computations::copyLeaf(Graph& graph, NodeId leaf) {
    graph.setInsertPoint({InsertPoint::Side::After, leaf});
    const NodeId copy = graph.createNode(Op::CallMethod, "clone", {leaf});
    graph.replaceAllUses(leaf, copy, [&](NodeId user) { return user == copy; });
    graph.setInsertPoint({});
    return copy;
}

/// Runs what was recorded, without an end to the program where that has views or writes.
void Computations::runPending() {
    if (!m_writes && m_views.empty()) {
        run();
        return;
    }
    std::vector<NodeId> wanted;
    for (const auto& [storage, result] : m_results)
        if (!result.value) wanted.push_back(result.node);
    if (wanted.empty())
        for (const Leaf& leaf : m_leaves) wanted.push_back(leaf.node);
    if (!wanted.empty()) (void)valuesOf(m_program, std::move(wanted));
}

std::vector<ValueTree> Computations::valuesOf(GraphModule part, std::vector<NodeId> wanted) {
    if (m_writes)
        for (const Leaf& leaf : m_leaves)
            if (!part.graph.node(leaf.node).erased())
                std::replace(wanted.begin(), wanted.end(), leaf.node, copyLeaf(part.graph, leaf.node));
    part.graph.output(Argument::tuple(std::vector<Argument>(wanted.begin(), wanted.end())));
    std::vector<ValueTree> values = m_engine.values(part);
    if (values.size() != wanted.size()) throw Error(ErrorKind::Run, Message("passes.value_count"));
    return values;
}

ValueTree Computations::run(NodeId last, const Needed* needed) {
    Graph& graph = m_program.graph;
    if (m_writes)
        for (Leaf& leaf : m_leaves) {
            const NodeId copy = copyLeaf(graph, leaf.node);
            if (m_views.contains(leaf.node)) m_views.insert(copy);
            leaf.node = copy;
        }
    std::vector<Argument> wanted;
    if (last != kNoNode) wanted.emplace_back(last);
    std::vector<Result*> results;
    for (auto& [storage, result] : m_results)
        if (!result.value && (!needed || needed->contains(storage)))
            results.push_back(&result), wanted.emplace_back(result.node);
    std::vector<Leaf*> leaves;
    for (Leaf& leaf : m_leaves)
        if (isAsked(leaf)) leaves.push_back(&leaf), wanted.emplace_back(leaf.node);
    if (wanted.empty()) return forget(), ValueTree();
    const std::size_t count = wanted.size();
    graph.output(Argument::tuple(std::move(wanted)));
    const std::vector<ValueTree> values = m_engine.values(m_program);
    if (values.size() != count) throw Error(ErrorKind::Run, Message("passes.value_count"));
    std::unordered_map<std::shared_ptr<const Storage>, Held> memories;
    std::size_t at = last == kNoNode ? 0 : 1;
    if (last != kNoNode)
        forEachTensor(values[0], [&](const TensorPtr& tensor) { memories[tensor->storage].values.push_back(tensor); });
    for (Result* result : results) {
        result->value = values[at++].tensor;
        if (!result->value)
            throw CannotFollow(Message("passes.text_unknown_values", {{"value", graph.node(result->node).name()}}));
        if (result->isHeld()) memories[result->value->storage].values.push_back(result->value);
    }
    for (Leaf* leaf : leaves) {
        const TensorPtr& now = values[at++].tensor;
        if (!now) continue;
        if (m_writes) takeLeaf(*leaf, *now);
        const bool isHeld = leaf->block || !leaf->aliases.empty() || leaf->tensor.use_count() > 1;
        Held& held = memories[now->storage];
        if (isHeld && held.leaf) held.values.push_back(leaf->tensor), held.hasSeveralLeaves = true;
        else if (isHeld) held.leaf = leaf, held.now = now;
    }
    for (const auto& [storage, held] : memories)
        if (storage && !needed && held.values.size() + (held.leaf ? 1 : 0) > 1) tie(held);
    forget();
    return last == kNoNode ? ValueTree() : values[0];
}

void Computations::forget() {
    std::erase_if(m_results, [](const auto& each) { return !each.second.value; });
    m_program = {};
    m_leaves.clear();
    m_leafOf.clear();
    m_views.clear();
    m_writes = false;
    m_isChecked = true;
}

void Computations::settle(const TensorPtr& tensor) {
    if (m_peeks) return;
    update(tensor);
    const bool isPromised = m_results.contains(tensor->storage.get());
    if (isPromised || (m_writes && isLeaf(tensor))) run();
    update(tensor);
}

TensorPtr Computations::valueOf(const TensorPtr& tensor) {
    settle(tensor);
    if (!m_peeks) return tensor;
    if (const auto known = m_results.find(tensor->storage.get()); known != m_results.end())
        return peek(known->second.node).tensor;
    if (m_writes && isLeaf(tensor)) return peek(nodeOf(tensor)).tensor;
    if (isShapeOnly(*tensor)) throw python::ValuesNeeded();
    return tensor;
}

bool Computations::liesInRows(const TensorPtr& tensor) {
    if (m_peeks || update(tensor) || !m_results.contains(tensor->storage.get())) return tensor->isContiguous();
    const ValueTree value = peek(nodeOf(tensor));
    return value.tensor && value.tensor->isContiguous();
}

ValueTree Computations::peek(NodeId node) {
    const auto sources = sourcesOf(m_program, node);
    for (const Leaf& leaf : m_leaves) // of which nothing is known before they are drawn
        if (m_peeks && isShapeOnly(*leaf.tensor) && sources.contains(leaf.node)) throw python::ValuesNeeded();
    std::vector<ValueTree> values = valuesOf(partOf(m_program, sources), {node});
    return std::move(values[0]);
}

void Computations::finish(const Module& root, const std::vector<TensorPtr>& held) {
    Needed needed;
    forEachTensor(root, [&](const TensorPtr& tensor) { needed.insert(tensor->storage.get()); });
    for (const TensorPtr& tensor : held) needed.insert(tensor->storage.get());
    run(kNoNode, &needed);
    updateTree(root);
    for (const TensorPtr& tensor : held) update(tensor);
}

void Computations::continueFrom(const TensorMachine& earlier) {
    memory = earlier.memory;
    const auto* same = dynamic_cast<const Computations*>(&earlier);
    if (!same) return;
    for (const auto& [storage, result] : same->m_results)
        if (result.value) m_results.emplace(storage, result); // others are nodes of the earlier program
}

void Computations::updateTree(const Module& root) {
    forEachTensor(root, [&](const TensorPtr& tensor) { update(tensor); });
}

} // namespace fx
