// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/operation_kinds.h"

#include "core/ops/semantics.h"

#include <algorithm>

namespace fx {
namespace {

using Kind = NodeCost::Kind;
constexpr double kTranscendental = 8; ///< exp, tanh, erf and the like by polynomials

constexpr OperationKind kFree{Kind::Free, 0}, kMemory{Kind::Memory, 0}, kCostly{Kind::Elementwise, kTranscendental},
    kNorm{Kind::Normalization, 5, true}, kPool{Kind::Pooling, 1, true},
    kSoftmax{Kind::Reduction, kTranscendental + 4, true};

Kind kindOf(ops::CostClass::Kind kind) {
    using Class = ops::CostClass::Kind;
    switch (kind) {
    case Class::Free: return Kind::Free;
    case Class::Elementwise: return Kind::Elementwise;
    case Class::Reduction: return Kind::Reduction;
    case Class::Normalization: return Kind::Normalization;
    case Class::Pooling: return Kind::Pooling;
    case Class::Memory: return Kind::Memory;
    }
    return Kind::Unknown;
}

bool isDigits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

OperationKind operationKind(std::string_view name) {
    const ops::CostClass cost = ops::traitsOf(name).cost;
    return {kindOf(cost.kind), cost.perElement, cost.ofInput};
}

OperationKind moduleKind(std::string_view type) {
    const auto has = [&](std::string_view part) { return type.find(part) != type.npos; };
    while (!type.empty() && (type.back() == 'd') && type.size() > 1 && isDigits(type.substr(type.size() - 2, 1)))
        type.remove_suffix(2); // BatchNorm2d
    if (type == "Identity" || type.starts_with("Dropout") || type == "Flatten" || type == "Unflatten" ||
        type == "AlphaDropout")
        return kFree;
    if (has("Norm")) return kNorm;
    if (has("Pool")) return kPool;
    if (has("Embedding") || has("Pad") || has("Pixel") || type == "ChannelShuffle" || type == "Fold" ||
        type == "Unfold")
        return kMemory;
    if (has("Softmax") || has("Softmin") || has("Loss")) return kSoftmax;
    if (has("Upsampl")) return {Kind::Elementwise, 4};
    if (type == "ReLU" || type == "LeakyReLU" || type == "PReLU" || type == "Threshold") return {};
    return has("ELU") || has("GELU") || has("Sigmoid") || has("Tanh") || has("SiLU") || type == "Mish" ||
                   type == "Softplus"
               ? kCostly
               : OperationKind{Kind::Elementwise, 3};
}

} // namespace fx
