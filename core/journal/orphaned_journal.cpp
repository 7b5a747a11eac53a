// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/orphaned_journal.h"

#include "core/base/sha256.h"
#include "core/files/read_text.h"
#include "core/journal/journal.h"
#include "core/journal/journal_format.h"
#include "core/journal/kept_base.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fx {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kLargest = std::uint64_t{4} << 30;

/// An hour after its process began to make it, a journal without its first record is nothing.
void removeUnfinished(const fs::path& path) {
    std::error_code failed;
    const auto time = fs::last_write_time(path, failed);
    if (!failed && fs::file_time_type::clock::now() - time > std::chrono::hours(1)) fs::remove(path, failed);
}

/// The texts of a draft file after its first line, `head`; nullopt if one is cut off.
std::optional<JournalDraft> textsOf(JsonValue head, const std::string& texts) {
    JournalDraft draft;
    std::size_t at = 0;
    for (const auto& [key, text] : kDraftTexts) {
        const JsonValue bytes = head.find(key);
        if (!bytes.exists()) continue;
        const auto size = static_cast<std::uint64_t>(bytes.asInt()); // a negative one is too large
        if (size > texts.size() - at) return std::nullopt;
        draft.*text = texts.substr(at, size);
        at += size;
    }
    draft.isSaved = head.find("saved").exists();
    if (draft.isTyped() || draft.source || draft.traced || draft.choices || draft.tracedChoices) return draft;
    const JsonValue isSource = head.find("source"); // until version 2
    (isSource.exists() && isSource.asBool() ? draft.source : draft.code) = texts;
    return draft;
}

} // namespace

std::shared_ptr<OrphanedJournal> OrphanedJournal::take(const std::string& path) {
    std::shared_ptr<OrphanedJournal> journal(new OrphanedJournal);
    journal->m_path = path;
    journal->m_descriptor = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (journal->m_descriptor < 0)
        throw Error(ErrorKind::File, Message("journal.failed", {{"action", "open"}, {"detail", std::strerror(errno)}}))
            .in(path);
    if (::flock(journal->m_descriptor, LOCK_EX | LOCK_NB) != 0 || !isFileAt(path, journal->m_descriptor))
        return nullptr;
    journal->read(readTextFile(path, kLargest));
    return journal;
}

OrphanedJournal::~OrphanedJournal() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

void OrphanedJournal::read(const std::string& bytes) {
    JournalRecords records = readJournalRecords(bytes);
    if (records.payloads.empty()) throw Error(ErrorKind::File, Message("journal.not_a_journal")).in(m_path);
    m_goodBytes = records.goodBytes;
    m_isDamaged = records.isDamaged;
    const auto first = JsonDocument::parse(std::move(records.payloads.front()));
    const JsonValue version = first->root().needObject().find("lancet_journal");
    if (!version.exists() || version.asInt() < 1 || version.asInt() > kJournalVersion)
        throw Error(ErrorKind::File, Message("journal.version")).in(m_path);
    m_base = ModelIdentity::read(first->root());
    if (const JsonValue opened = first->root().find("version"); opened.exists())
        m_firstVersion = static_cast<std::size_t>(std::max<std::int64_t>(opened.asInt(), 0));
    for (std::size_t i = 1; i < records.payloads.size(); ++i) {
        std::string& payload = records.payloads[i];
        const std::size_t line = std::min(payload.find('\n'), payload.size());
        std::string steps = line < payload.size() ? payload.substr(line + 1) : std::string();
        payload.resize(line);
        try {
            const auto head = JsonDocument::parse(std::move(payload));
            if (lacksSteps(head->root().needObject())) {
                m_goodBytes = records.ends[i - 1];
                m_isDamaged = true;
                break;
            }
            if (head->root().find("left").exists()) { // it holds until somebody goes on with the journal
                m_wasLeft = true;
                m_goodBytes = records.ends[i - 1];
                break;
            }
            take(head->root(), std::move(steps));
        } catch (const Error& error) {
            m_problem = Message("journal.record", {{"number", i}, {"reason", error.what()}}).text();
            m_goodBytes = records.ends[i - 1]; // whoever goes on with it knows no more
            break;                             // what was typed is whole by itself
        }
    }
    readDrafts();
    findGone();
    struct stat status {};
    if (::fstat(m_descriptor, &status) == 0) m_written = std::chrono::system_clock::from_time_t(status.st_mtime);
}

