// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts script() {
    static constexpr MessageText kTexts[] = {
        {"script.called_file_changed",
         "the model calls this TorchScript file, whose content is not what it was when the model was made from it",
         "restore the file, or open it again and repeat the edits"},
        {"script.called_file_gone", "the model calls this TorchScript file, which cannot be read: {reason}",
         "restore the file at this path"},
        {"script.called_file_unknown",
         "the model calls this TorchScript file without saying what it must hold (\"digest\")",
         "copy the file into the folder of the model and name it there"},
        {"script.caches", "{count} {count|dictionary entry or list|dictionary entries or lists} of modules that the "
                          "script sets when it runs "
                          "{count|is|are} computed from those of the file in each run"},
        {"script.cannot_be_fixed", "cannot fix input '{name}' of type {type} to {value}"},
        {"script.changes_list", "a list or dict is changed where its contents are not known"},
        {"script.checks_left_out", "{count} {count|check|checks} of inputs {count|is|are} not in the graph: {count|a "
                                   "branch|branches} of the script "
                                   "that only {count|raises|raise} an exception"},
        {"script.code_on_loading", "loading this TorchScript file runs its own code (__setstate__)", "",
         "use `lancet run` if you trust it"},
        {"script.constant", "it has a constant of type {type}"},
        {"script.content_gone",
         "the TorchScript file changed on disk while it was open, so its methods, attributes and extra files cannot "
         "be copied any more",
         "reload the file"},
        {"script.contexts_left_out",
         "{count} `with` {count|statement|statements} of the script (no_grad, record_function) {count|is|are} not in "
         "the graph: {count|it changes|they change} no values"},
        {"script.cyclic", "an object contains itself"},
        {"script.folded",
         "{count} {count|branch or loop|branches and loops} of the script {count|depends|depend} only on constants: "
         "the graph has what {count|it does|they do}"},
        {"script.follows_default",
         "the graph is that of calls where '{name}' is {value}, its default; other branches are left out",
         "open {graph} to see all of them", "open FILE#'{graph}' to see all of them, or fix the input with --concrete"},
        {"script.hooks", "cannot write a module of type {class} with forward hooks as TorchScript",
         "remove the hooks in Python first (remove_spectral_norm, prune.remove), or save the model as .pt, .lancet or "
         ".json"},
        {"script.not_compared",
         "the written file loads, but its results were not compared with those of the model: {reason}", "give inputs",
         "give inputs {how}"},
        {"script.not_compared_quantised", "the written file loads, but its results were not compared with those of the "
                                          "model: it takes quantised inputs, "
                                          "and the batches given are in floating point"},
        {"script.guess_fails", "the model does not run with guessed inputs ({reason})"},
        {"script.input_without_value", "its input '{name}' has no value"},
        {"script.block_is_shown",
         "this graph shows control flow of TorchScript, which runs as it is written: it cannot be edited",
         "edit the nodes around its call, or replace the call"},
        {"script.has_blocks",
         "{count} {count|part|parts} with control flow on values {count|is|are} kept as TorchScript: "
         "{count|it runs|they run}, but cannot be edited"},
        {"script.block_in_python", "Python code of torch.fx cannot hold {path}, which is control flow of TorchScript",
         "save the model as .ts, .json or .lancet"},
        {"script.object_in_python",
         "Python code of torch.fx cannot hold {path}, an object of {class} whose content only the TorchScript file has",
         "save the model as .ts, .json or .lancet"},
        {"script.has_objects",
         "{count} {count|object|objects} of C++ classes {count|is|are} used from this file: the model runs as long as "
         "the file is there"},
        {"script.has_sparse",
         "{count} sparse {count|tensor|tensors} {count|is|are} read from this file: the model runs as long as the file "
         "is there"},
        {"script.does_not_compile", "TorchScript cannot compile this model: {detail}"},
        {"script.exported", "cannot write an exported program as TorchScript directly",
         "write it as .pt first, which has its parameters as attributes"},
        {"script.index", "the worker described the script inconsistently",
         "install the same version of Lancet on both sides"},
        {"script.missing_operators",
         "no loaded library has the {count|operator|operators} {names}: the graph can be edited, but not run",
         "name the library in Worker Settings", "pass the library with --library FILE"},
        {"script.no_graph", "cannot create a graph from this TorchScript file: {reason}", "",
         "`lancet run` runs it as it is"},
        {"script.no_input", "TorchScript cannot express the input '{name}'"},
        {"script.no_literal", "TorchScript has no value of this kind",
         "change the argument, or save the model as .lancet or .json"},
        {"script.no_method", "missing method '{name}' in the TorchScript file, whose methods are: {methods}"},
        {"script.no_module", "cannot write a module of type {class} as TorchScript",
         "save the model as .pt, .lancet or .json"},
        {"script.not_recognised",
         "{count} {count|module|modules} of type {class} {count|is|are} shown as operators: {count|its|their} code "
         "does not show all settings"},
        {"script.no_object", "expected an object of a script in data.pkl"},
        {"script.no_words", "TorchScript has no operator for {target}",
         "replace it by operators, or save the model as .lancet or .json"},
        {"script.no_worker", "TorchScript is read by lancet-worker, which is not available here"},
        {"script.object", "it uses an object of {class}, which a graph cannot hold"},
        {"script.no_such_input", "'{method}' has no input '{name}'"},
        {"script.no_temporary", "cannot create a temporary file", "free space in the folder for temporary files"},
        {"script.other_overload", "TorchScript would call {got} instead of {wanted}",
         "change the types of the arguments, or save the model as .lancet or .json"},
        {"script.raises", "it always raises an exception here"},
        {"script.read_only", "the graph inside a TorchScript file can only be shown",
         "open its graph '{graph}', which calls the file"},
        {"script.recognised", "{count} of {all} modules of torch.nn were recognised from their code"},
        {"script.remote_worker", "TorchScript is written by a worker on this machine",
         "choose a local worker in the settings"},
        {"script.replaces_called", "the model calls this TorchScript file, so it cannot be written over it",
         "choose another name"},
        {"script.runs_differently", "the written TorchScript gives other results than the model",
         "nothing was replaced; save the model as .lancet or .json"},
        {"script.sets_attribute", "it assigns to the attribute '{name}' of a module"},
        {"script.shows_inside",
         "this graph shows what the TorchScript file does; it cannot be changed, and where it is run, the file runs"},
        {"script.temporary_full", "cannot write the temporary file {file}: {detail}",
         "free space in the folder for temporary files"},
        {"script.too_deep", "calls or values are nested too deeply"},
        {"script.too_long", "the script takes more than {count} steps to follow"},
        {"script.too_many_items", "its lists have too many items to follow"},
        {"script.too_many_objects", "its {name} holds more than {limit} objects",
         "save the model again with torch.jit.save, its large lists as tensors"},
        {"script.too_many_paths", "its {name} has modules that share children, with more than {limit} paths",
         "save the model again without modules that it does not call"},
        {"script.too_much", "the worker sends more than the model can be"},
        {"script.unknown_call", "it calls {name}, which is not known when the file is read"},
        {"script.unknown_object", "it passes an object where a graph has values"},
        {"script.unpacks_to_much", "its compressed members unpack to more than {ratio} times their size",
         "save the model again with torch.jit.save, which compresses only code"},
        {"script.whole_file", "the graph is one call of this file, which the model needs to run: {reason}",
         "open {graph} to see what is in it", "open FILE#'{graph}' to see what is in it"},
        {"script.worker_failed", "LibTorch failed while it loaded this TorchScript file: {reason}",
         "the file may be damaged; write it again with torch.jit.save"},
    };
    return kTexts;
}

} // namespace fx::texts
