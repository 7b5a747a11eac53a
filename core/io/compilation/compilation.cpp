// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/compilation.h"

#include "core/base/md5.h"
#include "core/files/file_identity.h"
#include "core/io/compilation/debug_folder.h"
#include "core/io/compilation/trace_log.h"
#include "core/io/compile_text/compile_text.h"
#include "core/tensor/storage.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

namespace fx {
namespace {
namespace fs = std::filesystem;
constexpr int kMaxDepth = 6;                ///< of folders below the one that is named
constexpr std::size_t kMaxEntries = 50'000; ///< of folders that are looked at

/// Logs and folders of graphs, found below a path.
struct Found {
    std::vector<fs::path> logs, folders;
    bool isEmpty() const { return logs.empty() && folders.empty(); }
};

/// "model__2_forward_3.2" before "model__10_inference_19.13": numbers in names compare as numbers.
bool isBefore(const fs::path& a, const fs::path& b) {
    const std::string x = a.string(), y = b.string();
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0, j = 0;
    while (i < x.size() && j < y.size()) {
        if (!digit(x[i]) || !digit(y[j])) {
            if (x[i] != y[j]) return x[i] < y[j];
            ++i, ++j;
            continue;
        }
        const std::size_t from = i, other = j;
        while (i < x.size() && digit(x[i])) ++i;
        while (j < y.size() && digit(y[j])) ++j;
        if (i - from != j - other) return i - from < j - other;
        const int order = x.compare(from, i - from, y, other, j - other);
        if (order != 0) return order < 0;
    }
    return x.size() - i < y.size() - j;
}

/// The compiler numbers its folders at the end of their names: "model__0_backward_7.3" after "model__1_forward_4.1".
bool isWrittenBefore(const fs::path& a, const fs::path& b) {
    if (a.parent_path() != b.parent_path()) return isBefore(a.parent_path(), b.parent_path());
    if (a.extension() != b.extension()) return isBefore(a.extension(), b.extension());
    return isBefore(a, b);
}

/// Links out of the dump that was opened are passed over.
bool isInside(const fs::path& dump, const fs::path& file) {
    std::error_code failed;
    return !resolvedInside(dump.string(), fs::absolute(file, failed).string()).empty();
}

/// One level after the other: no recursion over what lies in the folders.
Found find(const fs::path& path) {
    Found found;
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
        if (isTraceLog(path.string())) found.logs.push_back(path);
        return found;
    }
    std::vector<fs::path> level{path};
    std::size_t seen = 0;
    for (int depth = 0; depth < kMaxDepth && !level.empty(); ++depth) {
        std::vector<fs::path> next;
        for (const fs::path& folder : level) {
            if (isDebugFolder(folder)) {
                found.folders.push_back(folder);
                continue;
            }
            for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
                 entry.increment(failed)) {
                if (++seen > kMaxEntries) return found;
                const bool isLink = entry->is_symlink(failed);
                if (!isLink && entry->is_directory(failed)) next.push_back(entry->path());
                else if (entry->path().extension() == ".log" && (!isLink || isInside(path, entry->path())) &&
                         isTraceLog(entry->path().string()))
                    found.logs.push_back(entry->path());
            }
        }
        level = std::move(next);
    }
    std::sort(found.logs.begin(), found.logs.end(), isBefore);
    std::sort(found.folders.begin(), found.folders.end(), isWrittenBefore);
    return found;
}

/// Paths, sizes and times: what an index was made from.
std::string stateOf(const Found& found) {
    std::string state;
    std::error_code failed;
    for (const auto* paths : {&found.logs, &found.folders})
        for (const fs::path& path : *paths) {
            const bool isFile = paths == &found.logs;
            state += path.string() + '\n' + std::to_string(isFile ? fs::file_size(path, failed) : 0) + ' ' +
                     std::to_string(fs::last_write_time(path, failed).time_since_epoch().count()) + '\n';
        }
    return state;
}

/// Reads the logs and folders and gives each compilation an ID of its own.
class DumpReader {
public:
    explicit DumpReader(const Progress& progress) : m_progress(progress) {}

    CompilationDump read(const Found& found) {
        std::vector<TraceLog> logs;
        for (const fs::path& path : found.logs) logs.push_back(readTraceLog(path.string(), m_progress));
        const bool hasPrefix = areOfSeveralProcesses(logs);
        for (std::size_t i = 0; i < logs.size(); ++i) add(logs[i], found.logs[i], hasPrefix);
        for (const fs::path& folder : found.folders) {
            m_progress.check();
            Compilation compilation = readDebugFolder(folder);
            if (m_counts.contains(compilation.id)) // of another run
                compilation.id = folder.parent_path().parent_path().filename().string() + "/" + compilation.id;
            add(std::move(compilation));
        }
        return std::move(m_dump);
    }

private:
    static bool areOfSeveralProcesses(const std::vector<TraceLog>& logs) {
        std::size_t processes = 0;
        for (const TraceLog& log : logs) {
            std::vector<std::int64_t> ranks;
            for (const LoggedCompilation& each : log.compilations)
                if (each.rank) ranks.push_back(*each.rank);
            std::sort(ranks.begin(), ranks.end());
            processes += std::max<std::size_t>(
                1, static_cast<std::size_t>(std::unique(ranks.begin(), ranks.end()) - ranks.begin()));
        }
        return processes > 1;
    }

