// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/cost.h"

#include "core/base/plain_number.h"
#include "core/module/call_semantics.h"

#include "core/shapes/einsum.h"
#include "core/shapes/operation_kinds.h"

#include <algorithm>
#include <limits>

namespace fx {

using Sizes = std::vector<std::int64_t>;
using Kind = NodeCost::Kind;

namespace {

double product(std::span<const std::int64_t> sizes) {
    double out = 1;
    for (const std::int64_t size : sizes) out *= static_cast<double>(size);
    return out;
}

double bytesOf(const std::vector<ValueInfo>& infos) {
    double out = 0;
    for (const ValueInfo& info : infos) {
        const auto sizes = plainNumbers(info.sizes);
        const auto type = dtypeFromName(info.dtype);
        if (sizes && type) out += product(*sizes) * static_cast<double>(elementSize(*type));
    }
    return out;
}

double bytesOf(const Module& module) {
    double out = 0;
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const Module::Slot& slot : *slots)
            if (slot.tensor) out += static_cast<double>(slot.tensor->byteCount());
    for (const Module::Child& child : module.children) // of torch.nn's attention: one level
        if (child.module)
            for (const Module::Slot& slot : child.module->parameters)
                if (slot.tensor) out += static_cast<double>(slot.tensor->byteCount());
    return out;
}

/// Whether it copies some rows of a table, whatever the size of the table.
bool isLookup(std::string_view name) {
    constexpr std::string_view kNames[] = {"Embedding",    "embedding", "gather",        "index",
                                           "index_select", "take",      "take_along_dim"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

const Sizes* parameterSizes(const Module& module, std::string_view name) {
    const TensorPtr tensor = module.tensor(name);
    return tensor ? &tensor->sizes : nullptr; // the module keeps it
}

} // namespace

/// One node with the shapes of what it is given.
struct CostCall {
    const CostModel& costs;
    const Node& node;
    std::string name; ///< "conv2d"
    Sizes out;        ///< of its first tensor

    std::optional<Sizes> sizes(const Argument* value) const {
        if (!value || !value->isNode()) return std::nullopt;
        const auto* infos = costs.infos(value->node());
        return infos && !infos->empty() ? plainNumbers(infos->front().sizes) : std::nullopt;
    }
    std::optional<Sizes> sizes(std::size_t place, std::string_view key) const {
        return sizes(node.argument(place, key));
    }
    double inputElements() const {
        double most = 0;
        for (const NodeId id : node.inputs())
            if (const auto* infos = costs.infos(id); infos && !infos->empty())
                if (const auto known = plainNumbers(infos->front().sizes)) most = std::max(most, product(*known));
        return most;
    }

    /// Every output element is a sum over the channels and the window; transposed: every input element is spread.
    double convolution(const Sizes& weight, bool transposed) const {
        if (weight.size() < 3) return 0;
        const std::span<const std::int64_t> all(weight);
        if (!transposed) return 2 * product(out) * product(all.subspan(1));
        const auto input = sizes(0, "input");
        return input ? 2 * product(*input) * product(all.subspan(1)) : 0;
    }
    double linear(const Sizes& weight) const {
        return weight.empty() ? 0 : 2 * product(out) * static_cast<double>(weight.back());
    }
    /// The dimension that is summed over is the last of the left factor.
    double matrixProduct(std::size_t left) const {
        const auto a = sizes(left, left == 0 ? "input" : name == "baddbmm" || name == "addbmm" ? "batch1" : "mat1");
        if (!a || a->empty()) return 0;
        return 2 * product(out) * static_cast<double>(a->back()) *
               (name == "addbmm" ? static_cast<double>(a->front()) : 1);
    }
    double attention() const {
        const auto q = sizes(0, "query"), k = sizes(1, "key"), v = sizes(2, "value");
        if (!q || !k || !v || q->size() < 2 || k->size() < 2 || v->empty()) return 0;
        const double scores = product(*q) / static_cast<double>(std::max<std::int64_t>(1, q->back())) *
                              static_cast<double>((*k)[k->size() - 2]);
        return 2 * scores * static_cast<double>(q->back() + v->back());
    }
    double einsum() const {
        const Argument* equation = node.argument(0, "equation");
        const std::string* text = equation ? equation->as<std::string>() : nullptr;
        std::vector<Sizes> operands;
        for (const NodeId id : node.inputs())
            if (const auto* infos = costs.infos(id); infos && !infos->empty())
                if (auto known = plainNumbers(infos->front().sizes)) operands.push_back(std::move(*known));
        return text ? einsumFlops(*text, operands) : 0;
    }

    /// Flops in products of matrices, and the kind; Unknown for other operations.
    std::pair<Kind, double> matrixFlops() const {
        const bool transposed =
            name.starts_with("conv_transpose") ||
            (name == "convolution" && node.argument(6, "transposed") && node.argument(6, "transposed")->as<bool>() &&
             *node.argument(6, "transposed")->as<bool>());
        if (name.starts_with("conv1d") || name.starts_with("conv2d") || name.starts_with("conv3d") ||
            name.starts_with("conv_transpose") || name == "convolution" || name == "_convolution")
            return {Kind::Convolution, convolution(sizes(1, "weight").value_or(Sizes()), transposed)};
        if (name == "linear") return {Kind::Matrix, linear(sizes(1, "weight").value_or(Sizes()))};
        if (name == "matmul" || name == "mm" || name == "bmm" || name == "mv" || name == "dot")
            return {Kind::Matrix, matrixProduct(0)};
        if (name == "addmm" || name == "baddbmm" || name == "addbmm" || name == "addmv")
            return {Kind::Matrix, matrixProduct(1)};
        if (name == "einsum") return {Kind::Matrix, einsum()};
        if (name.find("scaled_dot_product") != name.npos) return {Kind::Attention, attention()};
        return {Kind::Unknown, 0};
    }
    /// The same of a module's call.
    std::pair<Kind, double> matrixFlops(const Module& module) const {
        const Sizes* weight = parameterSizes(module, "weight");
        const std::string& type = module.className;
        if (weight && type.starts_with("Conv"))
            return {Kind::Convolution, convolution(*weight, type.starts_with("ConvTranspose"))};
        if (weight && (type == "Linear" || type == "NonDynamicallyQuantizableLinear"))
            return {Kind::Matrix, linear(*weight)};
        if (type == "Bilinear" && weight)
            return {Kind::Matrix, 2 * product(out) * static_cast<double>((*weight)[1] * ((*weight)[2] + 1))};
        if (type == "MultiheadAttention") return {Kind::Attention, multiHead(module)};
        if (type == "LSTM" || type == "GRU" || type == "RNN") return {Kind::Recurrent, recurrent(module)};
        return {Kind::Unknown, 0};
    }
    /// Projections, scores and the weighted sum.
    double multiHead(const Module& module) const {
        const auto q = sizes(0, "query"), k = sizes(1, "key"), v = sizes(2, "value");
        if (!q || !k || !v || q->size() < 2) return 0;
        const double width = static_cast<double>(q->back()), targets = product(*q) / width,
                     sources = product(*k) / static_cast<double>(k->back());
        const double projections =
            4 * targets * width * width + 2 * sources * width * static_cast<double>(k->back() + v->back());
        return projections + 4 * targets * (sources / batchOf(module, *q)) * width;
    }
    static double batchOf(const Module& module, const Sizes& q) {
        const Argument* flag = module.setting("batch_first");
        const bool first = flag && flag->as<bool>() && *flag->as<bool>();
        return q.size() == 3 ? static_cast<double>(first ? q[0] : q[1]) : 1;
    }
    /// Each weight matrix once for every step of every sequence.
    double recurrent(const Module& module) const {
        const auto input = sizes(0, "input");
        if (!input || input->empty()) return 0;
        const double steps = product(*input) / static_cast<double>(input->back());
        double flops = 0;
        for (const Module::Slot& slot : module.parameters)
            if (slot.tensor && slot.tensor->sizes.size() == 2) flops += 2 * steps * product(slot.tensor->sizes);
        return flops;
    }
};

CostModel::CostModel(const GraphModule& model, const NodeShapes& shapes)
    : m_paths(*model.root), m_infos(model.graph.idLimit()) {
    std::unordered_map<std::string_view, const std::vector<ValueInfo>*> byName;
    for (const auto& [name, infos] : shapes.nodes) byName.emplace(name, &infos);
    for (const Node& node : model.graph.nodes())
        if (const auto found = byName.find(node.name()); found != byName.end())
            m_infos[index(node.id())] = found->second;
}

const std::vector<ValueInfo>* CostModel::infos(NodeId id) const { return m_infos[index(id)]; }

NodeCost CostModel::of(const Node& node) {
    NodeCost out;
    const std::vector<ValueInfo>* result = infos(node.id());
    const bool computes = node.isCall();
    if (!computes) out.kind = Kind::Free;
    if (!computes || !result) return out;
    if (result->empty()) return out.kind = Kind::Free, out;
    CostCall call{*this, node, {}, plainNumbers(result->front().sizes).value_or(Sizes())};
    const Module* module = node.op() == Op::CallModule ? m_paths.resolve(node.target()).module : nullptr;
    if (module && module->graphModule) return out; // what is inside has shapes of its own
    call.name = module ? module->className : canonicalName(node);
    std::tie(out.kind, out.matrixFlops) = module ? call.matrixFlops(*module) : call.matrixFlops();
    out.flops = out.matrixFlops;
    if (out.kind == Kind::Unknown) {
        const OperationKind operation = module ? moduleKind(module->qualifiedType()) : operationKind(call.name);
        out.kind = operation.kind;
        out.flops = operation.perElement * (operation.ofInput ? call.inputElements() : product(call.out));
    }
    if (out.kind == Kind::Free) return out;
    out.bytesWritten = bytesOf(*result);
    const double most = isLookup(call.name) ? out.bytesWritten : std::numeric_limits<double>::infinity();
    for (const NodeId id : node.inputs())
        if (const auto* given = infos(id)) out.bytesRead += std::min(bytesOf(*given), most);
    if (module) out.bytesRead += std::min(bytesOf(*module), most);
    return out;
}

} // namespace fx