/// The machine ended before a file of steps was on the medium: what follows is lost as the torn end of a journal is.
bool OrphanedJournal::lacksSteps(JsonValue head) const {
    const JsonValue file = head.find("steps_file");
    if (!file.exists()) return false;
    std::error_code missing;
    const fs::path path = fs::path(journalFilesFolder(m_path)) / fs::path(file.asText()).filename();
    return fs::file_size(path, missing) == 0 || missing; // a name can reach the medium before its content
}

/// What a file of typed text has; nothing if it is not there or cut off.
std::optional<JournalDraft> OrphanedJournal::draftIn(std::string_view name) {
    constexpr std::uint64_t kMost = 8 * Journal::kMaxDraft; // of all texts together
    const std::string path = journalFilesFolder(m_path) + "/" + std::string(name);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return std::nullopt;
    try {
        std::string text = readTextFile(path, kMost);
        const std::size_t line = std::min(text.find('\n'), text.size());
        const auto head = JsonDocument::parse(text.substr(0, line));
        const std::int64_t version = head->root().at("version").asInt();
        if (version < 0 || line == text.size()) return std::nullopt;
        auto draft = textsOf(head->root(), text.substr(line + 1));
        if (!draft) return std::nullopt;
        draft->version = static_cast<std::size_t>(version);
        struct stat status {};
        if (::stat(path.c_str(), &status) == 0)
            m_draftTime = std::max(m_draftTime, std::chrono::system_clock::from_time_t(status.st_mtime));
        return draft;
    } catch (const Error&) { return std::nullopt; } // the machine ended while it was written; the edits are whole
}

void OrphanedJournal::readDrafts() {
    m_draft = draftIn(kDraftFile);
    auto code = draftIn(kCodeDraftFile);
    if (!code) return;
    if (!m_draft) m_draft.emplace();
    m_draft->version = code->version;
    m_draft->code = std::move(code->code), m_draft->base = std::move(code->base);
}

/// What is saved only in files that others have written since, or that have gone, is not saved any more.
void OrphanedJournal::findGone() {
    std::map<std::pair<std::string, std::string>, std::optional<ModelIdentity>> now; // a file may be saved many times
    for (Change& change : m_changes) {
        if (!change.file) continue;
        const auto [there, isNew] = now.try_emplace({change.file->path, change.file->modelName});
        try {
            if (isNew) there->second = ModelIdentity::of(change.file->path, change.file->modelName);
        } catch (const Error&) {} // NOLINT(bugprone-empty-catch): it is gone
        change.isGone = !there->second || !change.file->difference(*there->second).empty();
    }
    if (!m_draft || !m_draft->isSaved) return;
    m_draft->isSaved = false;
    if (m_base.isOnDisk()) m_draft->source.reset();
    if (*m_draft == JournalDraft{m_draft->version}) m_draft.reset();
}

void OrphanedJournal::take(JsonValue head, std::string steps) {
    Change change;
    if (head.find("kept").exists()) {
        m_baseIsKept = true;
        return;
    }
    if (const JsonValue base = head.find("base"); base.exists()) {
        m_base = ModelIdentity::read(base.needObject());
        m_firstVersion = static_cast<std::size_t>(std::max<std::int64_t>(head.at("version").asInt(), 0));
        m_baseIsKept = false;
        m_changes.clear();
        return;
    }
    if (const JsonValue time = head.find("time"); time.exists())
        change.time = std::chrono::system_clock::time_point(
            std::chrono::milliseconds(std::clamp<std::int64_t>(time.asInt(), 0, 6'311'433'600'000)));
    if (const JsonValue name = head.find("edit"); name.exists()) {
        change.name = name.asText();
        change.nodes = static_cast<std::size_t>(head.at("nodes").asInt());
        if (const JsonValue traced = head.find("traced"); traced.exists()) change.traced = traced.asText();
        const JsonValue file = head.find("steps_file");
        change.steps = StepList::parse(file.exists() ? keptSteps(std::string(file.asText())) : std::move(steps));
        if (const JsonValue files = head.find("files"); files.exists())
            for (const JsonValue each : files.needArray())
                change.files.emplace_back(each.at("path").asText(), each.at("digest").asText());
    } else {
        const bool isSave = head.find("saved").exists();
        change.kind = isSave ? Change::Kind::Saved : Change::Kind::GoTo;
        change.version = static_cast<std::size_t>(head.at(isSave ? "saved" : "go_to").asInt());
        if (head.find("path").exists()) change.file = ModelIdentity::read(head);
    }
    m_changes.push_back(std::move(change));
}

