// SPDX-License-Identifier: GPL-3.0-or-later
// Linear, convolution, normalisation and embedding modules.
#include "core/make/module_maker.h"

#include <cmath>

namespace fx::make {
namespace {

/// kaiming_uniform_(a=sqrt(5)) and the bias that goes with it.
void kaiming(ModuleMaker& m, const Sizes& weight, std::int64_t fanIn, std::int64_t biasSize) {
    const double slope = std::sqrt(5.0), gain = std::sqrt(2.0 / (1 + slope * slope)); // rounded as PyTorch's own
    const double bound = fanIn > 0 ? std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(fanIn))) : 0;
    m.parameter("weight", m.within(weight, bound));
    const double biasBound = fanIn > 0 ? 1 / std::sqrt(static_cast<double>(fanIn)) : 0;
    m.parameter("bias", m.flag("bias") ? m.within({biasSize}, biasBound) : nullptr);
}

void linear(ModuleMaker& m) {
    m.keep("in_features");
    m.keep("out_features");
    kaiming(m, {m.integer("out_features"), m.integer("in_features")}, m.integer("in_features"),
            m.integer("out_features"));
}

void bilinear(ModuleMaker& m) {
    const std::int64_t first = m.positive("in1_features"), out = m.integer("out_features");
    for (const char* name : {"in1_features", "in2_features", "out_features"}) m.keep(name);
    const double bound = 1 / std::sqrt(static_cast<double>(first));
    m.parameter("weight", m.within({out, first, m.integer("in2_features")}, bound));
    m.parameter("bias", m.flag("bias") ? m.within({out}, bound) : nullptr);
}

/// What F.pad takes for padding modes other than zeros: last dimension first, each twice.
Argument reversedPadding(const std::string* named, const Sizes& padding, const Sizes& kernel, const Sizes& dilation) {
    std::vector<Argument> out;
    for (std::size_t i = padding.size(); i-- > 0;) {
        const std::int64_t total = named && *named == "same" ? dilation[i] * (kernel[i] - 1) : 0;
        out.push_back(named ? total / 2 : padding[i]);
        out.push_back(named ? total - total / 2 : padding[i]);
    }
    return named ? Argument::list(std::move(out)) : Argument::tuple(std::move(out));
}

void convolution(ModuleMaker& m) {
    const std::string_view name = m.type().name();
    const bool transposed = name.starts_with("ConvTranspose");
    const std::size_t dimensions = dimensionsOf(name);
    const std::int64_t in = m.integer("in_channels"), out = m.integer("out_channels"), groups = m.integer("groups");
    if (groups == 0 || in % groups || out % groups) throw refused(Message("make.groups"));
    const Sizes kernel = m.sizes("kernel_size", dimensions), dilation = m.sizes("dilation", dimensions);
    const auto* named = m.setting("padding").as<std::string>();
    const Sizes padding = named ? Sizes(dimensions, 0) : m.sizes("padding", dimensions);
    m.keep("in_channels");
    m.keep("out_channels");
    m.keep("kernel_size", tupleOf(kernel));
    m.keep("stride", tupleOf(m.sizes("stride", dimensions, true)));
    m.keep("padding", named ? Argument(*named) : tupleOf(padding));
    m.keep("dilation", tupleOf(dilation));
    m.keep("transposed", transposed);
    m.keep("output_padding",
           transposed ? tupleOf(m.sizes("output_padding", dimensions, true)) : tupleOf(Sizes(dimensions, 0)));
    m.keep("groups");
    m.keep("padding_mode");
    m.keep("_reversed_padding_repeated_twice", reversedPadding(named, padding, kernel, dilation));
    Sizes weight = transposed ? Sizes{in, out / groups} : Sizes{out, in / groups};
    std::int64_t fanIn = weight[1];
    for (const auto size : kernel) {
        weight.push_back(size);
        if (__builtin_mul_overflow(fanIn, size, &fanIn))
            throw refused(Message("make.kernel_too_large", {{"size", size}}));
    }
    kaiming(m, weight, fanIn, out);
}

/// weight of ones and bias of zeros.
void affine(ModuleMaker& m, const Sizes& size, bool isAffine, bool hasBias) {
    m.parameter("weight", isAffine ? m.random().filled(size, 1, true) : nullptr);
    m.parameter("bias", isAffine && hasBias ? m.random().filled(size, 0, true) : nullptr);
}
bool hasBias(const ModuleMaker& m) { return !m.has("bias") || m.flag("bias"); }

void batchNorm(ModuleMaker& m) {
    const Sizes size{m.integer("num_features")};
    for (const char* name : {"num_features", "eps", "momentum", "affine", "track_running_stats"}) m.keep(name);
    affine(m, size, m.flag("affine"), hasBias(m));
    const bool tracks = m.flag("track_running_stats");
    m.buffer("running_mean", tracks ? m.random().filled(size, 0, false) : nullptr);
    m.buffer("running_var", tracks ? m.random().filled(size, 1, false) : nullptr);
    m.buffer("num_batches_tracked", tracks ? zeroCounter() : nullptr);
    if (!m.has("process_group")) return;
    if (!m.setting("process_group").isNone()) m.cannotMake(Message("make.process_group"));
    m.keep("process_group");
}

Sizes keptShape(ModuleMaker& m) {
    const Sizes shape = m.sizes("normalized_shape", 0);
    m.keep("normalized_shape", tupleOf(shape)), m.keep("eps"), m.keep("elementwise_affine");
    return shape;
}

void layerNorm(ModuleMaker& m) {
    const Sizes shape = keptShape(m);
    affine(m, shape, m.flag("elementwise_affine"), hasBias(m));
}

