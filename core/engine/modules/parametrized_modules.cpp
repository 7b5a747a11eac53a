// SPDX-License-Identifier: GPL-3.0-or-later
// Modules whose weights are computed at each access: torch.nn.utils.parametrize and the parametrisations of PyTorch.
#include "core/engine/modules/parametrized_modules.h"

#include "core/engine/dispatch.h"

#include <ATen/TensorOperators.h>

namespace fx::engine {
namespace {

constexpr std::string_view kPrefix = "Parametrized";

/// (length, direction) → weight
Value weightNorm(const ModuleCall& m) {
    return callOperator("aten::_weight_norm", {{m.input(1), m.input(0), m["dim"]}, {}});
}

at::Tensor normalized(const at::Tensor& vector, const Value& eps) {
    return callFunction("torch.nn.functional.normalize", {vector, 2.0, 0, eps}).tensor();
}

/// The weight over its largest singular value, which power iterations approach: `_u` and `_v` keep where they are.
Value spectralNorm(const ModuleCall& m) {
    const at::Tensor weight = m.tensor("$0");
    if (weight.dim() == 1) return normalized(weight, m["eps"]);
    const at::Tensor rows = weight.movedim(m.integer("dim"), 0).flatten(1);
    at::Tensor u = m.tensor("_u"), v = m.tensor("_v");
    const std::int64_t turns = m.training() ? m.integer("n_power_iterations") : 0;
    for (std::int64_t turn = 0; turn < turns; ++turn) {
        u.copy_(normalized(rows.mv(v), m["eps"]));
        v.copy_(normalized(rows.mH().mv(u), m["eps"]));
    }
    return weight / u.vdot(rows.mv(v));
}

/// Orthonormal columns from the reflections that the part below the diagonal describes.
at::Tensor reflected(const at::Tensor& tall) {
    const at::Tensor reflectors = tall.tril(-1);
    const at::Tensor scales = 2.0 / ((reflectors * reflectors).sum(-2) + 1.0);
    const at::Tensor made = callOperator("aten::linalg_householder_product", {{reflectors, scales}, {}}).tensor();
    return made * tall.diagonal(0, -2, -1).to(at::kInt).unsqueeze(-2);
}

/// Orthonormal columns from a skew matrix: its exponential, or its Cayley transform.
at::Tensor rotated(const at::Tensor& tall, bool isCayley) {
    const std::int64_t columns = tall.size(-1), missing = tall.size(-2) - columns;
    at::Tensor lower = tall.tril();
    if (missing > 0) lower = callFunction("torch.nn.functional.pad", {lower, Value::list({0, missing})}).tensor();
    const at::Tensor skew = lower - lower.mH();
    at::Tensor turn;
    if (isCayley) {
        const Value one = callFunction("torch.eye", Arguments{{skew.size(-1)}, {{"dtype", skew.scalar_type()}}});
        turn = callOperator("aten::linalg_solve", {{one.tensor().add(skew, -0.5), one.tensor().add(skew, 0.5)}, {}})
                   .tensor();
    } else {
        turn = skew.matrix_exp();
    }
    return missing > 0 ? turn.narrow(-1, 0, columns) : turn;
}

Value orthogonal(const ModuleCall& m) {
    const at::Tensor given = m.tensor("$0");
    const bool isWide = given.size(-2) < given.size(-1);
    const at::Tensor tall = isWide ? given.mT() : given;
    const std::string map = m.text("_map");
    at::Tensor made = map == "householder" ? reflected(tall) : rotated(tall, map == "cayley");
    if (m.has("base")) made = m.tensor("base").matmul(made);
    return isWide ? made.mT() : made;
}

} // namespace

const Module* parametrizationOf(const Module& module, std::string_view name) {
    if (module.children.empty()) return nullptr;
    const Module* lists = module.child("parametrizations");
    return lists ? lists->child(name) : nullptr;
}

std::string_view classBeforeParametrizations(const Module& module) {
    const std::string_view name = module.className;
    return name.starts_with(kPrefix) && module.child("parametrizations") ? name.substr(kPrefix.size())
                                                                         : std::string_view();
}

Value parametrizedTensor(const Module& list, TensorStore& tensors) {
    const Arguments none;
    const ModuleCall call(list, tensors, none);
    Arguments given;
    if (call.has("original")) given.positional.push_back(call["original"]);
    for (int at = 0; call.has("original" + std::to_string(at)); ++at)
        given.positional.push_back(call["original" + std::to_string(at)]);
    for (const Module::Child& child : list.children) {
        if (!child.module) continue;
        Value made = callModule(*child.module, tensors, given);
        given = Arguments{{std::move(made)}, {}};
    }
    return given.positional.empty() ? Value() : given.positional.front();
}

ModuleForm parametrizationForm(const Module& module) {
    if (module.classModule != "torch.nn.utils.parametrizations") return nullptr;
    if (module.className == "_WeightNorm") return weightNorm;
    if (module.className == "_SpectralNorm") return spectralNorm;
    if (module.className == "_Orthogonal") return orthogonal;
    return nullptr;
}

} // namespace fx::engine
