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

/// What is given to a function, without the `self` of a method.
struct GivenCall {
    std::string function; ///< as in messages: "clamp"
    std::span<const fx::Argument> args;
    const Kwargs& kwargs;
};

/// How PyTorch converts the arguments of a call.
enum class Conversion : std::uint8_t {
    Parser,  ///< functions and methods: PyTorch's argument parser
    Schema,  ///< torch.ops: looser, since values are cast to the types of the schema
    Untyped, ///< functions written in Python: any value
};

/// One way to call a function: the parameters with their types, and how many may be given by position.
struct CallForm {
    std::vector<SignatureParameter> parameters;
    std::size_t positional = 0;
    Conversion conversion = Conversion::Parser;
    bool numbersAsTensors = false; ///< a number stands for a tensor (torch.add(1, x))
    bool takesMore = false;        ///< *args
    bool takesAnyKeyword = false;  ///< **kwargs

    /// "clamp(input, min=None, max=None, *, out=None)"
    std::string text(std::string_view function) const;
};

/// Why the call does not have this form, and how far it got; nullopt if it has it.
struct FormMismatch {
    Message why;
    std::size_t matched = 0; ///< arguments that fit
};
std::optional<FormMismatch> mismatch(const CallForm& form, const GivenCall& call);
/// Whether the form takes the number of arguments of the call, whatever they are: PyTorch's parser reports the mismatch
/// of such a form.
bool takesAsMany(const CallForm& form, const GivenCall& call);

/// Whether PyTorch lets a number stand for a tensor in this operator, "aten::add.Tensor"
/// (`should_allow_numbers_as_tensors`).
bool takesNumbersAsTensors(std::string_view op);

/// How the modules of a class are called, without self: any values, since forward is written in Python.
CallForm forwardForm(const NnModule& module);

/// The forms of a function or method by its qualified name, in PyTorch's order ("torch.clamp", "torch.Tensor.clamp",
/// "torch.nn.functional.relu", "torch.ops.aten.add.Tensor"); empty if they are unknown. Kept for the thread.
const std::vector<CallForm>& callForms(const std::string& qualifiedName);

} // namespace fx::ops
