// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/module_cost.h"

#include "core/ops/family.h"
#include "core/ops/near_names.h"

#include <unordered_map>

namespace fx::ops {
namespace {

/// Of functions, by comparable names.
const std::unordered_map<std::string, CostClass>& costsByName() {
    static const auto kCosts = [] {
        std::unordered_map<std::string, CostClass> out;
        for (const std::string_view name : namesWithTraits())
            if (const CostClass cost = traitsOf(name).cost; familyOfFunction(name) != Family::Dropout)
                out.emplace(comparableName(name), cost);
        out["unfold"] = {CostClass::Kind::Memory, 0}; // the class copies, the method of tensors gives a view
        return out;
    }();
    return kCosts;
}

CostClass costOfFamily(Family family) {
    using Kind = CostClass::Kind;
    switch (family) {
    case Family::Dropout: return {Kind::Free, 0};
    case Family::Shape:
    case Family::Lookup: return {Kind::Memory, 0};
    case Family::Normalization: return traitsOf("batch_norm").cost;
    case Family::Pooling: return traitsOf("max_pool2d").cost;
    case Family::Reduction: return traitsOf("cross_entropy").cost; // losses
    default: return {Kind::Elementwise, 3};
    }
}

} // namespace

CostClass costOfModule(std::string_view qualifiedType) {
    std::string name = comparableName(qualifiedType.substr(qualifiedType.rfind('.') + 1));
    const auto& costs = costsByName();
    if (const auto found = costs.find(name); found != costs.end()) return found->second;
    const bool hasRank =
        name.size() > 2 && name.back() == 'd' && name[name.size() - 2] >= '1' && name[name.size() - 2] <= '3';
    if (const auto found = costs.find(hasRank ? name.substr(0, name.size() - 2) : name); found != costs.end())
        return found->second;
    return costOfFamily(familyOfModule(qualifiedType));
}

} // namespace fx::ops
