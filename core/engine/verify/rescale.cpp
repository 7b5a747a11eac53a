// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/probe.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace fx::engine {
namespace {

double rms(const at::Tensor& tensor) { return std::sqrt(tensor.to(at::kDouble).square().mean().item<double>()); }

/// Follows a run of A and changes the layers of both models as it meets them.
class Rescaler {
public:
    Rescaler(const VerifySide& a, const VerifySide& b, const ChangedPart& part) : m_a(a), m_b(b), m_part(part) {
        for (const Node& node : a.model->graph.nodes())
            if (part.isChangedA(node.id())) m_changed.insert(node.target());
    }

    void before(const Node& node) {
        const auto layers = layersAt(node);
        if (!layers || !layers->first.mean || !layers->first.variance || node.inputs().empty()) return;
        const auto input = m_values.find(node.inputs().front());
        if (input == m_values.end() || !input->second.isTensor() || input->second.tensor().dim() < 2) return;
        const at::Tensor rows = input->second.tensor().transpose(0, 1).flatten(1);
        if (rows.size(1) < 2) return;
        set(layers->first.mean, layers->second.mean, rows.mean(1));
        set(layers->first.variance, layers->second.variance, rows.var(1, false));
        const at::Tensor weight = tensor(m_a, layers->first.weight);
        if (weight.eq(0).all().item<bool>()) set(layers->first.weight, layers->second.weight, weight.add(1));
    }

    void after(const Node& node, const Value& value) {
        const bool feedsStatistics = std::any_of(node.users().begin(), node.users().end(), [&](NodeId user) {
            const auto layer = layerOf(m_a.model->graph.node(user), *m_a.model);
            return layer && layer->mean;
        });
        if (feedsStatistics) m_values[node.id()] = value;
        const auto layers = layersAt(node);
        if (!layers || !value.isTensor() || !value.tensor().is_floating_point()) return;
        const at::Tensor& y = value.tensor();
        const at::Tensor bias = biasFor(y, layers->first);
        const at::Tensor product = bias.defined() ? y.sub(bias) : y;
        const double spread = rms(product);
        if (!std::isfinite(spread) || spread == 0) return;
        const double factor = spread > 0.5 && spread < 2 ? 1 : 1 / spread;
        const double size = bias.defined() ? rms(bias) : 0, shrink = size > 1 ? 1 / size : 1;
        set(layers->first.weight, layers->second.weight, tensor(m_a, layers->first.weight).mul(factor));
        if (bias.defined()) set(layers->first.bias, layers->second.bias, tensor(m_a, layers->first.bias).mul(shrink));
        y.copy_(bias.defined() ? product.mul(factor).add(bias.mul(shrink)) : product.mul(factor));
    }

    /// Leaves nothing of the run in A but what was set.
    void undoRun() const {
        m_a.tensors->restore();
        for (const auto& [ref, values] : m_set)
            tensor(m_a, ref).detach().copy_(values); // outside of a run parameters want gradients
    }

private:
    using Layers = std::pair<Layer, Layer>;
    /// The layer in both models, when it did not change and nothing that changed calls it.
    std::optional<Layers> layersAt(const Node& node) const {
        const NodeId other = m_part.counterpart(node.id());
        if (!node.isCall() || other == kNoNode || m_part.isChangedA(node.id()) || m_part.isChangedB(other))
            return std::nullopt;
        if (node.op() == Op::CallModule && m_changed.contains(node.target())) return std::nullopt;
        const auto a = layerOf(node, *m_a.model), b = layerOf(m_b.model->graph.node(other), *m_b.model);
        if (!a || !b || !b->weight || (a->bias != nullptr) != (b->bias != nullptr)) return std::nullopt;
        return Layers{*a, *b};
    }
    static at::Tensor tensor(const VerifySide& side, const TensorPtr& ref) { return side.tensors->tensor(ref); }
    /// The same values in both.
    void set(const TensorPtr& a, const TensorPtr& b, const at::Tensor& values) {
        tensor(m_a, a).copy_(values);
        if (b) tensor(m_b, b).copy_(values);
        m_set.emplace_back(a, tensor(m_a, a).clone());
    }
    at::Tensor biasFor(const at::Tensor& y, const Layer& layer) const {
        if (!layer.bias) return {};
        const at::Tensor bias = tensor(m_a, layer.bias);
        if (layer.channelsLast || y.dim() < 2) return bias;
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(y.dim()), 1);
        sizes[1] = bias.numel();
        return y.size(1) == bias.numel() ? bias.view(sizes) : at::Tensor();
    }

    const VerifySide& m_a;
    const VerifySide& m_b;
    const ChangedPart& m_part;
    std::set<std::string> m_changed;
    std::unordered_map<NodeId, Value> m_values;
    std::vector<std::pair<TensorPtr, at::Tensor>> m_set; ///< in A, with their values
};

} // namespace

void rescaleWeights(const VerifySide& a, const VerifySide& b, const VerifyOptions& options) {
    const ChangedPart part(*a.model, *b.model, options.progress);
    Rescaler rescaler(a, b, part);
    RunHooks hooks;
    hooks.before = [&](const Node& node) {
        if (options.afterNode) options.afterNode(node);
        rescaler.before(node);
    };
    hooks.after = [&](const Node& node, const Value& value) { rescaler.after(node, value); };
    Interpreter interpreter(a.model, a.tensors);
    a.tensors->keepState();
    interpreter.run(copyOf(a.inputs), hooks);
    rescaler.undoRun();
}

} // namespace fx::engine
