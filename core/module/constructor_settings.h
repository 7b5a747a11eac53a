// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// A constructor argument, recovered from a module.
struct Setting {
    std::string name;
    Argument value;
    bool isDefault = false;
    bool required = false; ///< the parameter has no default
};

/// The settings of a module's constructor, in the constructor's order, as far as they can be recovered from its
/// attributes, parameters and children. For classes outside PyTorch: its public plain attributes.
std::vector<Setting> constructorSettings(const Module& module);

/// Names of required constructor parameters that `settings` lacks; if empty, the settings suffice to recreate the
/// module. "?" for classes outside PyTorch.
std::vector<std::string> missingSettings(const Module& module, const std::vector<Setting>& settings);

} // namespace fx
