// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/python/torch/shared_memory.h"
#include "core/trace/constants/load_time_writes.h"

#include <functional>
#include <string_view>

namespace fx::python {

/// Thrown when a decision needs values that are not drawn yet.
struct ValuesNeeded {};

/// The text of tensors whose values a machine computes later.
inline constexpr std::string_view kComputedLater = "computed";

/// Computes with tensors while a program runs. It changes the tensors of the program in place.
class TensorMachine : public trace::ConstantWatch {
public:
    /// Returns true while the program is inside a `try`; failures then throw trace::PythonError at once. If unset,
    /// never.
    std::function<bool()> isTrying;
    /// The program's random number generator; if null, a separate one is used.
    TorchGenerator* random = nullptr;
    /// Sharing that earlier computations have left.
    std::shared_ptr<SharedMemory> memory = std::make_shared<SharedMemory>();

    /// Updates the bytes of the tensor to the current state of the program.
    virtual void settle(const TensorPtr& tensor) = 0;
    /// Returns the tensor with its current bytes, possibly as a different object. Throws `ValuesNeeded`.
    virtual TensorPtr valueOf(const TensorPtr& tensor) = 0;
    /// Returns true if the elements follow each other in row-major order.
    virtual bool liesInRows(const TensorPtr& tensor) = 0;
    /// Gives all tensors below `root`, and those in `held`, their values. Nothing is computed afterwards.
    virtual void finish(const Module& root, const std::vector<TensorPtr>& held) = 0;
    /// Takes over what an earlier machine of the same program computed. Before any other call.
    virtual void continueFrom(const TensorMachine& earlier) = 0;
    /// Performs `to.data = from`.
    virtual void assign(const TensorPtr& to, const TensorPtr& from) = 0;
    /// Makes `to`, a new tensor object with the bytes and sizes of `from`, see what is written to `from`.
    virtual void share(const TensorPtr& to, const TensorPtr& from) = 0;
    /// Returns true if what is written to a tensor must be a call, because computations to come read its memory.
    virtual bool isInUse(const TensorPtr& tensor) const = 0;
    /// Gives new bytes to a tensor that is not in use and has all of its memory, and to all that share this memory.
    virtual void exchange(const TensorPtr& tensor, const std::shared_ptr<const Storage>& content) = 0;
    /// Calls a module of torch.nn.
    virtual trace::Value callModule(const std::shared_ptr<Module>& module, const trace::Values& args,
                                    const trace::KeywordValues& kwargs) = 0;
};

} // namespace fx::python
