// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/ir/argument.h"
#include "core/ops/nn_modules.h"
#include "core/ops/python_signatures.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fx::ops {

/// The arguments of a call, without the `self` of a method.
struct GivenCall {
    std::string function;               ///< the name used in messages: "clamp"
    std::span<const fx::Argument> args; ///< positional arguments
    const Kwargs& kwargs;               ///< keyword arguments
};

/// The conversion that PyTorch applies to the arguments of a call.
enum class Conversion : std::uint8_t {
    Parser,  ///< functions and methods: the argument parser
    Schema,  ///< torch.ops: looser, because values are cast to the types of the schema
    Untyped, ///< functions written in Python: accepts any value
};

/// One overload of a function: its typed parameters, and how many of them may be positional.
struct CallForm {
    std::vector<SignatureParameter> parameters;
    std::size_t positional = 0; ///< number of parameters that may be positional
    Conversion conversion = Conversion::Parser;
    std::string_view op;           ///< of the argument parser: "aten::add.Tensor"
    bool deprecated = false;       ///< of the argument parser: not listed in its errors
    bool numbersAsTensors = false; ///< a number may stand for a tensor: torch.add(1, x)
    bool takesMore = false;        ///< has *args
    bool takesAnyKeyword = false;  ///< has **kwargs

    /// Formats the signature: "clamp(input, min=None, max=None, *, out=None)".
    std::string text(std::string_view function) const;
};

/// The reason why a call does not match a form.
struct FormMismatch {
    Message why;             ///< text for an error
    std::size_t matched = 0; ///< number of arguments that match
};
/// Matches a call with a form; nullopt if it matches.
std::optional<FormMismatch> mismatch(const CallForm& form, const GivenCall& call);
/// Returns true if the form accepts the number of arguments of the call, whatever their values. PyTorch's parser
/// reports the mismatch of such a form.
bool takesAsMany(const CallForm& form, const GivenCall& call);

/// Returns true if a keyword names this parameter. PyTorch's argument parser takes NumPy's names, too: `axis` for
/// `dim`.
bool namesParameter(std::string_view keyword, std::string_view parameter);

/// Returns true if PyTorch accepts a number as a tensor in this operator, "aten::add.Tensor"
/// (`should_allow_numbers_as_tensors`).
bool takesNumbersAsTensors(std::string_view op);

/// Returns the form of `forward` of a module class, without self. It accepts any values, because forward is written in
/// Python.
CallForm forwardForm(const NnModule& module);

/// Returns the forms of a function or method by its qualified name ("torch.clamp", "torch.Tensor.clamp",
/// "torch.nn.functional.relu", "torch.ops.aten.add.Tensor"), in the order in which PyTorch tries them; empty if
/// unknown. Cached per thread.
const std::vector<CallForm>& callForms(const std::string& qualifiedName);

} // namespace fx::ops
