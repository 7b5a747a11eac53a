// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/layer_errors.h"

#include "app/worker/worker_batches.h"
#include "core/engine/for_each_tensor.h"
#include "core/engine/machine.h"
#include "core/engine/verify/compare.h"
#include "core/io/compile_text/missing_values.h"
#include "core/quant/measure/layer_pairs.h"

#include <algorithm>
#include <unordered_map>

namespace app {
namespace {

using fx::engine::Interpreter;
using fx::engine::Value;
using fx::remote::LayerError;

double sumOf(const at::Tensor& values) { return values.sum().item().toDouble(); }

void add(const at::Tensor& original, const at::Tensor& quantised, LayerError& error) {
    const at::Tensor a = fx::engine::plain(original).to(at::kDouble), b = fx::engine::plain(quantised).to(at::kDouble);
    if (a.sizes() != b.sizes() || a.numel() == 0) return;
    const at::Tensor difference = b.sub(a).abs();
    error.signal += sumOf(a.square());
    error.noise += sumOf(difference.square());
    error.maxError = std::max(error.maxError, difference.max().item().toDouble());
    error.values += a.numel();
    const bool hasStep = quantised.is_quantized() && quantised.qscheme() == at::kPerTensorAffine;
    if (hasStep) error.step = std::max(error.step.value_or(0), quantised.q_scale());
}

std::vector<at::Tensor> tensorsOf(const Value& value) {
    std::vector<at::Tensor> out;
    fx::engine::forEachTensor(value, [&](const at::Tensor& tensor) { out.push_back(tensor); });
    return out;
}

/// Later nodes may write into them.
std::vector<at::Tensor> copies(const Value& value) {
    std::vector<at::Tensor> out = tensorsOf(value);
    for (at::Tensor& tensor : out)
        if (tensor.defined()) tensor = tensor.clone();
    return out;
}

/// All tensors of a layer's result: recurrent layers return their states too.
void add(const std::vector<at::Tensor>& original, const Value& quantised, LayerError& error) {
    const std::vector<at::Tensor> got = tensorsOf(quantised);
    if (got.size() != original.size()) return;
    for (std::size_t i = 0; i < got.size(); ++i)
        if (original[i].defined() && got[i].defined()) add(original[i], got[i], error);
}

/// Both models, and what is known of their layers so far.
class Comparison {
public:
    Comparison(const std::shared_ptr<const fx::GraphModule>& original,
               const std::shared_ptr<const fx::GraphModule>& quantised, const Context& context)
        : m_original(original, std::make_shared<fx::engine::TensorStore>()),
          m_quantised(quantised, std::make_shared<fx::engine::TensorStore>()), m_context(context) {
        for (const fx::quant::LayerPair& pair : fx::quant::layerPairs(*original, *quantised)) {
            m_places[pair.quantised] = errors.layers.size();
            m_partners[pair.quantised] = pair.original;
            LayerError& error = errors.layers.emplace_back();
            error.node = quantised->graph.node(pair.quantised).name();
            error.original = original->graph.node(pair.original).name();
            error.layer = pair.layer;
            m_wanted[pair.original];
        }
    }
    const Interpreter& original() const { return m_original; }
    /// An error was that of the quantised model, and the one in floating point took the inputs.
    bool failsQuantised() const { return m_failsQuantised; }

    void run(const fx::engine::RunInputs& inputs) {
        const auto names = inputNames(m_original, false);
        const fx::engine::RunInputs same = forOther(inputs, names, inputNames(m_quantised, false));
        const auto check = [this](const fx::Node& node) { m_context.checkAt(node); };
        const Value expected = m_original.run(inputs, {check, [this](const fx::Node& node, const Value& result) {
                                                           const auto wanted = m_wanted.find(node.id());
                                                           if (wanted != m_wanted.end())
                                                               wanted->second = copies(result);
                                                       }});
        m_failsQuantised = true; // what is thrown from here on
        const Value got =
            m_quantised.run(same, {check, [this](const fx::Node& node, const Value& result) {
                                       const auto place = m_places.find(node.id());
                                       if (place == m_places.end()) return;
                                       add(m_wanted.at(m_partners.at(node.id())), result, errors.layers[place->second]);
                                   }});
        m_failsQuantised = false;
        fx::engine::pairLeaves(
            expected, got,
            [this](const std::string&, const Value& a, const Value& b) {
                if (a.isTensor() && b.isTensor()) add(a.tensor(), b.tensor(), errors.output);
            },
            [](const std::string&, const fx::Message&) {});
        for (auto& [id, kept] : m_wanted) kept.clear();
    }

    fx::remote::LayerErrors errors;

private:
    Interpreter m_original, m_quantised;
    const Context& m_context;
    bool m_failsQuantised = false;
    std::unordered_map<fx::NodeId, std::size_t> m_places;
    std::unordered_map<fx::NodeId, fx::NodeId> m_partners;
    std::unordered_map<fx::NodeId, std::vector<at::Tensor>> m_wanted;
};

} // namespace

fx::remote::LayerErrors layerErrors(const fx::remote::LayerErrorsRequest& request, const Context& context) {
    const auto original = context.models.get(request.run.model), quantised = context.models.get(request.other);
    fx::requireValues(*original);
    fx::requireValues(*quantised);
    fx::engine::setThreads(request.run.threads);
    Comparison comparison(original, quantised, context);
    const Batches batches(request.run, request.draws, comparison.original());
    for (std::size_t i = 0; i < batches.size(); ++i) {
        context.progress.report("comparing layers, batch " + batches.label(i),
                                static_cast<double>(i) / static_cast<double>(batches.size()));
        context.progress.check();
        try {
            batches.run(i, [&](ModelInputs& inputs) { comparison.run(inputs.values); });
        } catch (fx::Error& error) {
            if (comparison.failsQuantised() && error.kind() == fx::ErrorKind::Run && !error.node.empty())
                error.hinting(fx::Message("quant.only_quantised_fails", {{"node", error.node}}).text());
            throw;
        }
    }
    std::erase_if(comparison.errors.layers, [](const LayerError& each) { return each.values == 0; });
    return std::move(comparison.errors);
}

} // namespace app
