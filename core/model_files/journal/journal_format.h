// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// The format of a journal on disk.
///
///     "LANCETJ1"  record  record …         NAME.journal, locked with flock while its writer lives
///     record = length (4 bytes, little-endian), CRC-32 of the payload (4), payload
///     payload = a JSON object on one line, and for an edit its steps after the newline
///
/// The first record says which model was edited: `{"lancet_journal": 4, "version", "path", "model_name", "files"}`;
/// `version`: which version of its project was current (journals of version 1 do not say it). Then, in the
/// order in which things happened: `{"edit": name, "time": ms since 1970, "nodes": count after it}`, with
/// `"steps_file": sha256` where the steps are too large to stand in the record, and `"files": [{"path", "digest"}]` of
/// those that they read tensors from;
/// `{"go_to": version, "time"?}`; `{"saved": version, "path"?, "model_name", "files"}`, with what the file was then
/// (version 1: without); `{"kept": true}`, when the base is about to be overwritten and is in base/ (another process
/// that overwrites it keeps it there without telling); `{"base": {"path", "model_name", "files"}, "version"}`: all
/// before it is void, and what follows are edits of this state of the model (version 4). NAME.files/ holds what the
/// records name by its content, written before them.
///
/// NAME.files/draft is what was typed and not applied or saved: `{"version": that the code is of, "source_bytes"?,
/// "code_bytes"?, "base_bytes"?, "traced_bytes"?, "choices_bytes"?, "traced_choices_bytes"?}` on one line, then these
/// texts in this order: unsaved Python source, code that is not applied, that code before it was changed, the source of
/// which the edited graph was traced, how the source is traced, and how that of the edited graph was.
/// Until version 2: `{"version", "source": bool}`, then the source or the code. It is replaced as a whole.
///
/// A killed writer leaves at most one incomplete record; reading stops before it.
constexpr std::string_view kJournalMagic = "LANCETJ1";
constexpr std::string_view kDraftFile = "draft"; ///< in the folder of its files
constexpr std::string_view kJournalEnding = ".journal";
constexpr int kJournalVersion = 4; ///< that is written; older ones are read

std::string journalRecord(std::string_view payload);

/// The readable records of a journal.
struct JournalRecords {
    std::vector<std::string> payloads;
    std::size_t goodBytes = 0;     ///< how much of the file is whole
    std::vector<std::size_t> ends; ///< where each record ends
};
/// Parses the valid prefix of a journal; empty if it is not a journal.
JournalRecords readJournalRecords(std::string_view bytes);

/// The folder of what a journal's records name.
std::string journalFilesFolder(const std::string& journal);

} // namespace fx
