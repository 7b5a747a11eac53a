// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts quant() {
    static constexpr MessageText kTexts[] = {
        {"quant.observer_setting", "{type} does not take {setting}={value}"},
        {"quant.order_form", "expected [module name, object type, index, qconfig]"},
        {"quant.rule_form", "expected [name, qconfig]"},
        {"quant.setting_kind", "expected a number, text, true, false or null"},
        {"quant.unknown_base", "unknown base '{name}'", "use \"default\" or \"none\""},
        {"quant.unknown_key", "unknown key '{key}'"},
        {"quant.unknown_observer", "unknown observer '{type}'",
         "use a class of torch.ao.quantization.observer or fake_quantize, or a name such as default_weight_observer"},
        {"quant.unknown_qconfig", "unknown qconfig '{name}'",
         "use a name of torch.ao.quantization such as default_dynamic_qconfig, or {\"activation\": …, \"weight\": …}"},
        {"quant.unknown_setting", "{type} has no setting '{setting}'"},
    };
    return kTexts;
}

} // namespace fx::texts
