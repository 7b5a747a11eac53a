// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/traceable_lists.h"

#include "core/ir/graph.h"
#include "core/model_files/fixed_values.h"
#include "core/model_files/unlift.h"
#include "core/ops/catalogue.h"
#include "core/ops/python_functions.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <optional>

namespace fx {
namespace {

class TraceableLists {
public:
    explicit TraceableLists(GraphModule& model) : m_graph(model.graph), m_fixed(model) {}

    void run() {
        for (const NodeId id : m_graph.order()) {
            if (isHidden(m_graph.node(id))) show(id);
            m_fixed.add(m_graph.node(id));
        }
    }

private:
    bool isTraced(const Argument& value) const { return value.isNode() && !m_fixed.contains(value.node()); }

    static const Sequence* sequenceOf(const Argument& value) {
        return value.asList() ? value.asList() : value.asTuple();
    }

    /// Whether an operator finds none of the proxies that it is called with: itself, or first in a list.
    bool isHidden(const Node& node) const {
        const bool isOperator = node.op() == Op::CallFunction && node.callable()->kind == Callable::Kind::OpOverload;
        if (!isOperator ||
            std::all_of(node.inputs().begin(), node.inputs().end(), [&](NodeId id) { return m_fixed.contains(id); }))
            return false;
        const auto shows = [&](const Argument& value) {
            const Sequence* list = sequenceOf(value);
            return isTraced(value) || (list && !list->items.empty() && isTraced(list->items.front()));
        };
        return std::none_of(node.args().begin(), node.args().end(), shows) &&
               std::none_of(node.kwargs().begin(), node.kwargs().end(),
                            [&](const auto& named) { return shows(named.second); });
    }

    void show(NodeId id) {
        const auto known = ops::findOperator(m_graph.node(id).target());
        const std::string name = known ? "torch." + std::string(known->baseName()) : std::string();
        const auto function = known && known->nameSpace() == "aten" ? ops::findFunction(name) : std::nullopt;
        if (function && function->factory() != ops::PythonFunction::Factory::None)
            return m_graph.setCallable(id, resolveCallable(name));
        std::vector<Argument> args = m_graph.node(id).args();
        for (Argument& arg : args)
            if (auto shown = withTracedFirst(id, arg)) {
                arg = std::move(*shown);
                return m_graph.setArgs(id, std::move(args));
            }
    }

    /// `[4, n]` as `[n * 0 + 4, n]`; nullopt for other values.
    std::optional<Argument> withTracedFirst(NodeId user, const Argument& value) {
        const Sequence* list = value.asList();
        const auto size = list ? std::find_if(list->items.begin(), list->items.end(),
                                              [&](const Argument& item) { return isTraced(item); })
                               : std::vector<Argument>::const_iterator();
        if (!list || size == list->items.end() || !list->items.front().as<std::int64_t>()) return std::nullopt;
        std::vector<Argument> items = list->items;
        const InsertPoint before = m_graph.insertPoint();
        m_graph.setInsertPoint({InsertPoint::Side::Before, user});
        const NodeId zero = m_graph.callFunction(resolveCallable("_operator.mul"), {*size, Argument(0)});
        items.front() = m_graph.callFunction(resolveCallable("_operator.add"), {zero, items.front()});
        m_graph.setInsertPoint(before);
        return Argument::list(std::move(items));
    }

    Graph& m_graph;
    FixedValues m_fixed;
};

} // namespace

GraphModule unliftedForTracing(const GraphModule& model) {
    if (!isLifted(model)) return model;
    GraphModule out = unlifted(model);
    TraceableLists(out).run();
    return out;
}

} // namespace fx
