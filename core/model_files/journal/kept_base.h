// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/journal/model_identity.h"

#include <memory>
#include <vector>

namespace fx {

class DataFile;
class GraphModule;

/// Whether a file belongs to a model.
bool isOfModel(const ModelIdentity& model, const std::string& file);

/// Copies the files of a model into the folder `to`, by links where the file system can. Throws Error{Refused}.
void keepModel(const ModelIdentity& model, const std::string& to);

/// The folder in which a journal keeps its base, and the path of the model there.
std::string keptBaseFolder(const std::string& journal);
std::string keptBasePath(const std::string& journal, const ModelIdentity& base);

/// Keeps the base of the edits of `journal` where that is still what its files contain. Throws Error{Refused}.
void keepBase(const std::string& journal, const ModelIdentity& base);

/// The open file that was at a path, while it can be read; else null.
const DataFile* contentAt(const std::vector<std::shared_ptr<const DataFile>>& files, const std::string& path);
/// The open files of a model, as it was read: those of its weights, and small ones that are read again here. For
/// `Journal`, which is made after the identity was taken.
std::vector<std::shared_ptr<const DataFile>> contentOf(const ModelIdentity& model, const GraphModule& read);

/// To be called before a file is overwritten: keeps its content beside all journals in `folder` whose edits are based
/// on it, also those of other processes, which do not know of the save. `recover` finds it by its content. Throws
/// Error{Refused}.
void keepForJournals(const std::string& folder, const std::string& target);

} // namespace fx
