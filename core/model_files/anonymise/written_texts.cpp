// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/anonymise/written_texts.h"

#include "core/base/one_of.h"
#include "core/diag/error.h"
#include "core/io/zip/zip_archive.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unordered_set>

namespace fx::anonymise {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShortest = 3, kMostFound = 1000;
constexpr std::uint64_t kMostInflated = std::uint64_t{1} << 30, kBlock = 1 << 20;

/// Words that the formats and generated code have in any file, and that no table of PyTorch lists.
constexpr std::string_view kFormatWords[] = {
    "args",    "attributes", "buffers",    "children", "class",  "classes", "code",    "def",      "forward",
    "from",    "graph",      "import",     "inputs",   "kwargs", "lambda",  "meta",    "metadata", "model",
    "models",  "module",     "modules",    "name",     "node",   "nodes",   "none",    "None",     "op",
    "output",  "outputs",    "parameters", "return",   "root",   "self",    "shape",   "target",   "tensor",
    "tensors", "text",       "type",       "user",     "users",  "values",  "version", "weights",  "functions",
    "super",   "data",       "format",     "origin",   "path",
};

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

void forEachWord(std::string_view text, const std::function<void(std::string_view)>& use) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && isLetter(text[end])) ++end;
        if (end - at >= kShortest) use(text.substr(at, end - at));
        at = end + 1;
    }
}

bool isWord(std::string_view text) { return std::all_of(text.begin(), text.end(), isLetter); }

using UseText = std::function<void(std::string_view)>;

/// The texts of a file: all of a small one, else blocks that overlap by `overlap` bytes.
void inStorage(const Storage& storage, std::size_t overlap, const Progress& progress, const UseText& use) {
    std::string block;
    for (std::uint64_t at = 0; at < storage.byteCount(); at += kBlock) {
        progress.check();
        block.resize(static_cast<std::size_t>(std::min(storage.byteCount() - at, kBlock + overlap)));
        storage.read(at, std::as_writable_bytes(std::span(block)));
        use(block);
    }
}

void inFile(const std::string& path, std::size_t overlap, std::vector<std::string>& skipped, const Progress& progress,
            const UseText& use) {
    const auto file = DataFile::open(path);
    if (!ZipArchive::looksLikeZip(*file))
        return inStorage(*Storage::inFile(file, 0, file->size()), overlap, progress, use);
    const ZipArchive archive = ZipArchive::open(file);
    for (const ZipMember& member : archive.members()) {
        use(member.name.substr(archive.root().size())); // the folder has the name of the file
        if (member.stored || member.size <= kMostInflated) inStorage(*archive.storage(member), overlap, progress, use);
        else skipped.push_back(member.name);
    }
}

void inOutput(const std::string& output, std::size_t overlap, std::vector<std::string>& skipped,
              const Progress& progress, const UseText& use) {
    if (output.ends_with('/')) {
        for (const auto& entry : fs::recursive_directory_iterator(output)) {
            use(entry.path().filename().string());
            if (entry.is_regular_file()) inFile(entry.path().string(), overlap, skipped, progress, use);
        }
        return;
    }
    inFile(output, overlap, skipped, progress, use);
    const fs::path weights = fs::path(output).replace_extension(".safetensors");
    if (output.ends_with(".json") && fs::exists(weights)) inFile(weights.string(), overlap, skipped, progress, use);
}

/// The texts to look for: words, and others by their first word.
class Sought {
public:
    explicit Sought(const Names& names) {
        std::unordered_set<std::string_view> made;
        for (const auto& [old, current] : names.table()) made.insert(current);
        const auto add = [&](const std::string& text) {
            const std::size_t start = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
            if (start == text.npos) return;
            const std::string_view trimmed = std::string_view(text).substr(start, end + 1 - start);
            longest = std::max(longest, std::min<std::size_t>(trimmed.size(), kLongest));
            if (trimmed.size() < kShortest || made.contains(trimmed) || isPublicWord(trimmed) ||
                isOneOf(trimmed, kFormatWords))
                return;
            if (isWord(trimmed)) {
                if (!isNumberedPublic(trimmed)) m_words.insert(trimmed);
                return;
            }
            std::string_view first;
            forEachWord(trimmed, [&](std::string_view word) {
                if (first.empty()) first = word;
            });
            if (!first.empty() && trimmed.size() > 2 * kShortest) m_texts[first].push_back(trimmed.substr(0, kLongest));
        };
        for (const auto& [old, current] : names.table()) add(old);
        for (const std::string& text : names.lacking()) add(text);
    }

    void find(std::string_view content, std::unordered_set<std::string>& found) const {
        forEachWord(content, [&](std::string_view word) {
            if (found.size() >= kMostFound) return;
            if (m_words.contains(word)) found.emplace(word);
            const auto texts = m_texts.find(word);
            if (texts == m_texts.end()) return;
            const auto at = static_cast<std::size_t>(word.data() - content.data());
            for (const std::string_view text : texts->second) {
                const std::size_t before = text.find(word);
                if (at >= before && content.substr(at - before).starts_with(text)) found.emplace(text);
            }
        });
    }

    std::size_t longest = 0;

private:
    static constexpr std::size_t kLongest = 200;
    /// "add_1", as torch.fx numbers names.
    static bool isNumberedPublic(std::string_view word) {
        const std::size_t end = word.find_last_not_of("0123456789_");
        return end == word.npos || isPublicWord(word.substr(0, end + 1));
    }

    std::unordered_set<std::string_view> m_words;
    std::unordered_map<std::string_view, std::vector<std::string_view>> m_texts;
};

} // namespace

std::vector<std::string> survivingTexts(const std::string& output, const Names& names,
                                        std::vector<std::string>& skipped, const Progress& progress) {
    const Sought sought(names);
    std::unordered_set<std::string> found;
    inOutput(output, sought.longest, skipped, progress, [&](std::string_view content) { sought.find(content, found); });
    std::vector<std::string> out(found.begin(), found.end());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace fx::anonymise
