// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_writer.h"

#include <functional>

namespace fx {

/// Writes the folder that `GraphModule.to_folder(folder, "FxModule")` writes: `module.py`, `state_dict.pt`, a pickle
/// for each child. (torch.fx writes seven classes as source instead, and loses their mode and dtype.) The folder is
/// written beside its target and then exchanged; an existing target must be such a folder. Throws Error{Refused}, also
/// for models that the format cannot hold. `check` is called when the folder is in place; if it throws, the previous
/// state is restored.
Warnings writeFolder(const GraphModule& model, const std::string& folder, const GenerateCode& generate,
                     const Progress& progress = {}, const std::function<void()>& check = {});

/// Throws the Error{Refused} that `writeFolder` throws for the model; writes nothing and reads no weights.
void checkFolder(const GraphModule& model, const GenerateCode& generate, const Progress& progress = {});
/// The same for the place: another folder or file is there, or it may not be replaced.
void checkFolderTarget(const std::string& folder);

/// Describes in a sentence what a folder cannot keep: objects shared between children, since they are separate files,
/// and parameters of the root that are not trainable. Empty if it keeps everything.
std::string lostInFolder(const Module& root);

} // namespace fx
