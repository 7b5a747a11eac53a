// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// Whether a state dict has what is shared under all of its names, or under at least one of them: a GraphModule that is
/// loaded from a file has one name for each module.
enum class SharedNames : std::uint8_t { All, AnyOne };

/// `load_state_dict(torch.load(file))`, strictly: parameters and persistent buffers get the tensors of the file, which
/// stay in it; what was one tensor stays one. Reads what `readNamedTensors` reads, and GraphModules that were saved
/// whole. Values of another type are converted, as copies of them are. Observers take over the sizes of what they have
/// seen, as torch.ao's do. A prefix of all names that comes from a wrapper, as in "module.fc.weight", is left out, and
/// the model gets a warning.
///
/// Throws Error{File}, and Error{Refused} with the keys that are missing, unexpected, or of another shape.
void loadWeights(GraphModule& model, const std::string& file, const Progress& progress = {},
                 SharedNames shared = SharedNames::All);

/// The same for a model that was constructed and is not traced yet, whose objects hold its tensors, too: those get the
/// values of the file themselves, as `copy_` gives them.
void loadConstructed(GraphModule& model, const std::string& file, const Progress& progress = {});

/// The mode that the model of a state dict was prepared for, "static" or "qat", by its observers; nothing for a model
/// in floating point.
std::optional<std::string_view> observersMode(const std::string& file, const Progress& progress = {});

} // namespace fx
