// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts codegen() {
    static constexpr MessageText kTexts[] = {
        {"codegen.attribute", "Python source cannot create the attribute that the graph reads"},
        {"codegen.empty_child", "Python source cannot create an empty child of {type}"},
        {"codegen.method_without_object", "call_method node '{node}' has no object to call the method on"},
        {"codegen.missing_positional", "Replacement index {index} out of range for positional args tuple",
         "pass more arguments to operator.{operator}"},
        {"codegen.module_name", "Python source cannot name a module {name}"},
        {"codegen.save_as_json", "save it as .json, which keeps everything"},
        {"codegen.tensor_type", "Python source cannot create a quantised, sparse or untyped tensor"},
    };
    return kTexts;
}

} // namespace fx::texts
