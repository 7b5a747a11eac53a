// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/family.h"

#include "core/ops/near_names.h"
#include "core/ops/nn_modules.h"
#include "core/ops/semantics.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace fx::ops {
namespace {

struct Part {
    std::string_view name;
    Family family;
};
/// The parts of torch.nn.modules, and how those of torch.ao.nn and their fused classes begin.
constexpr Part kParts[] = {
    {"conv", Family::Convolution},
    {"linear", Family::Matrix},
    {"bilinear", Family::Matrix},
    {"transformer", Family::Attention},
    {"rnn", Family::Recurrent},
    {"lstm", Family::Recurrent},
    {"sparse", Family::Lookup},
    {"embedding", Family::Lookup},
    {"batchnorm", Family::Normalization},
    {"bn", Family::Normalization},
    {"instancenorm", Family::Normalization},
    {"normalization", Family::Normalization},
    {"activation", Family::Activation},
    {"dropout", Family::Dropout},
    {"pooling", Family::Pooling},
    {"loss", Family::Reduction},
    {"distance", Family::Reduction},
    {"flatten", Family::Shape},
    {"fold", Family::Shape},
    {"padding", Family::Shape},
    {"pixelshuffle", Family::Shape},
    {"channelshuffle", Family::Shape},
    {"upsampling", Family::Shape},
};
/// Products of matrices that no class is called after.
constexpr std::string_view kProducts[] = {"matmul",  "mm",     "bmm",           "mv",        "dot",         "addmm",
                                          "baddbmm", "addbmm", "addmv",         "einsum",    "tensordot",   "inner",
                                          "outer",   "vdot",   "linalg_matmul", "multi_dot", "chain_matmul"};

Family partThatBegins(std::string_view text) {
    const auto* found = std::find_if(std::begin(kParts), std::end(kParts),
                                     [&](const Part& part) { return text.starts_with(part.name); });
    return found == std::end(kParts) ? Family::Other : found->family;
}

/// By comparable class names: "conv2d", "leakyrelu".
const std::unordered_map<std::string, Family>& familiesOfClasses() {
    static const auto kFamilies = [] {
        std::unordered_map<std::string, Family> out;
        for (std::uint32_t i = 0; i < moduleCount(); ++i)
            if (const std::string_view path = moduleAt(i).path(); path.starts_with("torch.nn.modules."))
                out.emplace(comparableName(moduleAt(i).name()), familyOfModule(path));
        return out;
    }();
    return kFamilies;
}

Family familyOfCost(std::string_view name) {
    using Kind = CostClass::Kind;
    switch (traitsOf(name).cost.kind) {
    case Kind::Free:
    case Kind::Memory: return Family::Shape;
    case Kind::Reduction: return Family::Reduction;
    case Kind::Normalization: return Family::Normalization;
    case Kind::Pooling: return Family::Pooling;
    case Kind::Elementwise: break;
    }
    return isPointwise(name) ? Family::Arithmetic : Family::Other;
}

} // namespace

Family familyOfModule(std::string_view qualifiedType) {
    if (!qualifiedType.starts_with("torch.")) return Family::Other;
    const auto dot = qualifiedType.rfind('.');
    const std::string_view name = qualifiedType.substr(dot + 1), holder = qualifiedType.substr(0, dot);
    if (name == "MultiheadAttention") return Family::Attention;
    if (name == "Identity") return Family::Other;
    const Family part = partThatBegins(holder.substr(holder.rfind('.') + 1));
    if (part != Family::Other) return part;
    constexpr std::string_view kConverted = "mkldnn"; // "MkldnnConv2d"
    const std::string known = comparableName(name);
    return partThatBegins(std::string_view(known).substr(known.starts_with(kConverted) ? kConverted.size() : 0));
}

Family familyOfFunction(std::string_view canonicalName) {
    if (const auto colons = canonicalName.find("::"); colons != canonicalName.npos)
        canonicalName.remove_prefix(colons + 2);
    const auto& classes = familiesOfClasses();
    if (const auto found = classes.find(comparableName(canonicalName));
        found != classes.end() && found->second != Family::Other)
        return found->second;
    if (canonicalName.find("scaled_dot_product") != canonicalName.npos) return Family::Attention;
    if (canonicalName == "multi_head_attention_forward") return Family::Attention;
    if (comparableName(canonicalName).starts_with("convolution")) return Family::Convolution;
    if (std::find(std::begin(kProducts), std::end(kProducts), canonicalName) != std::end(kProducts))
        return Family::Matrix;
    return familyOfCost(canonicalName);
}

} // namespace fx::ops
