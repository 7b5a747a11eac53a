// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/module/module.h"

namespace fx {

/// Arguments of a constructor by name: values, and modules that are passed in (`encoder_layer` of a
/// TransformerEncoder).
struct ModuleSettings {
    std::vector<std::pair<std::string, Argument>> values;
    std::vector<std::pair<std::string, std::shared_ptr<Module>>> modules;
};

/// A new module as created by PyTorch's constructor, with the weights after `torch.manual_seed(seed)`.
///
/// `type`: "torch.nn.Conv2d". Throws Error{Refused} for classes that are not PyTorch's or that Lancet cannot create
/// (lazy modules, base classes, most of torch.ao), for unknown settings, and for missing required settings.
std::shared_ptr<Module> makeModule(std::string_view type, const ModuleSettings& settings, std::uint64_t seed = 0);

/// The same with weights drawn from `random`, so that several modules are created as in one Python program.
std::shared_ptr<Module> makeModule(std::string_view type, const ModuleSettings& settings, TorchGenerator& random);

} // namespace fx
