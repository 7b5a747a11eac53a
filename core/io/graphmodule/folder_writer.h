// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_writer.h"

#include <functional>

namespace fx {

/// Writes the folder of `GraphModule.to_folder(folder, "FxModule")`: `module.py`, `state_dict.pt`, a pickle for each
/// child. (torch.fx writes seven classes as source instead, and loses their mode and dtype.) Writes beside the target
/// and then exchanges both; an existing target must be such a folder. Calls `check` when the folder is in place and
/// restores the previous state if it throws. Throws Error{Refused}, also for models that the format cannot hold.
Warnings writeFolder(const GraphModule& model, const std::string& folder, const GenerateCode& generate,
                     const Progress& progress = {}, const std::function<void()>& check = {});

/// Throws the Error{Refused} that `writeFolder` would throw for the model. Writes nothing and reads no weights.
void checkFolder(const GraphModule& model, const GenerateCode& generate, const Progress& progress = {});
/// Throws Error{Refused} if the target is not a folder of this kind or may not be replaced.
void checkFolderTarget(const std::string& folder);

/// Describes in a sentence the properties that a folder loses: objects shared between children, since these are
/// separate files, and parameters of the root that are not trainable. Empty if it loses nothing.
std::string lostInFolder(const Module& root);

} // namespace fx
