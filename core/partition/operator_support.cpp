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

class ChainedSupport final : public OperatorSupportBase {
public:
    explicit ChainedSupport(std::vector<OperatorSupportPtr> parts) : m_parts(std::move(parts)) {}
    bool isNodeSupported(const Module& root, const Node& node) const override { return !refusing(root, node); }
    Message refusal(const Module& root, const Node& node) const override {
        const OperatorSupportBase* part = refusing(root, node);
        return part ? part->refusal(root, node) : Message();
    }

private:
    /// The first that refuses the node, or null.
    const OperatorSupportBase* refusing(const Module& root, const Node& node) const {
        for (const auto& part : m_parts)
            if (!part->isNodeSupported(root, node)) return part.get();
        return nullptr;
    }
    std::vector<OperatorSupportPtr> m_parts;
};

} // namespace

Message OperatorSupportBase::refusal(const Module&, const Node&) const { return {}; }

OperatorSupportPtr createOpSupport(std::function<bool(const Module&, const Node&)> isNodeSupported, Message about) {
    return std::make_shared<const FunctionSupport>(std::move(isNodeSupported), std::move(about));
}
OperatorSupportPtr chain(std::vector<OperatorSupportPtr> all) {
    return std::make_shared<const ChainedSupport>(std::move(all));
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