    void add(TraceLog& log, const fs::path& path, bool hasPrefix) {
        ++m_number;
        if (m_dump.producer.empty()) m_dump.producer = log.producer;
        if (log.damaged > 0)
            m_dump.warnings.push_back(
                {Message("compile.damaged_records", {{"count", log.damaged}}), {}, {}, path.filename().string()});
        std::optional<std::int64_t> rank; // compilations before the ranks are set have none
        for (const LoggedCompilation& each : log.compilations)
            if (each.rank) rank = each.rank;
        for (LoggedCompilation& each : log.compilations) {
            if (!each.rank) each.rank = rank;
            const std::string process =
                each.rank ? "rank_" + std::to_string(*each.rank) : "log_" + std::to_string(m_number);
            if (hasPrefix) each.compilation.id = process + "/" + each.compilation.id;
            add(std::move(each.compilation));
        }
    }

    void add(Compilation compilation) {
        const int count = ++m_counts[compilation.id];
        if (count > 1) compilation.id += "@" + std::to_string(count);
        for (CompilationStage& stage : compilation.stages) stage.id = compilation.id + ":" + stage.id;
        m_dump.compilations.push_back(std::move(compilation));
    }

    const Progress& m_progress;
    CompilationDump m_dump;
    std::map<std::string, int> m_counts;
    std::size_t m_number = 0;
};
} // namespace

std::string DumpText::read() const {
    if (bytes > kMaxCompileText)
        throw Error(ErrorKind::File, Message("compile.text_too_large", {{"limit", kMaxCompileText}})).in(file);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    DataFile::open(file)->read(offset, std::as_writable_bytes(std::span(text)));
    if (!isPayload) return text;
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
        at += text[at] == '\t';
        out.append(text, at, end + 1 - std::min(at, end + 1));
        if (endsLinesWithCr && out.ends_with("\r\n")) out.erase(out.size() - 2, 1);
        at = end + 1;
    }
    if (endsLinesWithCr && out.ends_with('\r')) out.pop_back();
    return out;
}

bool DumpText::isDamaged(std::string_view text) const { return !checksum.empty() && md5(text) != checksum; }

Warning damagedText(const CompilationStage& stage) {
    return {Message("compile.damaged_text", {{"name", stage.name}}), {}, {}, {}};
}

const CompilationStage& CompilationDump::stage(std::string_view id) const {
    std::string known;
    for (const Compilation& compilation : compilations) {
        for (const CompilationStage& stage : compilation.stages) {
            if (stage.id == id) return stage;
            if (id == compilation.id || known.size() < 200) known += (known.empty() ? "" : ", ") + stage.id;
        }
    }
    throw Error(ErrorKind::File, Message("compile.unknown_stage", {{"id", id}, {"known", known}}));
}

bool isCompilationDump(const std::string& path) { return !find(path).isEmpty(); }

namespace {
Found findIn(const std::string& path) {
    std::error_code failed;
    if (!fs::exists(path, failed)) (void)DataFile::open(path); // reports why
    Found found = find(path);
    if (found.isEmpty()) throw Error(ErrorKind::File, Message("compile.no_dump")).in(path);
    return found;
}

CompilationDump readFound(const Found& found, const std::string& path, const Progress& progress) {
    CompilationDump dump = DumpReader(progress).read(found);
    if (dump.compilations.empty()) throw Error(ErrorKind::File, Message("compile.no_compilation")).in(path);
    return dump;
}
} // namespace

CompilationDump readCompilationDump(const std::string& path, const Progress& progress) {
    return readFound(findIn(path), path, progress);
}

std::shared_ptr<const CompilationDump> compilationDump(const std::string& path, const Progress& progress) {
    static std::mutex mutex;
    static std::string lastState;
    static std::shared_ptr<const CompilationDump> last;
    const Found found = findIn(path);
    std::string state = stateOf(found);
    {
        const std::lock_guard lock(mutex);
        if (last && lastState == state) return last;
    }
    auto dump = std::make_shared<const CompilationDump>(readFound(found, path, progress));
    const std::lock_guard lock(mutex);
    lastState = std::move(state), last = dump;
    return dump;
}

std::optional<std::pair<std::string, std::string>> splitStagePath(const std::string& path) {
    std::error_code failed;
    if (path.find('#') == std::string::npos || fs::exists(path, failed)) return std::nullopt;
    for (std::size_t at = path.rfind('#'); at != std::string::npos && at > 0; at = path.rfind('#', at - 1))
        if (fs::exists(path.substr(0, at), failed)) return std::pair(path.substr(0, at), path.substr(at + 1));
    return std::nullopt;
}

/// The graphs of the compilation that a stage belongs to, itself aside.
static OtherTexts otherStages(const CompilationDump& dump, const CompilationStage& of) {
    std::vector<const CompilationStage*> open;
    for (const Compilation& compilation : dump.compilations) {
        const auto& stages = compilation.stages;
        if (std::none_of(stages.begin(), stages.end(), [&](const auto& stage) { return &stage == &of; })) continue;
        for (const CompilationStage& stage : stages)
            if (&stage != &of && stage.nodes) open.push_back(&stage);
    }
    return [open]() mutable -> std::optional<std::string> {
        if (open.empty()) return std::nullopt;
        const CompilationStage* next = open.back();
        open.pop_back();
        return next->text.read();
    };
}

std::shared_ptr<GraphModule> openStage(const std::string& dump, const std::string& id, const Progress& progress) {
    const std::shared_ptr<const CompilationDump> index = compilationDump(dump, progress);
    const std::string path = dump + "#" + id;
    try {
        const CompilationStage& stage = index->stage(id);
        if (!stage.nodes) throw Error(ErrorKind::File, Message("compile.stage_is_code", {{"name", stage.name}}));
        const std::string text = stage.text.read();
        auto model = readCompileText(text, path, otherStages(*index, stage));
        if (stage.text.isDamaged(text)) model->warnings.push_back(damagedText(stage));
        if (model->producer.empty()) model->producer = index->producer;
        return model;
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace fx
