// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {
namespace {

constexpr MessageText kTexts[] = {
    {"app.cancelled", "cancelled"},
    {"cli.balance_stages", "--balance needs --stages"},
    {"cli.cannot_start_window", "cannot start {program}: {detail}", "install lancet-gui beside lancet or on PATH"},
    {"cli.cannot_write", "cannot write {output}: {detail}"},
    {"cli.color_partition", "--color partition and --support RULES.json belong together"},
    {"cli.color_svg", "--color {color} is for .svg", "write it as .svg"},
    {"cli.color_time", "inputs are for --color time, which runs the model"},
    {"cli.device", "unsupported device {device}: models run on the CPU only"},
    {"cli.dot_no_better", "dot found no better order at any level: the picture is that of the layered engine"},
    {"cli.guessed", "guessed the input {input}"},
    {"cli.input", "--input {text}: {reason}", "",
     "write NAME=SHAPE[:DTYPE], e.g. x=1x3x224x224:float32 or ids=1x128:int64<30000>"},
    {"cli.input_dtype", "unknown dtype '{dtype}'"},
    {"cli.input_name", "missing name"},
    {"cli.input_range", "missing '>' after the range of integers"},
    {"cli.input_shape", "the shape ends with an x"},
    {"cli.input_size", "expected a size, got '{text}'"},
    {"cli.inputs_twice", "expected --inputs or --input, not both"},
    {"cli.internal", "internal error: {detail}"},
    {"cli.no_dtypes", "the file gives no dtypes: nothing is colored"},
    {"cli.no_memory", "not enough memory"},
    {"cli.no_partition_left",
     "no partition is left: {count} {count|node is|nodes are} supported, and none can be grouped", "",
     "pass --allow-single to keep single nodes"},
    {"cli.no_partitions", "the rules make no partition: nothing is colored"},
    {"cli.no_pipe", "cannot create a pipe: {detail}"},
    {"cli.no_process", "cannot start a process: {detail}"},
    {"cli.no_such_file", "no such file"},
    {"cli.not_defined", "unknown function or class '{name}' in the file", "define it there",
     "name another file with --{name}"},
    {"cli.nothing_supported", "the rules support no node of the model"},
    {"cli.output_format", "unknown output format of {output}",
     "write it as .pt (for torch.load), .pt2 (of an exported program), NAME/ (a folder), .json (graph and weights), "
     ".lancet (project) or .py (source only)"},
    {"cli.output_is_model", "{output} is the model itself, which would be overwritten",
     "name another file for the result"},
    {"cli.overlapping_matches", "cannot replace all matches: they share nodes", "", "leave out --relax overlap"},
    {"cli.partition_how", "missing --support or --stages"},
    {"cli.pass_settings", "the settings of {name} must be a JSON object: {detail}", "",
     "for example cse='{\"safe\": false}'"},
    {"cli.picture_as", "--as is for -o -; the extension of a file gives its format"},
    {"cli.picture_format", "unknown picture format of {output}", "write it as .svg, .dot, .json, .png or .pdf"},
    {"cli.picture_stdin", "{kind} pictures need a file, not standard input"},
    {"cli.pipeline_stages", "--pipeline needs --stages"},
    {"cli.rules_unused", "--stages cuts all calls of the model: the rules of {file} are not used"},
    {"cli.run_stdin", "run needs files for inputs and results, not standard input and output"},
    {"cli.script_code", "loading this TorchScript file runs its own code (__setstate__)", "",
     "use `lancet run` if you trust it"},
    {"cli.standard_input", "cannot {action}: {detail}"},
    {"cli.stdin_twice", "only one of the models can be standard input"},
    {"cli.stdout_twice", "-o - and --json both write to standard output"},
    {"cli.step_json", "--step expects a JSON object: {detail}", "",
     "for example --step '{\"step\": \"rename\", \"node\": \"relu\", \"name\": \"act\"}'"},
    {"cli.step_object", "--step expects a JSON object", "",
     "for example --step '{\"step\": \"rename\", \"node\": \"relu\", \"name\": \"act\"}'"},
    {"cli.tolerance", "--tolerance expects DTYPE=RTOL,ATOL, got {text}", "",
     "for example --tolerance float16=1e-2,1e-3"},
    {"cli.torchscript_output", "this version does not write TorchScript files"},
    {"cli.unknown_module", "unknown module '{path}' in the picture", "",
     "see `lancet modules` for the modules; those without nodes are not drawn"},
    {"cli.unknown_node", "unknown node '{name}'", "", "see `lancet graph` for the nodes"},
    {"cli.unknown_verb", "unknown verb '{name}'", "",
     "see `lancet --help` for the verbs; write a file of that name as ./{name}"},
    {"cli.window_failed", "lancet-gui failed"},
};

} // namespace

MessageTexts app() { return kTexts; }

} // namespace fx::texts
