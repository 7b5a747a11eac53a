// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/module/module.h"

namespace fx {

/// The arguments of a constructor by name: plain values, and modules (`encoder_layer` of a TransformerEncoder).
struct ModuleSettings {
    std::vector<std::pair<std::string, Argument>> values;                 ///< plain arguments
    std::vector<std::pair<std::string, std::shared_ptr<Module>>> modules; ///< arguments that are modules
};

/// Creates a module as PyTorch's constructor does, with the weights after `torch.manual_seed(seed)`.
///
/// `type` is as in "torch.nn.Conv2d". Throws Error{Refused} for classes outside of PyTorch or that Lancet cannot create
/// (lazy modules, base classes, most of torch.ao), for unknown settings, and for missing required settings.
std::shared_ptr<Module> makeModule(std::string_view type, const ModuleSettings& settings, std::uint64_t seed = 0);

/// Creates a module with weights drawn from `random`, so that several modules are created as in one Python program.
std::shared_ptr<Module> makeModule(std::string_view type, const ModuleSettings& settings, TorchGenerator& random);

} // namespace fx
