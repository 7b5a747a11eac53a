// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// Returns the ParametrizationList that computes the tensor `name` of a module (torch.nn.utils.parametrize); null if
/// the module holds the tensor itself.
const Module* parametrizationOf(const Module& module, std::string_view name);
/// Returns "Conv1d" for a ParametrizedConv1d; empty for modules without parametrisations.
std::string_view classBeforeParametrizations(const Module& module);
/// Returns the tensor that a ParametrizationList computes.
Value parametrizedTensor(const Module& list, TensorStore& tensors);
/// Returns the forward of a class of torch.nn.utils.parametrizations, or null.
ModuleForm parametrizationForm(const Module& module);

} // namespace fx::engine
