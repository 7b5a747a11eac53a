// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/conv_bn_fuse.h"

#include "core/module/module_editor.h"
#include "core/passes/module_uses.h"
#include "core/passes/sort_users.h"
#include "core/tensor/elements.h"

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

namespace fx {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPairs = {
    {{"torch.nn.modules.conv.Conv1d", "torch.nn.modules.batchnorm.BatchNorm1d"},
     {"torch.nn.modules.conv.Conv2d", "torch.nn.modules.batchnorm.BatchNorm2d"},
     {"torch.nn.modules.conv.Conv3d", "torch.nn.modules.batchnorm.BatchNorm3d"},
     {"torch.nn.modules.linear.Linear", "torch.nn.modules.batchnorm.BatchNorm1d"}}};

template<class T> std::vector<T> valuesOf(const TensorRef& tensor) {
    const auto values = elementValues(tensor);
    return {values.begin(), values.end()};
}

template<class T>
TensorPtr tensorOf(const std::vector<T>& values, const std::vector<std::int64_t>& sizes, bool requiresGrad) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
    tensor->sizes = sizes;
    tensor->strides.assign(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        tensor->strides[i - 1] = tensor->strides[i] * std::max<std::int64_t>(sizes[i], 1);
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensor->storage = Storage::inMemory(std::move(bytes));
    tensor->isParameter = true;
    tensor->requiresGrad = requiresGrad;
    return tensor;
}

TensorPtr held(const std::vector<Module::Slot>& slots, std::string_view name) {
    for (const auto& slot : slots)
        if (slot.name == name) return slot.tensor;
    return nullptr;
}

double epsOf(const Module& bn) {
    const auto* attribute = bn.attribute("eps");
    const auto* value = attribute ? std::get_if<Argument>(attribute) : nullptr;
    if (const auto* real = value ? value->as<double>() : nullptr) return *real;
    if (const auto* whole = value ? value->as<std::int64_t>() : nullptr) return static_cast<double>(*whole);
    throw Error(ErrorKind::Refused, Message("passes.batch_norm_eps"));
}

/// The statistics and parameters of one batch normalisation, per channel.
template<class T> struct Norm {
    std::vector<T> mean, rsqrt, weight, bias;

    explicit Norm(const Module& bn)
        : mean(valuesOf<T>(*held(bn.buffers, "running_mean"))), rsqrt(valuesOf<T>(*held(bn.buffers, "running_var"))) {
        const T eps = static_cast<T>(epsOf(bn));
        for (T& value : rsqrt)
            value = T(1) / std::sqrt(value + eps); // PyTorch's kernel: a root and a division, each rounded
        const TensorPtr scale = held(bn.parameters, "weight"), shift = held(bn.parameters, "bias");
        weight = scale ? valuesOf<T>(*scale) : std::vector<T>(mean.size(), T(1));
        bias = shift ? valuesOf<T>(*shift) : std::vector<T>(mean.size(), T(0));
    }
};

/// `fuse_conv_bn_weights` and `fuse_linear_bn_weights`: each operation rounded, in PyTorch's order, so that every bit
/// is PyTorch's.
template<class T> void fuse(Module& layer, const Module& bn, bool linear) {
    const Norm<T> norm(bn);
    const TensorPtr oldWeight = held(layer.parameters, "weight"), oldBias = held(layer.parameters, "bias");
    std::vector<T> weight = valuesOf<T>(*oldWeight);
    const std::size_t channels = static_cast<std::size_t>(oldWeight->sizes[0]),
                      each = weight.size() / std::max<std::size_t>(channels, 1);
    std::vector<T> bias = oldBias ? valuesOf<T>(*oldBias) : std::vector<T>(norm.mean.size(), T(0));
    bias.resize(std::max(bias.size(), norm.mean.size()), bias.empty() ? T(0) : bias[0]);
    const auto channel = [&](std::size_t i) { return norm.mean.size() == 1 ? 0 : i; };
    for (std::size_t i = 0; i < channels; ++i) {
        const T scale = norm.weight[channel(i)] * norm.rsqrt[channel(i)];
        for (std::size_t j = 0; j < each; ++j) weight[i * each + j] *= scale;
    }
    for (std::size_t i = 0; i < bias.size(); ++i) {
        const std::size_t k = channel(i);
        const T scale = norm.weight[k] * norm.rsqrt[k];
        const T centred = bias[i] - norm.mean[k];
        const T scaled = linear ? centred * scale : centred * norm.rsqrt[k] * norm.weight[k];
        bias[i] = scaled + norm.bias[k];
    }
    for (auto& slot : layer.parameters) {
        if (slot.name == "weight") slot.tensor = tensorOf(weight, oldWeight->sizes, oldWeight->requiresGrad);
        if (slot.name == "bias")
            slot.tensor = tensorOf(bias, {static_cast<std::int64_t>(bias.size())}, oldBias && oldBias->requiresGrad);
    }
}

class Fusing {
public:
    explicit Fusing(const PassRun& run)
        : m_run(run), m_before(run.model.root), m_paths(*m_before), m_uses(run.model.graph) {
        for (const Node& node : run.graph().nodes())
            if (node.op() == Op::CallModule) ++m_calls[moduleOf(node)];
    }

