// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/trace_log.h"

#include "core/io/compilation/log_scanner.h"
#include "core/io/compilation/node_counter.h"
#include "core/io/compilation/trace_record.h"
#include "core/io/compile_text/compile_text.h"
#include "core/json/json_document.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace fx {
namespace {
constexpr std::uint64_t kMaxShortText = 1 << 20; ///< of a reason; graphs are not read here

/// Follows the records of one log.
class LogIndex {
public:
    explicit LogIndex(const std::string& path) : m_path(path) {}

    /// Of a long line `text` is only the start.
    void line(std::string_view text, std::uint64_t offset, std::uint64_t bytes) {
        if (text.starts_with('\t')) return payloadLine(text.substr(1), offset, bytes);
        finish();
        m_head = recordHead(text);
        m_isGraph = false;
        m_payload = {m_path, 0, 0, true, m_head && m_head->endsWithCr, {}};
    }

    TraceLog take() {
        m_isLast = true;
        finish();
        for (LoggedCompilation& each : m_log.compilations) nameStages(each.compilation);
        return std::move(m_log);
    }

private:
    void payloadLine(std::string_view text, std::uint64_t offset, std::uint64_t bytes) {
        if (!m_head) return;
        if (m_payload.endsLinesWithCr && text.ends_with('\r')) text.remove_suffix(1);
        if (m_payload.bytes == 0) m_payload.offset = offset;
        const bool blankSoFar = !m_isGraph && m_isBlank;
        m_payload.bytes = offset + bytes - m_payload.offset;
        if (blankSoFar && !text.empty()) {
            m_isBlank = false;
            m_isGraph = m_head->isRunnable || (text.starts_with("class ") && text.ends_with("(torch.nn.Module):"));
            m_nodes = NodeCounter();
        }
        if (m_isGraph) m_nodes.line(text);
    }

    /// Takes in the record that has ended.
    void finish() {
        const auto head = std::exchange(m_head, std::nullopt);
        m_isBlank = true;
        if (!head || (!head->isOfInterest && !m_isGraph)) return;
        try {
            const auto document = JsonDocument::parse(head->json);
            const JsonValue json = document->root().needObject();
            m_payload.checksum = checksumOf(json);
            record(*head, json);
            // Logs are cut at their end. Others are checked when they are opened.
            if (m_isLast && m_payload.bytes <= kMaxCompileText) m_log.damaged += m_payload.isDamaged(m_payload.read());
        } catch (const Error&) { ++m_log.damaged; }
    }

    static std::string checksumOf(JsonValue json) {
        constexpr std::size_t kMd5Digits = 32;
        std::string text = textAt(json, "has_payload");
        return text.size() == kMd5Digits ? text : std::string();
    }

    void record(const RecordHead& head, JsonValue json) {
        const JsonValue about = json.at(head.key);
        if (head.key == "str") return m_files.intern(head.process, about);
        if (head.name == "torch_version") return readVersion();
        const auto id = compileIdOf(json);
        if (!id) return;
        Compilation& compilation = compilationOf(*id, head, json);
        if (m_isGraph || head.key == "inductor_output_code") return addStage(compilation, head);
        if (head.key == "dynamo_start") start(compilation, head, about);
        else if (head.name == "dynamo_graph_break_reason") compilation.graphBreaks.push_back(shortText());
        else if (head.name == "recompile_reasons") readRecompiles(compilation);
        else if (head.name == "inductor_provenance_tracking_node_mappings") compilation.provenance = m_payload;
        else if (head.key == "dynamo_cpp_guards_str" || head.key == "dynamo_guards") compilation.guards = m_payload;
        else if (head.key == "create_symbol" || head.key == "create_unbacked_symbol")
            compilation.symbols.push_back(
                {textAt(about, "symbol"), textAt(about, "val"), textAt(about, "vr"), textAt(about, "source")});
        else if (head.key == "guard_added" || head.key == "guard_added_fast")
            compilation.shapeGuards.push_back(textAt(about, "expr"));
        else if (head.key == "compilation_metrics") readMetrics(compilation, about);
    }

    // ── compilations ─────────────────────────────────────────────────────────────────────────────────────────────

    struct Current {
        std::size_t index = 0; ///< in the log's compilations
        bool started = false;
    };

    /// Whether the record may be the first of a compilation. After torch._dynamo.reset() IDs start again at 0/0.
    static bool begins(const RecordHead& head, JsonValue json) {
        const JsonValue attempt = json.find("attempt");
        const bool isFirst = !attempt.exists() || attempt.isNull() || attempt.asInt() == 0;
        return isFirst && (head.key == "dynamo_start" || head.name == "recompile_reasons");
    }

