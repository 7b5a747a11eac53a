// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// A constructor argument as the finished module shows it.
struct Setting {
    std::string name;
    Argument value;
    bool isDefault = false;
    bool required = false; ///< the parameter has no default
};

/// The settings of a module's constructor, in the constructor's order, as far as the module's attributes, parameters
/// and children tell them. Of a class that is not PyTorch's: its public plain attributes.
std::vector<Setting> constructorSettings(const Module& module);

/// Names of the constructor's parameters that have no default and that `settings` does not have; empty: the settings
/// suffice to make the module again. A class that is not PyTorch's has unknown ones: "?".
std::vector<std::string> missingSettings(const Module& module, const std::vector<Setting>& settings);

} // namespace fx