std::string OrphanedJournal::keptSteps(const std::string& name) const {
    std::string steps = readTextFile(journalFilesFolder(m_path) + "/" + fs::path(name).filename().string(), kLargest);
    if (sha256(steps) != name) throw Error(ErrorKind::File, Message("journal.file_changed", {{"name", name}}));
    return steps;
}

OrphanedJournal::Effect OrphanedJournal::effect() const {
    std::vector<std::int64_t> entries, saved;
    std::size_t current = 0;
    const auto reach = [&](std::size_t version) {
        constexpr std::size_t kMost = 10'000'000; // what a damaged file may ask for
        for (version = std::min(version, kMost); entries.size() < version;)
            entries.push_back(-1 - static_cast<std::int64_t>(entries.size()));
        return version;
    };
    current = reach(m_firstVersion);
    saved = entries;
    for (std::size_t i = 0; i < m_changes.size(); ++i) {
        const Change& change = m_changes[i];
        if (change.kind == Change::Kind::Edit) {
            entries.resize(current++);
            entries.push_back(static_cast<std::int64_t>(i));
            continue;
        }
        const std::size_t version = reach(change.version);
        if (change.kind == Change::Kind::GoTo) current = version;
        else if (!change.isGone) saved.assign(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(version));
    }
    entries.resize(current);
    return {std::move(entries), std::move(saved)};
}

std::size_t OrphanedJournal::unsavedChanges() const {
    const auto [current, saved] = effect();
    std::size_t common = 0;
    while (common < std::min(current.size(), saved.size()) && current[common] == saved[common]) ++common;
    const std::size_t changes = current.size() - common + saved.size() - common;
    const Change* save = lastSave();
    if (changes > 0 || !save || !save->isGone) return changes;
    // Back at the base, but what was saved last is nowhere else any more.
    return static_cast<std::size_t>(std::count_if(
        m_changes.begin(), m_changes.end(), [](const Change& change) { return change.kind == Change::Kind::Edit; }));
}

const OrphanedJournal::Change* OrphanedJournal::lastSave() const {
    const auto save = std::find_if(m_changes.rbegin(), m_changes.rend(),
                                   [](const Change& change) { return change.kind == Change::Kind::Saved; });
    return save == m_changes.rend() ? nullptr : &*save;
}

std::chrono::system_clock::time_point OrphanedJournal::lastTime() const {
    std::chrono::system_clock::time_point last = m_draftTime;
    for (const Change& change : m_changes) last = std::max(last, change.time);
    return last == std::chrono::system_clock::time_point() ? m_written : last;
}

const OrphanedJournal::Change* OrphanedJournal::lastEdit() const {
    const std::vector<std::int64_t> current = effect().current;
    const bool isOfJournal = !current.empty() && current.back() >= 0;
    return isOfJournal ? &m_changes[static_cast<std::size_t>(current.back())] : nullptr;
}

std::string OrphanedJournal::keptBase() const { return keptBasePath(m_path, m_base); }

bool OrphanedJournal::hasKeptBase() const { return m_base.isAt(keptBase()); }

bool OrphanedJournal::hasOnlyCopy() const {
    const Change* save = lastSave();
    const bool isInFile = save && !save->isGone && unsavedChanges() == 0;
    return !isInFile && !m_base.isOnDisk() && hasKeptBase();
}

void OrphanedJournal::discard() {
    ::unlink(m_path.c_str());
    std::error_code ignored;
    if (m_base.path.starts_with(Journal::newSourcePath(fs::path(m_path).parent_path().string())))
        fs::remove(m_base.path, ignored);
    fs::remove_all(journalFilesFolder(m_path), ignored);
}

std::vector<std::shared_ptr<OrphanedJournal>> orphanedJournals(const std::string& folder) {
    std::vector<std::shared_ptr<OrphanedJournal>> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string path = entry.path().string();
        if (path.ends_with(".new")) removeUnfinished(entry.path());
        if (path.ends_with(".files") &&
            !fs::exists(path.substr(0, path.size() - 6) + std::string(kJournalEnding), ignored))
            fs::remove_all(path, ignored);
        if (!path.ends_with(kJournalEnding)) continue;
        try {
            const auto journal = OrphanedJournal::take(path);
            if (journal && !journal->isWorthKeeping()) journal->discard();
            else if (journal) found.push_back(journal);
        } catch (const Error&) {
            // Left for the Lancet that can read it.
        }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return std::pair(a->lastTime(), a->path()) < std::pair(b->lastTime(), b->path());
    });
    return found;
}

} // namespace fx
