// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/value_part.h"

#include "core/base/plain_number.h"
#include "core/base/size_expression.h"
#include "core/module/exported_signature.h"
#include "core/module/subgraphs.h"
#include "core/ops/catalogue.h"

#include <algorithm>

namespace fx {
namespace {

/// Samples for sizes that are sums and products, and for those that are rounded. Each symbol takes `kCycle` numbers in
/// a row, in a separate order, so that every remainder of a division by less occurs; and two that are far away, by
/// which similar divisors differ.
constexpr std::size_t kNear = 5, kFewSamples = 7, kCycle = 29, kAllSamples = kCycle + kFewSamples - kNear;
constexpr std::int64_t kFar = 991;
constexpr std::int64_t kSteps[] = {1, 12, 7, 17, 5, 23, 9, 26, 3, 20};

bool isTensorDtype(const ValueInfo& info) { return info.dtype.starts_with("torch."); }

/// A node whose value is one tensor or number, not a list of one.
bool givesOne(const Node& node) {
    if (!node.callable() || node.callable()->kind == Callable::Kind::HigherOrderOp)
        return node.op() != Op::CallFunction;
    if (node.callable()->kind != Callable::Kind::OpOverload) return true;
    const auto op = ops::findOperator(node.callable()->qualifiedName);
    return op && op->returns().size() == 1 && !op->returns()[0].type().ends_with("]");
}

/// The i-th value of a node in all samples; fewer if they differ in kind.
std::vector<const ValueInfo*> agreeing(const std::vector<ValuePart::Found>& found, NodeId id, std::size_t i) {
    std::vector<const ValueInfo*> out;
    for (const ValuePart::Found& one : found) {
        const auto same = one.find(id);
        if (same == one.end() || i >= same->second.size()) continue;
        const ValueInfo& info = same->second[i];
        const ValueInfo& first = out.empty() ? info : *out.front();
        if (info.dtype == first.dtype && info.isTensor == first.isTensor && info.sizes.size() == first.sizes.size() &&
            info.strides.size() == first.strides.size())
            out.push_back(&info);
    }
    return out;
}

} // namespace

ValuePart::ValuePart(const GraphModule& model, const std::vector<NodeId>& wanted) : m_model(model) {
    include(wanted);
    findSymbols();
    dropUnknown();
    for (const Node& node : model.graph.nodes())
        for (const ValueInfo& info : node.meta().values)
            m_gradients =
                m_gradients || (info.requiresGrad && node.op() != Op::Placeholder && node.op() != Op::GetAttr);
}

bool ValuePart::isInput(const Node& node) const {
    const auto& values = node.meta().values;
    if (node.op() == Op::GetAttr && hasSubgraph(m_model, node.target())) return false;
    return values.size() == 1 && givesOne(node) &&
           (values[0].isTensor ? isTensorDtype(values[0]) : values[0].sizes.size() == 1);
}

/// The wanted nodes, what they take, and what is needed to compute what is not known otherwise.
void ValuePart::include(const std::vector<NodeId>& wanted) {
    std::vector<NodeId> open;
    for (const NodeId id : wanted)
        if (m_model.graph.node(id).op() != Op::Output && m_nodes.emplace(id, false).second) open.push_back(id);
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        for (const NodeId input : m_model.graph.node(id).inputs()) {
            const bool known = isInput(m_model.graph.node(input));
            if (m_nodes.emplace(input, known).second && !known) open.push_back(input);
        }
    }
    for (const auto& [id, known] : m_nodes) m_order.push_back(id);
    m_order = m_model.graph.inOrder(std::move(m_order));
}

void ValuePart::findSymbols() {
    const auto signature = ExportedSignature::of(m_model);
    for (const NodeId id : m_order) {
        if (!m_nodes.at(id)) continue;
        const ValueInfo& info = m_model.graph.node(id).meta().values[0];
        for (const auto* texts : {&info.sizes, &info.strides})
            for (const std::string& text : *texts)
                if (const auto expression = plainNumber(text) ? std::nullopt : SizeExpression::parse(text))
                    expression->forEachSymbol([&](const std::string& symbol) { m_leastOfSymbols.emplace(symbol, 2); });
    }
    m_leastOfSymbols.erase("True"), m_leastOfSymbols.erase("False"); // values of type bool
    if (!signature) return;
    for (const ExportedSignature::Range& range : signature->ranges)
        if (const auto symbol = m_leastOfSymbols.find(range.symbol); symbol != m_leastOfSymbols.end())
            symbol->second = std::clamp<std::int64_t>(range.min.value_or(2), 2, 1 << 20);
}

std::vector<SymbolNumbers> ValuePart::samples(std::size_t count) const {
    std::vector<SymbolNumbers> out(m_leastOfSymbols.empty() ? 1 : count);
    for (std::size_t sample = 0; sample < out.size(); ++sample) {
        const bool isFar = sample >= kNear && sample < kFewSamples;
        const std::size_t near = sample < kNear ? sample : sample - (kFewSamples - kNear);
        std::size_t place = 0;
        for (const auto& [symbol, least] : m_leastOfSymbols) {
            const auto cycle = static_cast<std::int64_t>(kCycle), times = static_cast<std::int64_t>(sample - kNear + 1);
            const std::int64_t step = kSteps[place++ % std::size(kSteps)];
            const std::int64_t far = isFar ? kFar * times * static_cast<std::int64_t>(place) : 0;
            out[sample][symbol] = least + 4 + static_cast<std::int64_t>(near) * step % cycle + far;
        }
    }
    return out;
}

