// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <string>
#include <vector>

namespace fx {

/// Which content a MODEL on disk has, so that edits recorded on it are never applied to something else.
///
/// A model is one file, a .json with its .safetensors beside it, or the files of a folder. A file that kept its device,
/// inode, size and time is the same; so is one of the same size and digest (a copy, a file that was moved back). The
/// digest is a SHA-256 over the size, the first and the last MiB (in an archive its directory with the checksums of all
/// members) and 4 KiB in each of 256 places between, so that a model of any size costs a few milliseconds.
class ModelIdentity {
public:
    struct File {
        std::string name; ///< within the folder of the model
        std::uint64_t device = 0, inode = 0, size = 0;
        std::int64_t seconds = 0, nanoseconds = 0; ///< when it was changed
        std::string digest;
    };

    std::string path;      ///< absolute
    std::string modelName; ///< which of several in one archive
    std::vector<File> files;

    /// Reads what is at `path` now. Throws Error{File}.
    static ModelIdentity of(const std::string& path, const std::string& modelName = {});
    /// Why `now` is not the same content, or empty. Names and places are not compared.
    std::string difference(const ModelIdentity& now) const;
    /// Where a file of the model is: `path` itself, its neighbour, or in the folder.
    std::string pathOf(const File& file) const;

    void write(JsonWriter& json) const; ///< members of an object that is open
    static ModelIdentity read(JsonValue object);
};

/// Code that was typed and is not applied.
struct JournalDraft {
    std::size_t version = 0; ///< whose code was changed
    std::string text;
    bool operator==(const JournalDraft&) const = default;
};

/// The digest of one file, as above. Throws Error{File}.
std::string fileDigest(const std::string& path);

} // namespace fx
