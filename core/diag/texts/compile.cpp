// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts compile() {
    static constexpr MessageText kTexts[] = {
        {"compile.argument_kept", "argument kept as text: {text}"},
        {"compile.argument_too_deep", "arguments are nested deeper than {limit} levels"},
        {"compile.damaged_records", "{count} {count|record|records} of the log cannot be read: it was cut, or "
                                    "processes wrote to it at the same time"},
        {"compile.damaged_text",
         "the text of \"{name}\" is not what PyTorch wrote: the log was cut or changed, or processes "
         "wrote to it at the same time"},
        {"compile.no_class", "expected a class of torch.nn.Module with a forward"},
        {"compile.no_compilation", "the dump contains no compilation"},
        {"compile.no_dump", "expected a log or folder of TORCH_TRACE, or a folder of TORCH_COMPILE_DEBUG"},
        {"compile.no_forward", "expected `def forward(self, ...):`"},
        {"compile.no_modules", "{count} {count|module is|modules are} not in the dump; the model cannot be run",
         "save the model in Python: torch.save(torch.fx.symbolic_trace(model), 'model.pt')"},
        {"compile.no_values",
         "the values of {count} {count|attribute|attributes} are not in the dump; the model cannot be run",
         "open fx_graph_runnable.py of the same compilation, which has the values of small constants"},
        {"compile.stage_is_code", "stage \"{name}\" is generated code, not a graph", "",
         "print it with `lancet compilation PATH --stage ID`"},
        {"compile.stage_needed", "expected one graph, got what torch.compile wrote for several",
         "open one of its stages", "list the stages with `lancet compilation PATH` and name one: PATH#ID"},
        {"compile.text_too_large", "the text is larger than {limit} bytes"},
        {"compile.too_deep", "classes are nested deeper than {limit} levels"},
        {"compile.unexpected_expression", "expected an expression that torch.fx prints"},
        {"compile.unexpected_statement", "expected a statement that torch.fx prints"},
        {"compile.unfinished", "expected `NAME = VALUE` after an in-place operation"},
        {"compile.unknown_stage", "unknown stage \"{id}\"", "use one of {known}"},
        {"compile.values_not_in_dump", "the values of \"{name}\" are not in the dump",
         "open fx_graph_runnable.py of the same compilation, which has the values of small constants"},
    };
    return kTexts;
}

} // namespace fx::texts
