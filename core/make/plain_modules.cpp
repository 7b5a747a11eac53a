// SPDX-License-Identifier: GPL-3.0-or-later
// Modules without weights: they keep their settings, some in another form.
#include "core/make/module_maker.h"

#include <algorithm>

namespace fx::make {
namespace {

/// The kernel stands for a stride that is not given.
const Argument& strideOf(const ModuleMaker& m) {
    return m.setting(m.setting("stride").isNone() ? "kernel_size" : "stride");
}

void pool(ModuleMaker& m) {
    for (const auto& attribute : m.type().attributes())
        m.keep(attribute.name, attribute.name == "stride" ? strideOf(m) : m.setting(attribute.name));
}

/// Those that keep all sizes as tuples.
void tuplePool(ModuleMaker& m) {
    const std::size_t dimensions = dimensionsOf(m.type().name());
    for (const auto& attribute : m.type().attributes()) {
        const bool isSize =
            attribute.name == "kernel_size" || attribute.name == "stride" || attribute.name == "padding";
        if (attribute.name == "stride" && m.setting("stride").isNone())
            m.keep("stride", tupleOf(m.sizes("kernel_size", dimensions)));
        else m.keep(attribute.name, isSize ? tupleOf(m.sizes(attribute.name, dimensions)) : m.setting(attribute.name));
    }
}

void fractionalPool(ModuleMaker& m) {
    m.needNone("_random_samples");
    const std::size_t dimensions = dimensionsOf(m.type().name());
    const bool bySize = !m.setting("output_size").isNone();
    if (bySize == !m.setting("output_ratio").isNone())
        throw refused(Message("make.one_of_two_settings", {{"type", m.type().publicPath()}}));
    m.keep("kernel_size", tupleOf(m.sizes("kernel_size", dimensions)));
    m.keep("return_indices");
    m.buffer("_random_samples", nullptr);
    m.keep("output_size", bySize ? tupleOf(m.sizes("output_size", dimensions)) : Argument());
    const Argument& ratio = m.setting("output_ratio");
    m.keep("output_ratio",
           bySize || ratio.as<Sequence>() ? ratio : Argument::tuple(std::vector<Argument>(dimensions, ratio)));
}

void pad(ModuleMaker& m) {
    const std::string_view name = m.type().name();
    if (name.starts_with("ZeroPad")) m.keep("value", 0.0);
    if (name.starts_with("ConstantPad")) m.keep("value");
    m.keep("padding", tupleOf(m.sizes("padding", 2 * dimensionsOf(name))));
}

void relu6(ModuleMaker& m) {
    m.keep("min_val", 0.0);
    m.keep("max_val", 6.0);
    m.keep("inplace");
}

void hardtanh(ModuleMaker& m) {
    for (const char* old : {"min_value", "max_value"})
        if (!m.setting(old).isNone()) throw refused(Message("make.deprecated_bounds", {{"name", old}}));
    for (const char* name : {"min_val", "max_val", "inplace"}) m.keep(name);
}

void upsample(ModuleMaker& m) {
    const std::string_view name = m.type().name();
    m.keep("name", Argument(std::string(name)));
    m.keep("size");
    const auto asReal = [&](const Argument& value) {
        return value.as<std::int64_t>() ? Argument(static_cast<double>(*value.as<std::int64_t>())) : value;
    };
    const Argument& factor = m.setting("scale_factor");
    std::vector<Argument> factors;
    if (const auto* several = factor.asTuple())
        for (const Argument& each : several->items) factors.push_back(asReal(each));
    m.keep("scale_factor", factor.asTuple() ? Argument::tuple(std::move(factors)) : asReal(factor));
    if (name == "Upsample") {
        for (const char* each : {"mode", "align_corners", "recompute_scale_factor"}) m.keep(each);
        return;
    }
    m.keep("mode", Argument(std::string(name == "UpsamplingNearest2d" ? "nearest" : "bilinear")));
    m.keep("align_corners", name == "UpsamplingNearest2d" ? Argument() : Argument(true));
    m.keep("recompute_scale_factor", {});
}

/// Losses: the deprecated ways to say `reduction` are gone, weights are tensors.
void loss(ModuleMaker& m) {
    for (const char* old : {"size_average", "reduce"})
        if (m.has(old) && !m.setting(old).isNone())
            throw refused(Message("make.deprecated_reduction", {{"name", old}}));
    for (const auto& attribute : m.type().attributes()) {
        if (attribute.kind == ops::NnModule::Attribute::Kind::Setting) m.keep(attribute.name);
        if (attribute.kind != ops::NnModule::Attribute::Kind::Buffer) continue;
        m.needNone(attribute.name);
        m.buffer(std::string(attribute.name), nullptr);
    }
}

void distanceLoss(ModuleMaker& m) {
    if (!m.setting("distance_function").isNone()) m.cannotMake(Message("make.python_distance"));
    loss(m);
    auto given = m.module("distance_function");
    m.child("distance_function", given ? std::move(given) : m.make("torch.nn.PairwiseDistance", {}));
}

void linearLoss(ModuleMaker& m) {
    if (!m.setting("options").isNone()) m.cannotMake(Message("make.object_options"));
    const Sizes more = m.sizes("out_features", 0);
    std::int64_t rows = m.integer("num_classes");
    for (const auto size : more) rows *= size;
    loss(m);
    m.child(
        "linear",
        m.make("torch.nn.Linear",
               {{{"in_features", m.setting("in_features")}, {"out_features", rows}, {"bias", m.flag("bias")}}, {}}));
}

void container(ModuleMaker&) {}

} // namespace

void keepSettings(ModuleMaker& m) {
    const auto settings = m.type().settings();
    for (const auto& attribute : m.type().attributes()) {
        if (attribute.kind != ops::NnModule::Attribute::Kind::Setting) m.cannotMake();
        const auto shown = std::find_if(settings.begin(), settings.end(), [&](const auto& each) {
            return each.attribute == attribute.name && !each.isPresence;
        });
        const std::string_view parameter = shown != settings.end() ? shown->parameter : attribute.name;
        if (!m.has(parameter)) m.cannotMake();
        m.keep(attribute.name, m.setting(parameter));
    }
}

const std::vector<Recipe>& plainRecipes() {
    static const std::vector<Recipe> kRecipes = {
        {"MaxPool* AvgPool2d AvgPool3d", pool},
        {"AvgPool1d MaxUnpool*", tuplePool},
        {"FractionalMaxPool2d FractionalMaxPool3d", fractionalPool},
        {"ReflectionPad* ReplicationPad* ZeroPad* CircularPad* ConstantPad*", pad},
        {"ReLU6", relu6},
        {"Hardtanh", hardtanh},
        {"Upsample UpsamplingNearest2d UpsamplingBilinear2d", upsample},
        {"TripletMarginWithDistanceLoss", distanceLoss},
        {"LinearCrossEntropyLoss", linearLoss},
        {"L1Loss MSELoss NLLLoss BCELoss BCEWithLogitsLoss CrossEntropyLoss KLDivLoss SmoothL1Loss HuberLoss "
         "SoftMarginLoss MultiMarginLoss "
         "MultiLabelMarginLoss MultiLabelSoftMarginLoss PoissonNLLLoss HingeEmbeddingLoss CosineEmbeddingLoss "
         "MarginRankingLoss TripletMarginLoss CTCLoss GaussianNLLLoss",
         loss},
        {"Sequential ModuleList ModuleDict", container},
    };
    return kRecipes;
}

} // namespace fx::make
