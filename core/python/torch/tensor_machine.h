// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/trace/constants/load_time_writes.h"

#include <functional>

namespace fx::python {

/// A decision needs values that are not drawn yet.
struct ValuesNeeded {};

/// Computes with tensors while a program runs. The tensors are those of the program, changed in place.
class TensorMachine : public trace::ConstantWatch {
public:
    /// Whether the program is inside of a `try`: then what fails throws trace::PythonError where it stands. Unset:
    /// never.
    std::function<bool()> isTrying;
    /// The generator of the program, from which random numbers are drawn; null: those of a generator of its own.
    TorchGenerator* random = nullptr;

    /// The bytes of the tensor are what the program has made of it so far.
    virtual void settle(const TensorPtr& tensor) = 0;
    /// The tensor with the bytes that the program has made of it so far; it may be another one. Throws ValuesNeeded.
    virtual TensorPtr valueOf(const TensorPtr& tensor) = 0;
    /// Gives all tensors of the tree their values; nothing else is computed any more.
    virtual void finish(const Module& root) = 0;
    /// `to.data = from`
    virtual void assign(const TensorPtr& to, const TensorPtr& from) = 0;
    /// Calls a module of PyTorch.
    virtual trace::Value callModule(const std::shared_ptr<Module>& module, const trace::Values& args,
                                    const trace::KeywordValues& kwargs) = 0;
};

} // namespace fx::python
