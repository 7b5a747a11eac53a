// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts calls() {
    static constexpr MessageText kTexts[] = {
        {"call.argument_type", "{function}(): expected {expected} for '{name}', got {got}", "call {form}"},
        {"call.asks_type", "{function}() asks what an input is, which its trace does not know"},
        {"call.both_given", "{function}() takes '{first}' or '{second}', not both", "call {form}"},
        {"call.given_twice", "{function}() gets its argument '{name}' twice", "call {form}"},
        {"call.method_without_tensor", "the method '{name}' has no tensor to call it on",
         "give the tensor as the first argument"},
        {"call.missing_argument", "{function}() lacks its argument '{name}'", "call {form}"},
        {"call.module_class", "'{name}' is a module class: calling it creates a module and computes nothing",
         "create the module, then call it: {name}(...)(x)"},
        {"call.module_in_code", "code of a graph cannot create modules: {type}",
         "add the module first, then call it by its path: self.relu(x)"},
        {"call.reaches_code", "{name} loads or runs other code: Lancet runs no such call of a model",
         "replace or erase it, or run the model in Python if you trust it"},
        {"call.reaches_files", "{name} opens a file that its arguments name: Lancet runs no such call of a model",
         "replace or erase it, or run the model in Python if you trust it"},
        {"call.reaches_memory", "{name} works on memory beyond its tensors: Lancet runs no such call of a model",
         "replace or erase it, or run the model in Python if you trust it"},
        {"call.reaches_processes", "{name} reaches other processes or this one: Lancet runs no such call of a model",
         "replace or erase it, or run the model in Python if you trust it"},
        {"call.too_many", "{function}() takes at most {most} {most|argument|arguments} by position, got {given}",
         "call {form}"},
        {"call.none_given", "{function}() needs '{first}' or '{second}'", "give one of them a value"},
        {"call.unknown_function", "PyTorch has no '{name}'", "did you mean '{near}'?"},
        {"call.unknown_keyword", "{function}() has no argument '{name}'", "did you mean '{near}'?"},
        {"call.unknown_method", "tensors have no method '{name}'", "did you mean '{near}'?"},
        {"call.attribute", "it uses '{name}', which a graph does not follow"},
        {"call.changes_object", "it changes '{what}', which is older than the call: a graph keeps nothing in Python",
         "keep values in buffers, and write to them in place"},
        {"call.context", "it enters the context '{name}', which a graph does not"},
        {"call.creates_module", "it creates a module of class {type}", "create the module in __init__"},
        {"call.hook", "it calls a module of class {type} with forward hooks, which a graph does not run",
         "call what the hooks do in forward"},
        {"call.identity", "it compares a tensor with 'is', and other names may mean the same tensor"},
        {"call.not_proven", "it uses {name}, which may give another result in each call",
         "compute it outside of the call, and pass the result"},
        {"call.statement", "it uses the statement '{statement}', which a trace does not follow"},
        {"call.traced", "{count} {count|call runs|calls run} as {count|a graph|graphs} traced from {count|its|their} "
                        "Python source"},
        {"call.writes_constant",
         "it changes or returns a tensor that is neither part of the model nor made by the call",
         "register it as a buffer"},
        {"call.keeps_state", "it keeps values in Python between its calls, which a graph does not",
         "register them as buffers, and write to them in place"},
        {"call.several_sources", "several files define {name}: {files}", "keep only one of them",
         "pass --path DIR, a folder with only one of them"},
        {"call.same_name",
         "the source gives the name {name} to several classes or functions, and the call tells only the name",
         "give each its own name"},
        {"call.not_found", "no source at hand defines {name}"},
    };
    return kTexts;
}

} // namespace fx::texts
