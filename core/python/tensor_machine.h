// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/load_time_writes.h"

namespace fx::python {

/// Computes with tensors while a program runs. The tensors are those of the program, changed in place.
class TensorMachine : public trace::ConstantWatch {
public:
    /// The bytes of the tensor are what the program has made of it so far.
    virtual void settle(const TensorPtr& tensor) = 0;
    /// `to.data = from`
    virtual void assign(const TensorPtr& to, const TensorPtr& from) = 0;
    /// Calls a module of PyTorch.
    virtual trace::Value callModule(const std::shared_ptr<Module>& module, const trace::Values& args,
                                    const trace::KeywordValues& kwargs) = 0;
};

} // namespace fx::python