/// Drops nodes with an input that is unknown and cannot be computed, and those after them.
void ValuePart::dropUnknown() {
    const SymbolNumbers numbers = samples(1).front();
    std::erase_if(m_order, [&](NodeId id) {
        const Node& node = m_model.graph.node(id);
        const bool isKnown = m_nodes.at(id) ? withNumbers(node.meta().values[0], numbers).has_value()
                                            : node.op() != Op::Placeholder &&
                                                  std::all_of(node.inputs().begin(), node.inputs().end(),
                                                              [&](NodeId input) { return m_nodes.contains(input); });
        if (!isKnown) m_nodes.erase(id);
        return !isKnown;
    });
}

GraphModule ValuePart::asGraph(const SymbolNumbers& numbers, std::unordered_map<std::string, NodeId>& names) const {
    GraphModule part;
    const bool takesModules = std::any_of(m_order.begin(), m_order.end(), [&](NodeId id) {
        const Op op = m_model.graph.node(id).op();
        return !m_nodes.at(id) && (op == Op::CallModule || op == Op::GetAttr);
    });
    if (takesModules) part.root = m_model.root, part.subgraphs = m_model.subgraphs; // else no weights are sent
    std::unordered_map<NodeId, NodeId> made;
    for (const NodeId id : m_order) {
        const Node& node = m_model.graph.node(id);
        NodeId& copy = made[id];
        if (m_nodes.at(id)) {
            copy = part.graph.placeholder("known_" + std::to_string(index(id)));
            auto meta = std::make_shared<NodeMeta>();
            meta->values.push_back(*withNumbers(node.meta().values[0], numbers));
            part.graph.setMeta(copy, std::move(meta));
        } else {
            copy = part.graph.createCopy(
                node, [&](NodeId input) -> Argument { return made.at(input); }, node.name());
            names.emplace(part.graph.node(copy).name(), id);
        }
    }
    part.graph.output(Argument::tuple({}));
    return part;
}

ValuePart::Found ValuePart::run(TensorEngine& engine, const SymbolNumbers& numbers,
                                std::vector<ShapeFailure>& failures) const {
    std::unordered_map<std::string, NodeId> names;
    NodeShapes shapes = engine.partShapes(asGraph(numbers, names), m_gradients);
    Found out;
    for (auto& [name, infos] : shapes.nodes)
        if (const auto id = names.find(name); id != names.end()) out.emplace(id->second, std::move(infos));
    for (ShapeFailure& failure : shapes.failures) {
        const auto id = names.find(failure.node);
        if (id == names.end()) continue;
        failure.node = m_model.graph.node(id->second).name();
        failures.push_back(std::move(failure));
    }
    return out;
}

ValuePart::Found ValuePart::compute(TensorEngine& engine, std::vector<ShapeFailure>& failures) const {
    if (m_order.empty()) return {};
    std::vector<SymbolNumbers> taken = samples(kFewSamples);
    std::vector<Found> found;
    const auto more = [&] {
        for (std::size_t i = found.size(); i < taken.size(); ++i) {
            std::vector<ShapeFailure> again;
            found.push_back(run(engine, taken[i], i == 0 ? failures : again));
        }
    };
    more();
    Found out = m_leastOfSymbols.empty() ? found.front() : fitted(taken, found);
    if (out.size() < found.front().size()) {
        taken = samples(kAllSamples); // starts with the same
        more();
        out = fitted(taken, found);
    }
    setDevices(out);
    return out;
}

/// The values that all samples agree on, with symbols.
ValuePart::Found ValuePart::fitted(const std::vector<SymbolNumbers>& samples, const std::vector<Found>& found) const {
    SizeFit fit;
    for (const auto& [symbol, least] : m_leastOfSymbols) fit.add(symbol, numbersOf(symbol, samples));
    for (const NodeId id : m_order)
        if (m_nodes.at(id))
            for (const std::string& size : m_model.graph.node(id).meta().values[0].sizes)
                if (const auto values = numbersOf(size, samples); !values.empty()) fit.add(size, values);
    Found out;
    for (const auto& [id, first] : found.front()) {
        const auto& before = m_model.graph.node(id).meta().values;
        std::vector<ValueInfo> infos = first;
        bool isKnown = true;
        for (std::size_t i = 0; i < infos.size() && isKnown; ++i) {
            const auto each = agreeing(found, id, i);
            isKnown = each.size() == found.size() &&
                      fitInfo(infos[i], each, fit, i < before.size() ? before[i] : ValueInfo(), samples);
        }
        if (isKnown) out.emplace(id, std::move(infos));
    }
    return out;
}

/// Where an operator of PyTorch puts its result.
std::string ValuePart::deviceOf(const Node& node, const Found& found) const {
    for (const auto& [name, value] : node.kwargs())
        if (const auto* device = value.as<Device>())
            return device->index < 0 ? device->type : device->type + ":" + std::to_string(device->index);
    for (const NodeId input : node.inputs()) {
        const auto computed = found.find(input);
        const auto& values = computed == found.end() ? m_model.graph.node(input).meta().values : computed->second;
        for (const ValueInfo& info : values)
            if (info.isTensor && !info.device.empty()) return info.device;
    }
    const auto& before = node.meta().values;
    return before.empty() || before[0].device.empty() ? "cpu" : before[0].device;
}

void ValuePart::setDevices(Found& found) const {
    for (const NodeId id : m_order) {
        const auto computed = found.find(id);
        if (computed == found.end()) continue;
        const std::string device = deviceOf(m_model.graph.node(id), found);
        for (ValueInfo& info : computed->second)
            if (info.isTensor) info.device = device;
    }
}

} // namespace fx
