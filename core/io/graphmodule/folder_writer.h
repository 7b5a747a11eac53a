// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_writer.h"

#include <functional>

namespace fx {

/// Writes the folder that `GraphModule.to_folder(folder, "FxModule")` writes: `module.py`, `state_dict.pt`, a pickle
/// for each child. (torch.fx writes seven classes as source instead, and loses mode and dtype of those.) The folder is
/// written beside and exchanged; one that is there must be such a folder. Throws Error{Refused}: also for what the
/// format cannot hold. `check` is called when the folder is in its place; when it throws, what was there before comes
/// back, or nothing.
Warnings writeFolder(const GraphModule& model, const std::string& folder, const GenerateCode& generate,
                     const Progress& progress = {}, const std::function<void()>& check = {});

/// What a folder cannot keep of a model, in a sentence: what its children share, since they are separate files;
/// parameters of the root that are not trainable. Empty when nothing.
std::string lostInFolder(const Module& root);

} // namespace fx
