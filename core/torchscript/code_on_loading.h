// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx::script {

/// Returns true if loading a file with this code (of the member `code/__torch__/...py`) runs its methods. Ignores the
/// `__setstate__` of torch.ao.nn's convolutions if PyTorch wrote it: it assigns the parts of its state, and packs the
/// weights.
bool runsOnLoading(std::string_view member, std::string_view code);

} // namespace fx::script
