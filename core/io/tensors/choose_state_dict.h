// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/tensors/state_dicts.h"

#include <string>
#include <vector>

namespace fx {

/// The state dict of a file that is meant for a model.
struct ChosenDict {
    const StateDict* dict = nullptr; ///< one of those found in the file
    std::string prefix;              ///< what a wrapper added before the names of the model: "module."; or empty
    bool othersFit = false;          ///< other state dicts of the file fit in part
    std::string others;              ///< the keys of all, quoted

    /// A name of the state dict as the model has it.
    std::string nameOf(const std::string& name) const {
        return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
    }
};

/// Returns the state dict with the key of `file`; without a key, that which fits `wanted`, the state dict of the model,
/// best. `found` has at least one. Throws Error{Refused} for an unknown key, if several fit equally well, and if none
/// of several fits.
ChosenDict chooseStateDict(const std::vector<StateDict>& found, const WeightsFile& file, const NamedTensors& wanted);

} // namespace fx
