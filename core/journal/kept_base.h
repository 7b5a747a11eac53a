// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/journal/model_identity.h"

#include <memory>
#include <vector>

namespace fx {

class DataFile;
class GraphModule;

/// Returns true if `file` is one of the files of `model`.
bool isOfModel(const ModelIdentity& model, const std::string& file);

/// Copies the files of a model into the folder `to`, as links where the file system supports them. Throws
/// Error{Refused}.
void keepModel(const ModelIdentity& model, const std::string& to);

/// Returns the folder in which a journal keeps its base.
std::string keptBaseFolder(const std::string& journal);
/// Returns the path of the model in that folder.
std::string keptBasePath(const std::string& journal, const ModelIdentity& base);

/// Keeps the files of the base of `journal` that still have the recorded content. Throws Error{Refused}.
void keepBase(const std::string& journal, const ModelIdentity& base);

/// Returns the open file with this path if it is still readable, else null.
const DataFile* contentAt(const std::vector<std::shared_ptr<const DataFile>>& files, const std::string& path);
/// Returns the open files of a model after reading it: those of its weights, and others, which are opened here and kept
/// in memory up to Journal::kLargestCopy. Call it after taking the identity; `Journal` needs the result.
std::vector<std::shared_ptr<const DataFile>> contentOf(const ModelIdentity& model, const GraphModule& read);

/// Keeps the content of `target` beside all journals in `folder` whose edits are based on it, including those of other
/// processes, which do not know of the save. `recover` finds it by its content. Call it before overwriting a file.
/// Throws Error{Refused}.
void keepForJournals(const std::string& folder, const std::string& target);

} // namespace fx