    bool all() {
        bool found = false;
        for (const auto& [layer, norm] : kPairs)
            for (const NodeId id : m_run.graph().order()) {
                if (!matches(m_run.graph().node(id), layer, norm)) continue;
                fuseAt(id, layer.ends_with("Linear")); // the next normalisation in a row finds the layer in front of it
                found = true;
            }
        removeUnusedModules(m_run.model, m_norms); // torch.fx copies what the graph names
        return found;
    }

private:
    const Module* moduleOf(const Node& node) {
        return node.op() == Op::CallModule ? m_paths.resolve(node.target()).module : nullptr;
    }

    bool matches(const Node& node, std::string_view layerType, std::string_view normType) {
        const Module* norm = moduleOf(node);
        if (!norm || norm->qualifiedType() != normType || node.args().empty() || !node.args()[0].isNode()) return false;
        const Node& before = m_run.graph().node(node.args()[0].node());
        const Module* layer = moduleOf(before);
        if (!layer || layer->qualifiedType() != layerType || before.users().size() > 1) return false;
        if (!held(norm->buffers, "running_mean") || !held(norm->buffers, "running_var"))
            return false; // track_running_stats=False
        if (m_calls[layer] > 1 || m_uses.isInsideUsed(before.target())) {
            m_run.warnings.push_back(
                {Message("passes.module_shared", {{"module", before.target()}}), before.name(), before.target(), {}});
            return false;
        }
        const DType dtype = held(layer->parameters, "weight")->dtype;
        check(*layer, dtype, before);
        check(*norm, dtype, node);
        const auto channels = held(layer->parameters, "weight")->sizes[0],
                   features = held(norm->buffers, "running_mean")->elementCount();
        if (channels != features && (features != 1 || !layerType.ends_with("Linear")))
            throw Error(ErrorKind::Refused,
                        Message("passes.channels", {{"channels", channels}, {"features", features}}))
                .onNode(node.name())
                .onModule(node.target());
        return true;
    }

    /// Halves are rounded at each step, which is not repeated here.
    void check(const Module& module, DType dtype, const Node& node) const {
        if (module.training)
            throw Error(ErrorKind::Refused, Message("passes.not_eval")).onNode(node.name()).onModule(node.target());
        for (const auto slots : {&Module::parameters, &Module::buffers})
            for (const auto& slot : module.*slots)
                if (slot.tensor && slot.name != "num_batches_tracked" &&
                    (slot.tensor->dtype != dtype || (dtype != DType::Float32 && dtype != DType::Float64)))
                    throw Error(ErrorKind::Refused, Message("passes.weights_dtype"))
                        .onNode(node.name())
                        .onModule(node.target() + "." + slot.name);
    }

    void fuseAt(NodeId id, bool linear) {
        Graph& graph = m_run.graph();
        const NodeId layer = graph.node(id).args()[0].node();
        const std::string layerPath = graph.node(layer).target(), normPath = graph.node(id).target();
        m_run.progress.check();
        {
            ModuleEditor editor(m_run.model);
            const Module& norm = *m_paths.resolve(normPath).module;
            Module& module = *editor.writable(layerPath);
            if (held(module.parameters, "weight")->dtype == DType::Float64) fuse<double>(module, norm, linear);
            else fuse<float>(module, norm, linear);
        }
        graph.replaceAllUses(id, layer);
        graph.erase(id);
        sortUsers(graph, layer);
        m_norms.insert(normPath);
    }

    const PassRun& m_run;
    std::shared_ptr<const Module> m_before; ///< classes, modes and statistics are those of before
    PathResolver m_paths;
    ModuleUses m_uses;
    std::map<const Module*, int> m_calls;
    std::set<std::string> m_norms;
};

bool run(const PassRun& run) { return Fusing(run).all(); }

} // namespace

Pass convBnFusePass() {
    return {"conv_bn_fuse",
            "folds batch normalisation into the convolution or linear layer before it; for models in eval mode",
            {},
            run,
            {}};
}

} // namespace fx
