// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/bound_call.h"
#include "core/engine/tensor_store.h"
#include "core/module/module.h"

namespace fx::engine {

/// One call of an nn.Module, with its attributes, parameters, buffers and inputs as names.
///
/// `$0`, `$1`, ... are the inputs by position; `training` is the module's flag. Unknown names are errors; missing
/// inputs are None.
class ModuleCall : public Names {
public:
    /// `inputs` names the parameters of the module's forward, for inputs given by keyword.
    ModuleCall(const Module& module, TensorStore& tensors, const Arguments& arguments);

    /// The called module.
    const Module& module() const { return m_module; }
    /// The inputs of the call.
    const Arguments& arguments() const { return m_arguments; }
    Value operator[](std::string_view name) const override;
    /// True if the module has an attribute, parameter or buffer with this name.
    bool has(std::string_view name) const;
    /// Returns an input by position or by the name of forward's parameter; None if it is missing.
    Value input(std::size_t index, std::string_view name = {}) const;
    /// The mode of the module.
    bool training() const { return m_module.training; }
    /// Calls the child with this name.
    Value child(std::string_view name, Values inputs) const;
    /// Returns the child with this name; throws Error{Run} if it is missing.
    const Module& childModule(std::string_view name) const;
    /// The tensors of the model.
    TensorStore& tensors() const { return m_tensors; }

private:
    const Module& m_module;
    TensorStore& m_tensors;
    const Arguments& m_arguments;
};

/// The forward of a module class that needs several calls.
using ModuleForm = Value (*)(const ModuleCall& call);
/// Returns the form of a class, or null.
ModuleForm moduleForm(std::string_view className);
/// Returns the form of RNN, LSTM, GRU and their cells, or null.
ModuleForm recurrentForm(std::string_view className);
/// Returns the form of a transformer class, or null.
ModuleForm transformerForm(std::string_view className);

/// Runs the forward of a torch.nn module like PyTorch, in the mode given by `training`. State that the forward changes
/// (running statistics) changes in `tensors`. Throws Error{Run} for unsupported classes.
Value callModule(const Module& module, TensorStore& tensors, const Arguments& arguments);

} // namespace fx::engine