    Compilation& compilationOf(const std::string& id, const RecordHead& head, JsonValue json) {
        const JsonValue rank = json.find("rank");
        const std::int64_t number = rank.exists() && !rank.isNull() ? rank.asInt() : -1;
        const bool mayBegin = begins(head, json);
        const auto [entry, isNew] = m_current.try_emplace({number, id});
        Current& current = entry->second;
        if (isNew || (mayBegin && current.started)) {
            current = {m_log.compilations.size(), false};
            LoggedCompilation& made = m_log.compilations.emplace_back();
            made.compilation.id = id;
            if (number >= 0) made.rank = number;
        }
        current.started = current.started || head.key == "dynamo_start";
        return m_log.compilations[current.index].compilation;
    }

    void start(Compilation& compilation, const RecordHead& head, JsonValue about) {
        compilation.stack.clear();
        const JsonValue stack = about.find("stack");
        if (!stack.exists()) return;
        for (const JsonValue frame : stack) compilation.stack.push_back(m_files.frame(head.process, frame));
        if (!compilation.stack.empty()) compilation.function = functionOf(compilation.stack.back());
    }

    void addStage(Compilation& compilation, const RecordHead& head) {
        CompilationStage stage;
        stage.name = head.name.empty() ? head.key : head.name;
        if (m_isGraph) stage.nodes = m_nodes.nodes();
        stage.text = m_payload;
        compilation.stages.push_back(std::move(stage));
    }

    static void nameStages(Compilation& compilation) {
        std::unordered_map<std::string, int> counts;
        for (CompilationStage& stage : compilation.stages) {
            const int count = ++counts[stage.name];
            stage.id = stage.name + (count > 1 ? ":" + std::to_string(count) : "");
        }
    }

    // ── payloads ─────────────────────────────────────────────────────────────────────────────────────────────────

    std::string shortText() const {
        DumpText text = m_payload;
        text.bytes = std::min(text.bytes, kMaxShortText);
        return text.bytes == 0 ? std::string() : text.read();
    }

    /// A JSON list, or in newer versions the text of a single reason.
    void readRecompiles(Compilation& compilation) const {
        const std::string text = shortText();
        if (!text.starts_with('[')) return compilation.recompiles.push_back(text);
        const auto document = JsonDocument::parse(text);
        for (const JsonValue reason : document->root())
            if (reason.isString()) compilation.recompiles.emplace_back(reason.asText());
    }

    void readVersion() {
        const auto document = JsonDocument::parse(shortText());
        m_log.producer = textAt(document->root(), "pytorch_version");
    }

    static void readMetrics(Compilation& compilation, JsonValue about) {
        const std::string type = textAt(about, "fail_type"), reason = textAt(about, "fail_reason");
        if (!type.empty()) compilation.failure = type + ": " + reason;
        const std::string name = textAt(about, "co_name"), file = textAt(about, "co_filename");
        const JsonValue line = about.find("co_firstlineno");
        if (name.empty() || file.empty() || !line.exists() || line.isNull()) return;
        compilation.function = name + " (" + file + ":" + std::to_string(line.asInt()) + ")";
    }

    std::string m_path;
    TraceLog m_log;
    std::map<std::pair<std::int64_t, std::string>, Current> m_current; ///< by rank and ID
    InternedFiles m_files;
    std::optional<RecordHead> m_head;
    DumpText m_payload;
    NodeCounter m_nodes;
    bool m_isGraph = false, m_isBlank = true, m_isLast = false;
};
} // namespace

/// A log that lost its beginning starts in the middle of a line, or with lines of a payload.
static bool beginsAsLog(std::string_view start) {
    for (std::size_t at = 0; at < start.size();) {
        const std::string_view line = start.substr(at, start.find('\n', at) - at);
        if (recordHead(line)) return true;
        if (at > 0 && !line.starts_with('\t')) return false;
        at += line.size() + 1;
    }
    return false;
}

bool isTraceLog(const std::string& path) {
    try {
        const auto file = DataFile::open(path);
        std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(file->size(), kLogBlock)), '\0');
        file->read(0, std::as_writable_bytes(std::span(start)));
        return beginsAsLog(start);
    } catch (const Error&) {
        return false; // opening it reports why
    }
}

TraceLog readTraceLog(const std::string& path, const Progress& progress) {
    const auto file = DataFile::open(path);
    LogIndex index(path);
    scanLines(*file, progress, [&](auto... line) { index.line(line...); });
    return index.take();
}

} // namespace fx
