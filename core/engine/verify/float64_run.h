// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/verify.h"

#include <c10/core/DefaultDtype.h>

#include <utility>
#include <vector>

namespace fx::engine {

/// Converts the float32, float16 and bfloat16 parameters, buffers and plain tensors of a model to float64 during its
/// lifetime; a run then shows the rounding of these types. Also sets the global default dtype to float64, for floats
/// without a named dtype (`n * 0.1` of integers). Replaces the data of the store's tensors in place, and the destructor
/// restores them.
class InDouble {
public:
    /// Perturbs the tensors for which `moved` is true by one rounding of their type; an empty `moved` perturbs none.
    InDouble(const GraphModule& model, TensorStore& tensors, const std::function<bool(const at::Tensor&)>& moved = {});
    ~InDouble();
    InDouble(const InDouble&) = delete;
    InDouble& operator=(const InDouble&) = delete;

private:
    std::vector<std::pair<at::Tensor, at::Tensor>> m_before; ///< tensors with their original data
    caffe2::TypeMeta m_default;                              ///< the original default dtype
};

/// Returns a copy of the model whose nodes name float64 instead of the narrow types that the model computes in:
/// `x.half()`, `softmax(x, dtype=torch.float32)`. float32 counts as one of them if the model has any. Node ids stay the
/// same.
std::shared_ptr<const GraphModule> namingDouble(const VerifySide& side);

/// Returns a copy with float32, float16 and bfloat16 tensors converted to float64.
Value inDouble(const Value& value);
/// Converts all inputs likewise.
RunInputs inDouble(const RunInputs& inputs);

/// Runs a model in float64 on its given inputs, from its initial state. Returns nullopt if that fails with Error{Run}.
/// `moved` is passed to `InDouble`. Restores the state of the tensors and of the random generator.
std::optional<Value> exactOutput(const VerifySide& side, const VerifyOptions& options,
                                 const std::function<bool(const at::Tensor&)>& moved = {});

/// True for float32, float16 and bfloat16, whose rounding a float64 run shows.
bool isNarrow(at::ScalarType type);
/// Visits the parameters, buffers and tensor attributes of all modules of a model.
void forEachOwn(const GraphModule& model, TensorStore& tensors, const std::function<void(at::Tensor)>& action);

} // namespace fx::engine
