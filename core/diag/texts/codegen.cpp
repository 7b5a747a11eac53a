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
        {"codegen.not_computation",
         "generated code cannot compute the constant {text}: it does more than compute with tensors",
         "replace it by a tensor with values"},
        {"codegen.not_dotted", "expected names with dots between them, got {text}", "rename it"},
        {"codegen.not_identifier", "expected a Python identifier, got {text}", "rename it"},
        {"codegen.not_quotable", "generated code cannot quote the attribute name {text}", "rename it"},
        {"codegen.not_tuple_class",
         "generated code cannot call {name}: it is not known to be the class of a named tuple", "use a plain tuple"},
        {"codegen.not_value", "generated code cannot contain {text}: it is more than a value", "replace it by a value"},
        {"codegen.other_object",
         "generated code cannot import {object} for {shown}: the graph would show another function",
         "name it as Python does, by its module and its name in it"},
        {"codegen.renamed", "renamed the node {before} to {now}: it was not a Python identifier"},
        {"codegen.renamed_more", "renamed {count} more nodes whose names were not Python identifiers"},
        {"codegen.save_as_json", "save it as .json, which keeps everything"},
        {"codegen.tensor_type", "Python source cannot create a quantised, sparse or untyped tensor"},
    };
    return kTexts;
}

} // namespace fx::texts
