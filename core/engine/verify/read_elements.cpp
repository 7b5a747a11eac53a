// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/read_elements.h"

#include "core/base/one_of.h"
#include "core/engine/calls.h"
#include "core/engine/draw.h"
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/lockstep_run.h"
#include "core/module/call_semantics.h"
#include "core/ops/semantics.h"

#include <algorithm>
#include <set>

namespace fx::engine {
namespace {

constexpr std::size_t kMostIndices = 4096; ///< that inputs are given to read elements
constexpr std::int64_t kLongest = 8192;    ///< length of inputs

/// Calls of which the result has elements of the first argument, whatever their values are.
bool isSelection(const std::string& name) {
    return isOneOf(name,
                   {"getitem", "slice",          "narrow",     "select",    "index_select", "embedding", "gather",
                    "take",    "take_along_dim", "index",      "unsqueeze", "squeeze",      "view",      "reshape",
                    "flatten", "unflatten",      "permute",    "transpose", "swapaxes",     "movedim",   "t",
                    "expand",  "expand_as",      "contiguous", "clone",     "detach",       "alias",     "flip",
                    "roll",    "chunk",          "split",      "unbind",    "tensor_split"});
}

/// What asks for sizes reads no elements.
bool readsSizes(const Node& node) {
    if (node.op() == Op::CallMethod) return isOneOf(node.target(), {"size", "dim", "numel"});
    return node.target() == "builtins.getattr" || node.target() == "getattr" || node.target() == "builtins.len";
}

std::int64_t rowsOf(const TensorRef& tensor) { return tensor.sizes.empty() ? 1 : tensor.sizes[0]; }

/// By number: where two tensors differ. What only A has differs.
at::Tensor differing(const at::Tensor& a, const at::Tensor& b) {
    at::Tensor out = a.new_ones(a.sizes()).to(at::kBool);
    if (a.dim() != b.dim()) return out.flatten();
    at::Tensor here = a, there = b, both = out;
    for (std::int64_t dim = 0; dim < a.dim(); ++dim) {
        const std::int64_t common = std::min(a.size(dim), b.size(dim));
        here = here.narrow(dim, 0, common), there = there.narrow(dim, 0, common), both = both.narrow(dim, 0, common);
    }
    both.copy_(here.ne(there));
    return out.flatten();
}

} // namespace

ReadElements::ReadElements(const VerifySide& a, const VerifySide& b, const ChangedPart& part)
    : m_a(a), m_isWanted(a.model->graph.idLimit()), m_values(a.model->graph.idLimit()) {
    for (const Node& node : a.model->graph.nodes())
        if (const NodeId other = part.counterpart(node.id());
            other != kNoNode && part.isChangedA(node.id()) && part.isLive(node.id()))
            addTensor(node, b.model->graph.node(other), b);
}

void ReadElements::addTensor(const Node& a, const Node& b, const VerifySide& sideB) {
    const bool isModule = a.op() == Op::CallModule;
    const TensorPtr mine = isModule ? tableOf(a, *m_a.model) : tensorRead(a, *m_a.model),
                    theirs = isModule ? tableOf(b, *sideB.model) : tensorRead(b, *sideB.model);
    if (!mine || !theirs || mine == theirs || mine->dtype != theirs->dtype) return;
    Table table;
    table.root = a.id(), table.path = a.target(), table.isModule = isModule, table.rows = rowsOf(*mine);
    if (isModule ? a.args().empty() || !a.args()[0].isNode() : !follow(table)) return;
    const at::Tensor first = m_a.tensors->tensor(mine), second = sideB.tensors->tensor(theirs);
    if (first.is_quantized() || second.is_quantized() || first.numel() == 0) return;
    table.unread = differing(first, second);
    if (!table.unread.any().item<bool>()) return;
    if (isModule) {
        m_isWanted[index(a.args()[0].node())] = true;
    } else {
        const at::Tensor like = table.unread.view(first.sizes()).to(at::kLong);
        table.numbers = wholeNumbers(like, [](std::int64_t place) { return place; });
        std::set<NodeId> own(table.chain.begin(), table.chain.end());
        own.insert(table.root);
        for (const NodeId id : table.chain)
            for (const NodeId input : m_a.model->graph.node(id).inputs())
                if (!own.contains(input)) m_isWanted[index(input)] = true;
    }
    m_tables.push_back(std::move(table));
}

/// True if a node selects elements of its input, or works on each element separately.
bool ReadElements::selects(const Node& node, NodeId from) const {
    if (node.op() != Op::CallFunction && node.op() != Op::CallMethod) return false;
    const std::string name = canonicalName(node);
    if (ops::isPointwise(name)) return node.inputs().size() == 1 && !node.args().empty() && node.args()[0] == from;
    if (!isSelection(name)) return false;
    std::size_t uses = 0;
    const auto count = [&](const Argument& argument) { forEachNode(argument, [&](NodeId id) { uses += id == from; }); };
    for (const Argument& argument : node.args()) count(argument);
    for (const auto& [key, argument] : node.kwargs()) count(argument);
    const std::size_t place = name == "embedding" && !(node.args().size() > 0 && node.args()[0] == from) ? 1 : 0;
    const bool byPlace = node.args().size() > place && node.args()[place] == from;
    const bool byName = std::any_of(node.kwargs().begin(), node.kwargs().end(), [&](const auto& each) {
        return each.second == from && (each.first == "input" || each.first == "self" || each.first == "weight");
    });
    return uses == 1 && (byPlace || byName);
}

/// False when it is read as a whole.
bool ReadElements::follow(Table& table) const {
    const Graph& graph = m_a.model->graph;
    std::set<NodeId> own = {table.root}, ends;
    for (std::vector<NodeId> open{table.root}; !open.empty();) {
        const NodeId id = open.back();
        open.pop_back();
        for (const NodeId user : graph.node(id).users()) {
            const Node& node = graph.node(user);
            if (readsSizes(node) || own.contains(user)) continue;
            if (selects(node, id)) own.insert(user), open.push_back(user);
            else ends.insert(id);
        }
    }
    if (ends.contains(table.root)) return false;
    own.erase(table.root);
    table.chain.assign(own.begin(), own.end());
    std::sort(table.chain.begin(), table.chain.end(),
              [&](NodeId x, NodeId y) { return x != y && graph.isBefore(x, y); });
    table.ends.assign(ends.begin(), ends.end());
    return true;
}

void ReadElements::note(const Node& node, const Value& value) {
    if (m_isWanted[index(node.id())]) m_values[index(node.id())] = copyOf(value);
}

void ReadElements::endRun() {
    for (Table& table : m_tables) {
        try {
            read(table);
        } catch (const Error& error) { // it stays unread
            if (error.kind() != ErrorKind::Run) throw;
        }
    }
    std::fill(m_values.begin(), m_values.end(), Value());
}

/// What a selecting call gives for numbers in the place of elements.
Value ReadElements::runOn(const Node& node, const std::function<Value(NodeId)>& valueOf) const {
    Arguments arguments;
    for (const Argument& argument : node.args()) arguments.positional.push_back(toValue(argument, valueOf));
    for (const auto& [name, argument] : node.kwargs()) arguments.named.emplace_back(name, toValue(argument, valueOf));
    if (ops::isPointwise(canonicalName(node))) return arguments.positional.front();
    return node.op() == Op::CallMethod ? callMethod(node.target(), std::move(arguments))
                                       : callFunction(node.target(), std::move(arguments));
}

void ReadElements::read(Table& table) {
    const auto mark = [&](const at::Tensor& numbers) {
        if (numbers.numel() > 0) table.unread.index_fill_(0, numbers.flatten().to(at::kLong), 0);
    };
    if (table.isModule) {
        const Value& words = m_values[index(m_a.model->graph.node(table.root).args()[0].node())];
        if (!words.isTensor()) return;
        const at::Tensor rows = table.unread.view({table.rows, -1});
        if (words.tensor().numel() > 0) rows.index_fill_(0, words.tensor().flatten().to(at::kLong), 0);
        return;
    }
    std::map<NodeId, Value> made{{table.root, Value(table.numbers)}};
    const auto valueOf = [&](NodeId id) {
        const auto known = made.find(id);
        return known == made.end() ? m_values[index(id)] : known->second;
    };
    for (const NodeId id : table.chain) made[id] = runOn(m_a.model->graph.node(id), valueOf);
    for (const NodeId id : table.ends) {
        const Value& value = made[id];
        if (value.isTensor()) mark(value.tensor());
        else if (const Items* items = value.items())
            for (const Value& item : items->items)
                if (item.isTensor()) mark(item.tensor());
    }
}

std::vector<std::string> ReadElements::unread() const {
    std::vector<std::string> paths;
    for (const Table& table : m_tables)
        if (table.unread.any().item<bool>()) paths.push_back(table.path);
    return paths;
}

std::int64_t ReadElements::unreadCount() const {
    std::int64_t count = 0;
    for (const Table& table : m_tables) count += table.unread.sum().item<std::int64_t>();
    return count;
}

std::vector<std::int64_t> ReadElements::lengths() const {
    std::set<std::int64_t, std::greater<>> out;
    for (const Table& table : m_tables) {
        if (!table.unread.any().item<bool>()) continue;
        const auto sizes = table.isModule ? std::vector<std::int64_t>{table.rows} : table.numbers.sizes().vec();
        for (const std::int64_t size : sizes)
            for (const std::int64_t length : {size, size - 1, size / 2, size / 2 + 1})
                if (length > 1 && length <= kLongest) out.insert(length);
    }
    return {out.begin(), out.end()};
}

std::vector<std::int64_t> ReadElements::indices(By by) const {
    std::set<std::int64_t> out;
    for (const Table& table : m_tables) {
        const at::Tensor places = table.unread.nonzero().contiguous();
        const auto* data = static_cast<const std::int64_t*>(places.const_data_ptr());
        const std::int64_t width = by == By::Rows ? std::max<std::int64_t>(table.unread.numel() / table.rows, 1) : 1;
        for (std::int64_t i = 0; i < places.numel() && out.size() < kMostIndices; ++i) out.insert(data[i] / width);
    }
    return {out.begin(), out.end()};
}

} // namespace fx::engine
