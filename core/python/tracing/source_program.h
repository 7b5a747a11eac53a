// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/tracing/trace_file.h"
#include "core/python/values/object.h"

#include <functional>
#include <string>

namespace fx::python {

/// Runs a source and constructs the model that `options` names, without tracing it, and calls `use` with the
/// interpreter and that model. The model is unset if the source does not run to its end, or makes no such model; what
/// the source has defined until then is there.
///
/// Throws what `use` throws, Error{File} for text that is not Python, ValuesNeeded, and Error{Cancelled}.
void withProgram(const std::string& file, const std::string& text, const SourceOptions& options,
                 const Progress& progress, const std::function<void(Interpreter& in, const Value& model)>& use);

/// Returns true if a model has constants that the file computed and that were no part of the model then, or whose texts
/// read tensors of the model, which torch.fx does not keep for them.
bool lacksConstants(const Module& root);

} // namespace fx::python
