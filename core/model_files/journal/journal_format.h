// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fx {

/// The format of a journal on disk.
///
///     "LANCETJ1"  record  record …         NAME.journal, locked with flock while its writer lives
///     record = length (4 bytes, little-endian), CRC-32 of the payload (4), payload
///     payload = a JSON object on one line, and for an edit its steps after the newline
///
/// The first record says which model was edited: `{"lancet_journal": 1, "path", "model_name", "files"}`. Then, in
/// chronological order: `{"edit": name, "time": ms since 1970, "nodes": count after it}`, with
/// `"steps_file": sha256` if the steps are too large for the record, and `"files": [{"path", "digest"}]` of the files
/// that they read tensors from;
/// `{"go_to": version}`; `{"saved": version}`; `{"kept": true}`, if the base is about to be overwritten and is kept in
/// base/. NAME.files/ contains the files that records refer to by digest, written before the records.
///
/// A killed writer leaves at most one incomplete record; reading stops before it.
constexpr std::string_view kJournalMagic = "LANCETJ1";
constexpr std::string_view kJournalEnding = ".journal";
constexpr int kJournalVersion = 1;

std::string journalRecord(std::string_view payload);

/// The readable records of a journal.
struct JournalRecords {
    std::vector<std::string> payloads;
    std::size_t goodBytes = 0; ///< size of the complete records
};
/// Parses the valid prefix of a journal; empty if it is not a journal.
JournalRecords readJournalRecords(std::string_view bytes);

/// Paths of the files that steps (a JSON array) read tensors from, as the steps write them.
std::vector<std::string> filesInSteps(const std::string& steps);
/// The steps with paths replaced: `replaced` lists old and new paths.
std::string withFiles(const std::string& steps, const std::vector<std::pair<std::string, std::string>>& replaced);

/// The folder of the files that a journal's records refer to.
std::string journalFilesFolder(const std::string& journal);

} // namespace fx
