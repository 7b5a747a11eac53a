// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/model_files/anonymise/names.h"
#include "core/module/graph_module.h"

namespace fx::anonymise {

/// Returns true for a model that `writeProgram` can write: one from a `.pt2` file.
bool isProgram(const GraphModule& model);

/// Writes an exported program without its names, texts and weights, by rewriting the document of its file: names of
/// values that follow from operators stay, all others change consistently. Sample inputs, extra files, guards and the
/// metadata of nodes other than their modules are left out. Throws Error{Refused} for payloads that are pickles.
void writeProgram(const GraphModule& model, const std::string& path, Names& names, const Progress& progress = {});

} // namespace fx::anonymise
