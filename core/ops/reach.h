// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diag/message.h"
#include "core/ops/catalogue.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// Classifies operators and functions that access more than their tensors. Lancet never runs them for a model: an
/// opened file must not choose what is read, written or started.
///
/// There are three sources. A Python function is judged by the operators of its signatures and by a list of modules. An
/// operator is judged by lists of names and namespaces, compiled by reading all schemas of LibTorch 2.13.0 (the method
/// is described in core/ops/reach.cpp). Any other schema is judged by its arguments: a text argument outside of the
/// reviewed list may be a path, and an unreviewed namespace may do anything. New operators of a later PyTorch are
/// therefore refused until they are reviewed.
///
/// Operators outside of the catalogue come from libraries that the user has loaded; they are not judged here.
namespace fx::ops {

/// The resource that a call accesses.
enum class Reach : std::uint8_t {
    Files,     ///< opens a file that an argument names
    Code,      ///< loads a library, or compiles or runs code other than an operator
    Processes, ///< communicates with other processes or machines, or starts or ends a process
    Memory     ///< reads or writes memory outside of its tensors, or reveals addresses
};

/// Returns the resource that a function or operator accesses; nullopt if it accesses none or a library defines it.
/// Accepts any spelling: `torch.from_file`, `torch.ops.aten.from_file.default`, `aten::save`, `builtins.open`. A name
/// without overload is refused if one of its overloads is. Takes microseconds.
std::optional<Reach> reachesOutside(std::string_view qualifiedName);
/// Returns the resource that an operator accesses, as above.
std::optional<Reach> reachesOutside(const Operator& op);

/// Returns true if objects of a C++ class of LibTorch (`__torch__.torch.classes.quantized.LinearPackedParamsBase`) only
/// hold weights, states or times. The methods of other classes load libraries or talk to processes.
bool isHarmlessClass(std::string_view qualifiedName);

/// Returns true for names of builtins and of the standard library of Python.
bool isOfPythonItself(std::string_view qualifiedName);

/// Returns why a call is refused, with a remedy.
Message refusalOf(std::string_view qualifiedName, Reach reach);

/// Returns true if the operator only computes results from its arguments, or writes the arguments that its schema
/// declares. Such an operator may run unasked to infer shapes. False for other effects (prints, warnings, modes,
/// profiler records).
bool isPure(const Operator& op);

} // namespace fx::ops
