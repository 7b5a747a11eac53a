// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/module/module.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fx {

/// A module that a source creates where it calls it, as data: `nn.Conv2d(3, 8, 1)`. It can be instantiated any number
/// of times.
struct NewModule {
    struct Named;     ///< a name and its module; unlike a pair, std::vector accepts it before NewModule is complete
    std::string type; ///< "torch.nn.Conv2d"
    std::vector<std::pair<std::string, Argument>> values; ///< arguments of the constructor by name
    std::vector<Named> modules; ///< arguments that are modules, by name; children of a container

    /// Returns true for torch.nn.Sequential, ModuleList and ModuleDict, whose children are `modules`.
    bool isContainer() const;
    /// Instantiates the module as Python's expression does: inner modules first, all with weights of the same
    /// generator. Throws Error{Refused} as `makeModule`.
    std::shared_ptr<Module> make(TorchGenerator& random) const;
};

/// An argument or a child that is a module.
struct NewModule::Named {
    std::string name;
    NewModule module;
};

/// Returns the attribute name for a new module: "relu6" for torch.nn.ReLU6, "batch_norm2d" for torch.nn.BatchNorm2d.
std::string attributeName(std::string_view type);

/// The modules that a source creates in a body, by the name under which the traced graph calls them. torch.fx cannot
/// trace such calls.
using NewModules = std::vector<std::pair<std::string, NewModule>>;

} // namespace fx
