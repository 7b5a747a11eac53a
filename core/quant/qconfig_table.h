// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/qconfig.h"

namespace fx::quant {

/// A rule of a default QConfigMapping: for one object type, or for all nodes if `objectType` is empty.
struct DefaultRule {
    std::string objectType;
    QConfigPtr qconfig; ///< null: nodes of this type are not quantised
};
/// Returns the rules of `mapping/x86/ptq` and similar tables, in torch.ao's order.
std::vector<DefaultRule> defaultRules(std::string_view mapping);

} // namespace fx::quant
