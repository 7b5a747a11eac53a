// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_writer.h"

namespace fx {

/// Writes the folder that `GraphModule.to_folder(folder, "FxModule")` writes: `module.py`, `state_dict.pt`, a pickle for each child.
/// (torch.fx writes seven classes as source instead, and loses mode and dtype of those.) The folder is written beside and
/// exchanged; one that is there must be such a folder. Throws Error{Refused}: also for what the format cannot hold.
Warnings writeFolder(const GraphModule& model, const std::string& folder, const GenerateCode& generate, const Progress& progress = {});

/// What a folder cannot keep of a model, in a sentence: what its children share, since they are separate files; parameters of the
/// root that are not trainable. Empty when nothing.
std::string lostInFolder(const Module& root);

} // namespace fx
