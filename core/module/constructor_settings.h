// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// A constructor argument recovered from a module.
struct Setting {
    std::string name; ///< name of the parameter
    Argument value;
    bool isDefault = false; ///< equals the default of the parameter
    bool required = false;  ///< the parameter has no default
};

/// Recovers the constructor arguments of a module from its attributes, parameters and children, in the order of the
/// constructor. Classes outside of PyTorch return their public plain attributes.
std::vector<Setting> constructorSettings(const Module& module);

/// Returns the names of required constructor parameters that `settings` lacks. If empty, the settings suffice to
/// recreate the module. Classes outside of PyTorch return "?".
std::vector<std::string> missingSettings(const Module& module, const std::vector<Setting>& settings);

} // namespace fx
