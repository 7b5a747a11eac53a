// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/module/graph_module.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fx {

/// Identifies the content of a MODEL on disk, so that recorded edits are never applied to a different model.
///
/// A model is one file, a .json with its .safetensors beside it, or the files of a folder. Files with the same device,
/// inode, size and time are equal; so are files with the same size and digest (a copy, or a file that was moved back).
/// The digest is a SHA-256 over the size, the first and the last MiB (in an archive the directory with the checksums of
/// all members) and 4 KiB at each of 256 positions in between, so it takes a few milliseconds for a model of any size.
class ModelIdentity {
public:
    /// The identity of one file.
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
    /// Returns the reason why the content of `now` differs, or an empty string. Ignores names and locations.
    std::string difference(const ModelIdentity& now) const;
    /// Returns true if the files at `place` have this content; false if they are missing or unreadable.
    bool isAt(const std::string& place) const;
    /// Returns true if the files still have this content.
    bool isOnDisk() const { return isAt(path); }
    /// The path of a file of the model: `path` itself, a file beside it, or in the folder.
    std::string pathOf(const File& file) const;

    void write(JsonWriter& json) const; ///< writes members into an open object
    /// Reads what `write` wrote. Throws Error for invalid members.
    static ModelIdentity read(JsonValue object);
};

/// Unapplied code, unsaved source, or both.
struct JournalDraft {
    std::size_t version = 0;                ///< version whose code was changed
    std::optional<std::string> code = {};   ///< changed code of the graph
    std::optional<std::string> source = {}; ///< unsaved text of a model that is Python source
    bool isSaved = false;                 ///< `source` equals the saved base; it counts as unsaved if the base changes
    std::optional<std::string> base = {}; ///< the code before the change, if `version` may not generate it again
    std::optional<std::string> traced = {}; ///< source from which the edited graph was traced, if it differs
    /// How the source is traced (class, arguments...), as the editor describes it; nullopt for the defaults.
    std::optional<std::string> choices = {};
    std::optional<std::string> tracedChoices = {}; ///< the same for the edited graph, if it differs
    /// Size of the longest text in bytes.
    std::size_t longest() const;
    /// True if the user has typed something that is not saved.
    bool isTyped() const { return code || (source && !isSaved); }
    bool operator==(const JournalDraft&) const = default;
};

/// The texts of a draft in the order of its file, with the keys of their sizes.
inline constexpr std::pair<std::string_view, std::optional<std::string> JournalDraft::*> kDraftTexts[] = {
    {"source_bytes", &JournalDraft::source},   {"code_bytes", &JournalDraft::code},
    {"base_bytes", &JournalDraft::base},       {"traced_bytes", &JournalDraft::traced},
    {"choices_bytes", &JournalDraft::choices}, {"traced_choices_bytes", &JournalDraft::tracedChoices}};

inline std::size_t JournalDraft::longest() const {
    std::size_t most = 0;
    for (const auto& [key, text] : kDraftTexts) most = std::max(most, this->*text ? (this->*text)->size() : 0);
    return most;
}

/// Returns the digest of the graph and modules of a model that was traced from source, without weights. It changes if a
/// file that the source imports changes what is traced.
std::string tracedDigest(const GraphModule& model);

/// Returns the digest of one file, see `ModelIdentity`. Throws Error{File}.
std::string fileDigest(const std::string& path);

} // namespace fx
