// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/qconfig.h"

namespace fx::quant {

/// A rule of a default QConfigMapping: for this object type, or for all if it is empty.
struct DefaultRule {
    std::string objectType;
    QConfigPtr qconfig;
};
/// The rules of `mapping/x86/ptq` and the like, in torch.ao's order.
std::vector<DefaultRule> defaultRules(std::string_view mapping);

} // namespace fx::quant
