// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/operator_support.h"

#include <algorithm>

namespace fx {
namespace {

class FunctionSupport final : public OperatorSupportBase {
public:
    using Function = std::function<bool(const Module&, const Node&)>;
    FunctionSupport(Function function, Message about) : m_function(std::move(function)), m_about(std::move(about)) {}
    bool isNodeSupported(const Module& root, const Node& node) const override { return m_function(root, node); }
    Message refusal(const Module&, const Node&) const override { return m_about; }

private:
    Function m_function;
    Message m_about;
};

class CombinedSupport final : public OperatorSupportBase {
public:
    CombinedSupport(std::vector<OperatorSupportPtr> parts, bool all) : m_parts(std::move(parts)), m_all(all) {}
    bool isNodeSupported(const Module& root, const Node& node) const override {
        return (decisive(root, node) == nullptr) == m_all;
    }
    Message refusal(const Module& root, const Node& node) const override {
        const OperatorSupportBase* part = m_all             ? decisive(root, node)
                                          : m_parts.empty() ? nullptr
                                                            : m_parts.front().get();
        return part ? part->refusal(root, node) : Message("partition.nothing_supported");
    }

private:
    /// Of all: the first that refuses; of any: the first that supports.
    const OperatorSupportBase* decisive(const Module& root, const Node& node) const {
        for (const auto& part : m_parts)
            if (part->isNodeSupported(root, node) != m_all) return part.get();
        return nullptr;
    }
    std::vector<OperatorSupportPtr> m_parts;
    bool m_all;
};

} // namespace

Message OperatorSupportBase::refusal(const Module&, const Node&) const { return {}; }

OperatorSupportPtr createOpSupport(std::function<bool(const Module&, const Node&)> isNodeSupported, Message about) {
    return std::make_shared<const FunctionSupport>(std::move(isNodeSupported), std::move(about));
}
OperatorSupportPtr chain(std::vector<OperatorSupportPtr> all) {
    return std::make_shared<const CombinedSupport>(std::move(all), true);
}
OperatorSupportPtr anyChain(std::vector<OperatorSupportPtr> any) {
    return std::make_shared<const CombinedSupport>(std::move(any), false);
}

OperatorSupportPtr declineIfInputDtype(const Graph& graph, std::string dtype) {
    const Message about("partition.input_dtype", {{"dtype", dtype}});
    return createOpSupport(
        [&graph, dtype = std::move(dtype)](const Module&, const Node& node) {
            return std::none_of(node.inputs().begin(), node.inputs().end(),
                                [&](NodeId input) { return knownDtype(graph.node(input)) == dtype; });
        },
        about);
}

OperatorSupportPtr declineIfNodeInNames(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return createOpSupport(
        [names = std::move(names)](const Module&, const Node& node) {
            return !std::binary_search(names.begin(), names.end(), node.name());
        },
        Message("partition.declined"));
}

std::string nodeTarget(const Module& root, const Node& node) {
    if (node.op() != Op::CallModule) return node.target();
    const PathTarget target = resolvePath(root, node.target());
    return target.module ? target.module->qualifiedType() : std::string();
}

std::string_view knownDtype(const Node& node) {
    const auto& values = node.meta().values;
    return values.empty() ? std::string_view() : std::string_view(values.front().dtype);
}

bool OperatorSupport::isOneOf(const Argument& argument, const std::vector<std::string>& dtypes) const {
    if (dtypes.empty() || !argument.isNode()) return true;
    return std::find(dtypes.begin(), dtypes.end(), knownDtype(m_graph.node(argument.node()))) != dtypes.end();
}

bool OperatorSupport::isNodeSupported(const Module& root, const Node& node) const {
    if (!node.isCall()) return true;
    const auto entry = m_table.find(nodeTarget(root, node));
    if (entry == m_table.end()) return false;
    if (!entry->second) return true;
    const Dtypes& dtypes = *entry->second;
    for (std::size_t i = 0; i < std::min(dtypes.args.size(), node.args().size()); ++i)
        if (!isOneOf(node.args()[i], dtypes.args[i])) return false;
    return std::all_of(node.kwargs().begin(), node.kwargs().end(), [&](const auto& item) {
        const auto wanted = dtypes.kwargs.find(item.first);
        return wanted == dtypes.kwargs.end() || isOneOf(item.second, wanted->second);
    });
}

Message OperatorSupport::refusal(const Module& root, const Node& node) const {
    const std::string target = nodeTarget(root, node);
    return m_table.contains(target) ? Message("partition.dtypes", {{"target", target}})
                                    : Message("partition.not_in_table", {{"target", target}});
}

} // namespace fx
