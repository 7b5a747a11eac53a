// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <optional>
#include <string>
#include <vector>

namespace fx {

/// Identifies the content of a MODEL on disk, so that recorded edits are never applied to another model.
///
/// A model is one file, a .json with its .safetensors beside it, or the files of a folder. A file with the same device,
/// inode, size and time is the same; so is a file with the same size and digest (a copy, or a file that was moved
/// back). The digest is a SHA-256 over the size, the first and the last MiB (in an archive its directory with the
/// checksums of all members) and 4 KiB at each of 256 positions in between, so that a model of any size takes a few
/// milliseconds.
class ModelIdentity {
public:
    struct File {
        std::string name; ///< relative to the folder of the model; absolute for a stage of a dump
        std::uint64_t device = 0, inode = 0, size = 0;
        std::int64_t seconds = 0, nanoseconds = 0; ///< modification time
        std::string digest;
    };

    std::string path;      ///< absolute
    std::string modelName; ///< the model in an archive with several
    std::vector<File> files;

    /// The identity of the current content of `path`. Throws Error{File}.
    static ModelIdentity of(const std::string& path, const std::string& modelName = {});
    /// Why the content of `now` differs, or empty. Names and locations are not compared.
    std::string difference(const ModelIdentity& now) const;
    /// The path of a file of the model: `path` itself, a file beside it, or in the folder.
    std::string pathOf(const File& file) const;

    void write(JsonWriter& json) const; ///< writes members into an open object
    static ModelIdentity read(JsonValue object);
};

/// Code that was typed and is not applied, source that is not saved, or both.
struct JournalDraft {
    std::size_t version = 0;                ///< whose code was changed
    std::optional<std::string> code = {};   ///< changed code of the graph
    std::optional<std::string> source = {}; ///< of a model that is Python source: its unsaved text
    std::optional<std::string> base = {};   ///< the code before it was changed, where `version` may not give it again
    std::optional<std::string> traced = {}; ///< source of which the edited graph was traced, where it is another text
    /// How the source is traced (class, arguments...), as the editor describes it; none: as usual.
    std::optional<std::string> choices = {};
    std::optional<std::string> tracedChoices = {}; ///< the same of the edited graph, where they are others
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto* text : {&code, &source, &base, &traced, &choices, &tracedChoices})
            sum += *text ? (*text)->size() : 0;
        return sum;
    }
    /// There is something that the user has typed.
    bool isTyped() const { return code || source; }
    bool operator==(const JournalDraft&) const = default;
};

/// The digest of one file, as above. Throws Error{File}.
std::string fileDigest(const std::string& path);

} // namespace fx
