// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_map.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>

namespace ui {

namespace {
constexpr int kMaxLine = 10'000'000; ///< of what a file may claim

/// Collects files by name, and spots by the notes that nodes share.
class Collector {
public:
    explicit Collector(SourceMap& map) : m_map(map) {}

    const std::vector<SourceMap::Spot>& spotsOf(const fx::NodeMeta& meta) {
        const auto [known, isNew] = m_spots.try_emplace(&meta);
        if (isNew) read(meta.stackTrace, known->second);
        return known->second;
    }

private:
    /// `File "net.py", line 3, in forward` and, on the next line, its text.
    void read(std::string_view trace, std::vector<SourceMap::Spot>& spots) {
        constexpr std::string_view opening = "File \"", middle = "\", line ";
        for (std::size_t at = trace.find(opening); at != trace.npos; at = trace.find(opening, at)) {
            const std::size_t split = trace.find(middle, at);
            if (split == trace.npos) break;
            const std::string_view path = trace.substr(at + opening.size(), split - at - opening.size());
            at = split + middle.size();
            int line = 0;
            std::from_chars(trace.data() + at, trace.data() + trace.size(), line);
            if (line < 1 || line > kMaxLine) continue;
            const int file = fileOf(path);
            spots.insert(spots.begin(), {file, line - 1});
            const std::size_t end = trace.find('\n', at);
            if (end == trace.npos) break;
            const std::size_t code = trace.find_first_not_of(" \t", end + 1);
            if (code == trace.npos || trace.substr(code).starts_with(opening)) continue;
            const std::string_view text = trace.substr(code, trace.find('\n', code) - code);
            if (!text.empty() && text != "\n")
                m_map.files[static_cast<std::size_t>(file)].knownLines.try_emplace(line - 1, text.data(),
                                                                                   static_cast<qsizetype>(text.size()));
        }
    }

    int fileOf(std::string_view path) {
        const auto [known, isNew] = m_files.try_emplace(std::string(path), static_cast<int>(m_map.files.size()));
        if (isNew) {
            m_map.files.emplace_back();
            m_map.files.back().path = QString::fromStdString(std::string(path)); // to be opened
        }
        return known->second;
    }

    SourceMap& m_map;
    std::unordered_map<std::string, int> m_files;
    std::unordered_map<const fx::NodeMeta*, std::vector<SourceMap::Spot>> m_spots;
};

/// Code that was never in a file, such as "<eval_with_key>.11", which torch.fx generates.
bool isGenerated(const SourceMap::File& file) { return file.path.startsWith(u'<'); }

/// Files before generated code, those of most nodes first.
void sortFiles(SourceMap& map) {
    std::vector<int> order(map.files.size()), places(map.files.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const auto &left = map.files[static_cast<std::size_t>(a)], &right = map.files[static_cast<std::size_t>(b)];
        return isGenerated(left) != isGenerated(right) ? isGenerated(right) : left.nodes > right.nodes;
    });
    std::vector<SourceMap::File> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
        places[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
        sorted.push_back(std::move(map.files[static_cast<std::size_t>(order[i])]));
    }
    map.files = std::move(sorted);
    for (auto& spots : map.spots)
        for (auto& spot : spots) spot.file = places[static_cast<std::size_t>(spot.file)];
}
} // namespace

std::shared_ptr<const SourceMap> SourceMap::of(const fx::Graph& graph) {
    auto map = std::make_shared<SourceMap>();
    map->spots.resize(graph.idLimit());
    Collector collector(*map);
    for (const fx::Node& node : graph.nodes()) {
        if (node.meta().stackTrace.empty()) continue;
        const auto& spots = map->spots[fx::index(node.id())] = collector.spotsOf(node.meta());
        for (std::size_t i = 0; i < spots.size(); ++i) {
            File& file = map->files[static_cast<std::size_t>(spots[i].file)];
            if (std::find(spots.begin(), spots.begin() + static_cast<std::ptrdiff_t>(i), spots[i]) !=
                spots.begin() + static_cast<std::ptrdiff_t>(i))
                continue; // a function that calls itself
            file.nodesByLine.emplace_back(spots[i].line, node.id());
            if (i == 0) ++file.nodes;
        }
    }
    for (File& file : map->files) std::stable_sort(file.nodesByLine.begin(), file.nodesByLine.end());
    sortFiles(*map);
    return map;
}

int SourceMap::file(const QString& path) const {
    for (std::size_t i = 0; i < files.size(); ++i)
        if (files[i].path == path) return static_cast<int>(i);
    return -1;
}

std::vector<fx::NodeId> SourceMap::nodesAt(int file, int line) const {
    std::vector<fx::NodeId> nodes;
    if (file < 0) return nodes;
    const auto& all = files[static_cast<std::size_t>(file)].nodesByLine;
    for (auto at = std::lower_bound(all.begin(), all.end(), std::pair(line, fx::NodeId{0}));
         at != all.end() && at->first == line; ++at)
        nodes.push_back(at->second);
    return nodes;
}

int SourceMap::lineOf(fx::NodeId node, int file) const {
    if (fx::index(node) < spots.size())
        for (const Spot& spot : spots[fx::index(node)])
            if (spot.file == file) return spot.line;
    return -1;
}

QByteArray SourceMap::knownText(int file) const {
    QByteArray text;
    int at = 0;
    constexpr int kMaxGap = 2000; // empty lines cost time and tell nothing
    int left = 200'000;
    for (const auto& [line, words] : files[static_cast<std::size_t>(file)].knownLines) {
        if (line - at > kMaxGap && at > 0 && (left -= line - at) < 0) break;
        text.append(QByteArray(line - at, '\n'));
        text.append("    ").append(words);
        at = line;
    }
    return text;
}

bool SourceMap::fits(int file, const QByteArray& text) const {
    const auto& known = files[static_cast<std::size_t>(file)].knownLines;
    const QList<QByteArray> lines = text.split('\n');
    return std::all_of(known.begin(), known.end(), [&](const auto& each) {
        return each.first < lines.size() && lines[each.first].trimmed() == each.second.trimmed();
    });
}

} // namespace ui
