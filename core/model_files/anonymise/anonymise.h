// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/model_files/anonymise/names.h"
#include "core/module/graph_module.h"

namespace fx {

/// The result of `anonymised`.
struct AnonymousModel {
    std::shared_ptr<GraphModule> model;
    anonymise::Names names;
};

/// Returns a model with the same graph, shapes and module structure, but with other names, texts and weights, so that
/// it can be given away with a report of a bug.
///
/// Kept are what PyTorch itself gives: its functions, operators, methods and module classes, their parameters, settings
/// and options, numbers, dtypes, and the names that torch.fx derives from those. Everything that a user chose gets a
/// new name, the same everywhere. Stack traces, other metadata, the path of the file, settings of other classes and
/// objects that Lancet does not know are left out. Nothing of the file is copied when the result is saved.
///
/// Throws Error{Refused} for graphs with blocks or calls of TorchScript, whose text Lancet does not rewrite, and
/// Error{File} if weights cannot be read.
AnonymousModel anonymised(const GraphModule& model, const Progress& progress = {});

} // namespace fx
