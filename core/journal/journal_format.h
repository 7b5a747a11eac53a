// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Format of a journal on disk.
///
///     "LANCETJ1"  record  record …         NAME.journal, locked with flock while its writer lives
///     record = length (4 bytes, little-endian), CRC-32 of the payload (4), payload
///     payload = a JSON object on one line, and for an edit its steps after the newline
///
/// The first record names the edited model: `{"lancet_journal": 5, "version", "path", "model_name", "files"}`, where
/// `version` is the version of its project that was current (absent in journals of version 1). The following records
/// are in the order of events:
///
///  - `{"edit": name, "time": ms since 1970, "nodes": count after it}`. `"steps_file": sha256` refers to steps that are
///    too large for the record; `"files": [{"path", "digest"}]` lists the files from which the steps read tensors.
///    `"traced"` is the `tracedDigest` of the first version, if that was traced from source.
///  - `{"go_to": version, "time"?}`
///  - `{"saved": version, "path"?, "model_name", "files"}` with the identity of the saved file (absent in version 1).
///  - `{"kept": true}`: the base is about to be overwritten and its content is in base/. Another process
///    that overwrites the base also keeps it there, but writes no record.
///  - `{"base": {"path", "model_name", "files"}, "version"}`: invalidates all earlier records; the following edits
///    apply to this state of the model (version 4).
///  - `{"left": ms since 1970}`, at the end: the process was asked to end and ended in order.
///
/// NAME.files/ holds what the records name by its content, written before them.
///
/// NAME.files/draft and NAME.files/draft_code hold unapplied or unsaved text: `{"version": that the code belongs to,
/// "saved"?, "source_bytes"?, "code_bytes"?, "base_bytes"?, "traced_bytes"?, "choices_bytes"?,
/// "traced_choices_bytes"?}` on one line, then the texts in this order: unsaved Python source, unapplied code, that
/// code before the change, the source from which the edited graph was traced, how the source is traced, and how the
/// source of the edited graph was traced. draft_code has the code and the code before the change, draft all other texts
/// (until version 4: all texts). Until version 2 draft is `{"version", "source": bool}`, then the source or the code.
/// Each write replaces the whole file.
///
/// A journal without edits keeps the opened model in base/ if the file of the model has gone or has another content.
///
/// A killed writer leaves at most one incomplete record; reading stops before it.
constexpr std::string_view kJournalMagic = "LANCETJ1";
constexpr std::string_view kDraftFile = "draft";          ///< typed source, in the folder of the journal's files
constexpr std::string_view kCodeDraftFile = "draft_code"; ///< typed code
/// Extension of journal files.
constexpr std::string_view kJournalEnding = ".journal";
constexpr int kJournalVersion = 5; ///< version written; older versions can be read

/// Encodes one record: length, checksum and payload.
std::string journalRecord(std::string_view payload);

/// The valid records of a journal.
struct JournalRecords {
    std::vector<std::string> payloads;
    std::size_t goodBytes = 0;     ///< length of the valid prefix
    bool isDamaged = false;        ///< true if more than zeros, which a power failure leaves, follows the valid prefix
    std::vector<std::size_t> ends; ///< end offset of each record
};
/// Parses the valid prefix of a journal; returns no records if `bytes` is not a journal.
JournalRecords readJournalRecords(std::string_view bytes);

/// Returns true if `path` still names this open file. It may have been deleted and its name reused.
bool isFileAt(const std::string& path, int descriptor);

/// Returns the folder of the files that the records of `journal` name.
std::string journalFilesFolder(const std::string& journal);

} // namespace fx
