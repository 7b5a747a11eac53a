// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts python() {
    static constexpr MessageText kTexts[] = {
        {"python.bad_number", "'{text}' is not a number"},
        {"python.bad_target", "expected MODULE:NAME, got '{target}'", "write it as package.module:Net or net.py:Net"},
        {"python.cannot_start", "cannot start '{program}': {detail}",
         "name a Python interpreter with PyTorch installed"},
        {"python.control_flow", "TraceError: symbolically traced variables cannot be used as inputs to control flow"},
        {"python.default_before_plain", "non-default argument follows default argument"},
        {"python.dict_key_without_value", "a dict needs a value for every key"},
        {"python.duplicate_parameter", "duplicate argument '{name}' in function definition"},
        {"python.empty_body", "IndentationError: expected an indented block after function definition"},
        {"python.ended_by_signal", "'{program}' was ended by a signal: {signal}"},
        {"python.expected", "expected '{text}'"},
        {"python.expected_argument_name", "a keyword argument needs a name"},
        {"python.expected_attribute_name", "expected a name after '.'"},
        {"python.expected_class_name", "expected a class name"},
        {"python.expected_expression", "expected an expression"},
        {"python.expected_index", "expected an index"},
        {"python.expected_module_name", "expected a module name"},
        {"python.expected_parameter_name", "expected a parameter name"},
        {"python.expression_too_deep", "expression is nested deeper than {limit} levels"},
        {"python.fstring_conversion", "f-string: invalid conversion '!{text}': expected 's', 'r', or 'a'"},
        {"python.fstring_open", "f-string: expecting '}'"},
        {"python.fstring_single_brace", "f-string: single '}' is not allowed"},
        {"python.higher_order_operands", "AssertionError: the operands of torch.ops.higher_order.{name} can only be "
                                         "tensors and integers, and tracing gives it proxies"},
        {"python.hidden_proxy",
         "RuntimeError: {name} expected a list of integers, got one with a traced value after a number, which PyTorch "
         "does not find there"},
        {"python.input_without_python", "inputs are only used to trace with another Python", "",
         "leave --input out, or pass --python"},
        {"python.invalid_statement", "this statement has a syntax error"},
        {"python.item_assignment", "TypeError: 'Proxy' object does not support item assignment"},
        {"python.iterated",
         "TraceError: Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a "
         "*args or **kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of "
         "what types of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy "
         "iteration errors"},
        {"python.keyword_as_name", "'{name}' is a keyword"},
        {"python.len",
         "RuntimeError: 'len' is not supported in symbolic tracing by default. If you want this call to be "
         "recorded, please call torch.fx.wrap('len') at module scope"},
        {"python.mixed_strings", "cannot mix bytes and text literals"},
        {"python.needs_inputs",
         "torch.fx.symbolic_trace refused: {reason}; torch.export needs example inputs: {detail}",
         "give a shape for each input", "pass --input NAME=SHAPE for each input"},
        {"python.never_closed", "'{text}' was never closed"},
        {"python.no_block", "expected an indented block"},
        {"python.no_folder", "cannot create a folder for the result: {path}"},
        {"python.no_result", "'{program}' ended with code {code} and without a result", "see its output"},
        {"python.no_torch", "'{python}' cannot import torch: {reason}", "name an interpreter with PyTorch installed"},
        {"python.nonlocal_parameter", "name '{name}' is parameter and nonlocal"},
        {"python.nonlocal_top", "nonlocal declaration not allowed at module level"},
        {"python.nonlocal_unbound", "no binding for nonlocal '{name}' found"},
        {"python.not_exported", "torch.fx.symbolic_trace refused: {refused}; torch.export refused: {reason}"},
        {"python.not_imported", "cannot import '{target}': {reason}", "name the folder in which imports are looked up",
         "pass the folder in which imports are looked up with --path DIR"},
        {"python.not_made", "cannot create '{target}': {reason}"},
        {"python.not_source",
         "expected FILE.py or FILE.py:NAME, got '{model}'",
         {},
         "pass --python PYTHON for MODULE:NAME"},
        {"python.positional_after_keyword", "positional argument follows keyword argument"},
        {"python.raised", "{text}", "did you mean '{near}'?"},
        {"python.regular", "cannot search for the regular expression {pattern}: {reason}",
         "simplify it: avoid nested repetitions, for example"},
        {"python.tabs", "inconsistent use of tabs and spaces in indentation"},
        {"python.text_after_expression", "unexpected text after the expression"},
        {"python.too_deep", "source is nested too deeply"},
        {"python.unexpected", "unexpected '{text}'"},
        {"python.unexpected_indent", "unexpected indent"},
        {"python.unexpected_text", "unexpected text after the statement"},
        {"python.unindent", "unindent does not match any outer indentation level"},
        {"python.unsupported_await", "unsupported syntax: await"},
        {"python.unsupported_comprehension", "unsupported syntax: a comprehension"},
        {"python.unsupported_generator", "unsupported syntax: a generator expression"},
        {"python.unsupported_lambda", "unsupported syntax: lambda"},
        {"python.unsupported_string", "unsupported string literal"},
        {"python.unsupported_walrus", "unsupported syntax: ':='"},
        {"python.unsupported_yield", "unsupported syntax: yield"},
        {"python.unterminated_string", "unterminated string literal"},
    };
    return kTexts;
}

} // namespace fx::texts