void rmsNorm(ModuleMaker& m) {
    const Sizes shape = keptShape(m);
    m.parameter("weight", m.flag("elementwise_affine") ? m.random().filled(shape, 1, true) : nullptr);
}

void groupNorm(ModuleMaker& m) {
    if (m.integer("num_channels") % m.positive("num_groups"))
        throw refused(
            Message("make.group_norm", {{"channels", m.integer("num_channels")}, {"groups", m.integer("num_groups")}}));
    for (const char* name : {"num_groups", "num_channels", "eps", "affine"}) m.keep(name);
    affine(m, {m.integer("num_channels")}, m.flag("affine"), hasBias(m));
}

void prelu(ModuleMaker& m) {
    m.keep("num_parameters");
    m.keep("init");
    m.parameter("weight", m.random().filled({m.integer("num_parameters")}, static_cast<float>(m.real("init")), true));
}

/// The weight of an embedding; the row at the index of padding is zero.
TensorPtr embeddingWeight(ModuleMaker& m, const Argument& padding) {
    const std::int64_t rows = m.integer("num_embeddings"), width = m.integer("embedding_dim");
    TensorPtr weight = m.random().normal({rows, width}, 0, 1);
    const auto* index = padding.as<std::int64_t>();
    return index ? withZeroRow(*weight, static_cast<std::size_t>(*index)) : weight;
}

Argument paddingIndex(const ModuleMaker& m) {
    const auto* index = m.setting("padding_idx").as<std::int64_t>();
    if (!index) return {};
    const std::int64_t rows = m.integer("num_embeddings");
    if (*index >= rows || *index < -rows) throw refused(Message("make.padding_idx"));
    return *index < 0 ? *index + rows : *index;
}

void embedding(ModuleMaker& m) {
    m.needNone("_weight");
    const bool isBag = m.has("mode");
    const Argument padding = paddingIndex(m);
    m.keep("num_embeddings");
    m.keep("embedding_dim");
    if (!isBag) m.keep("padding_idx", padding);
    for (const char* name : {"max_norm", "norm_type", "scale_grad_by_freq"}) m.keep(name);
    if (isBag) m.keep("padding_idx", padding), m.keep("mode");
    m.keep("sparse");
    if (isBag) m.keep("include_last_offset");
    TensorPtr weight = embeddingWeight(m, padding);
    if (m.has("_freeze") && m.flag("_freeze")) {
        auto frozen = std::make_shared<TensorRef>(*weight);
        frozen->requiresGrad = false;
        weight = std::move(frozen);
    }
    m.parameter("weight", std::move(weight));
}

/// Linear modules in a row, without bias.
std::shared_ptr<Module> projection(ModuleMaker& m, std::int64_t in, std::int64_t middle, std::int64_t out) {
    auto both = m.make("torch.nn.Sequential", {});
    both->children.push_back(
        {"0", m.make("torch.nn.Linear", {{{"in_features", in}, {"out_features", middle}, {"bias", false}}, {}})});
    both->children.push_back(
        {"1", m.make("torch.nn.Linear", {{{"in_features", middle}, {"out_features", out}, {"bias", false}}, {}})});
    return both;
}

void adaptiveLogSoftmax(ModuleMaker& m) {
    const std::int64_t in = m.integer("in_features"), classes = m.integer("n_classes");
    Sizes cutoffs = m.sizes("cutoffs", 0);
    for (std::size_t i = 0; i < cutoffs.size(); ++i)
        if (cutoffs[i] <= (i ? cutoffs[i - 1] : 0) || cutoffs[i] >= classes)
            throw refused(Message("make.cutoffs_order"));
    if (cutoffs.empty()) throw refused(Message("make.no_cutoffs"));
    const std::int64_t clusters = static_cast<std::int64_t>(cutoffs.size()), shortlist = cutoffs[0];
    cutoffs.push_back(classes);
    m.keep("in_features");
    m.keep("n_classes");
    m.keep("cutoffs", Argument::list({cutoffs.begin(), cutoffs.end()}));
    m.keep("div_value");
    m.keep("head_bias");
    m.keep("shortlist_size", shortlist);
    m.keep("n_clusters", clusters);
    m.keep("head_size", shortlist + clusters);
    m.child("head",
            m.make("torch.nn.Linear",
                   {{{"in_features", in}, {"out_features", shortlist + clusters}, {"bias", m.flag("head_bias")}}, {}}));
    auto tail = m.make("torch.nn.ModuleList", {});
    for (std::size_t i = 0; i + 1 < cutoffs.size(); ++i) {
        const auto width = static_cast<std::int64_t>(
            std::floor(static_cast<double>(in) / std::pow(m.real("div_value"), static_cast<double>(i + 1))));
        tail->children.push_back({std::to_string(i), projection(m, in, width, cutoffs[i + 1] - cutoffs[i])});
    }
    m.child("tail", std::move(tail));
}

} // namespace

const std::vector<Recipe>& weightedRecipes() {
    static const std::vector<Recipe> kRecipes = {
        {"Linear NonDynamicallyQuantizableLinear", linear},
        {"Bilinear", bilinear},
        {"Conv* ConvTranspose*", convolution},
        {"BatchNorm* InstanceNorm* SyncBatchNorm", batchNorm},
        {"LayerNorm", layerNorm},
        {"RMSNorm", rmsNorm},
        {"GroupNorm", groupNorm},
        {"PReLU", prelu},
        {"Embedding EmbeddingBag", embedding},
        {"AdaptiveLogSoftmaxWithLoss", adaptiveLogSoftmax},
    };
    return kRecipes;
}

} // namespace fx::make
