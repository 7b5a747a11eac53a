// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/operation_kinds.h"

#include "core/ops/module_cost.h"

namespace fx {
namespace {

using Kind = NodeCost::Kind;

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

OperationKind operationOf(const ops::CostClass& cost) { return {kindOf(cost.kind), cost.perElement, cost.ofInput}; }

} // namespace

OperationKind operationKind(std::string_view name) { return operationOf(ops::traitsOf(name).cost); }

OperationKind moduleKind(std::string_view qualifiedType) { return operationOf(ops::costOfModule(qualifiedType)); }

} // namespace fx
