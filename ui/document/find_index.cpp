// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/find_index.h"

#include "ui/document/node_facts.h"

#include <QRegularExpression>
#include <QStringMatcher>

#include <algorithm>
#include <optional>

namespace ui {

namespace {

constexpr int kLongestField = 1000;
constexpr std::size_t kStopEvery = 1024;

/// Splits "target:relu" into its field and "relu"; -1 when no field is named.
std::pair<int, QString> splitField(const QString& text) {
    const qsizetype colon = text.indexOf(u':');
    if (colon > 0) {
        const QStringView word = QStringView(text).left(colon);
        for (int field = 0; field < FindIndex::kFields; ++field)
            if (word == QLatin1String(FindIndex::fieldWords()[static_cast<std::size_t>(field)]))
                return {field, text.mid(colon + 1)};
    }
    return {-1, text};
}

struct Hit {
    qsizetype start, length;
};

} // namespace

const std::array<const char*, FindIndex::kFields>& FindIndex::fieldWords() {
    static const std::array<const char*, kFields> words = {"name", "target", "module", "type", "dtype", "shape"};
    return words;
}

std::shared_ptr<const FindIndex> FindIndex::build(const fx::GraphModule& module, const fx::Progress& progress) {
    auto index = std::make_shared<FindIndex>();
    index->m_order = module.graph.order();
    index->m_starts.reserve(index->m_order.size() * kFields + 1);
    ModuleLookup modules(*module.root);
    for (std::size_t i = 0; i < index->m_order.size(); ++i) {
        if (i % kStopEvery == 0) progress.check();
        const fx::Node& node = module.graph.node(index->m_order[i]);
        const std::array<std::string, kFields> fields = {node.name(),        targetText(node),
                                                         modulePathOf(node), typeText(node, modules),
                                                         dtypeText(node),    shapeText(node)};
        for (const std::string& field : fields) {
            index->m_starts.push_back(static_cast<std::uint32_t>(index->m_text.size()));
            index->m_text += elidedLines(field, kLongestField).replace(u'\n', u' ');
            index->m_text += u'\n';
        }
    }
    index->m_starts.push_back(static_cast<std::uint32_t>(index->m_text.size()));
    index->m_folded = index->m_text;
    for (QChar& c : index->m_folded) c = c.toLower();
    return index;
}

QStringView FindIndex::field(std::size_t i, Field field) const {
    const std::size_t at = i * kFields + field;
    return QStringView(m_text).mid(m_starts[at], static_cast<qsizetype>(m_starts[at + 1] - m_starts[at]) - 1);
}

/// The field (index into m_starts) that holds `position`; `from` is a field known to start at or before it.
std::size_t FindIndex::recordAt(qsizetype position, std::size_t from) const {
    const auto next = std::upper_bound(m_starts.begin() + static_cast<std::ptrdiff_t>(from), m_starts.end(),
                                       static_cast<std::uint32_t>(position));
    return static_cast<std::size_t>(next - m_starts.begin()) - 1;
}

template<class Search, class Alone> std::vector<fx::NodeId> FindIndex::collect(Search search, Alone matchesAlone,
                                                                               int onlyField,
                                                                               const fx::Progress& progress) const {
    std::vector<fx::NodeId> found;
    std::size_t field = 0, steps = 0;
    const std::size_t end = m_order.size() * kFields;
    while (field < end) {
        if (++steps % kStopEvery == 0) progress.check();
        const std::optional<Hit> hit = search(static_cast<qsizetype>(m_starts[field]));
        if (!hit) break;
        field = recordAt(hit->start, field);
        if (field >= end) break;
        // "[^a]*" runs on into the next fields: what counts is whether the field alone matches.
        const bool inField =
            hit->start + hit->length < static_cast<qsizetype>(m_starts[field + 1]) || matchesAlone(field);
        const std::size_t record = field / kFields;
        if (inField && (onlyField < 0 || field % kFields == static_cast<std::size_t>(onlyField))) {
            found.push_back(m_order[record]);
            field = (record + 1) * kFields;
        } else {
            ++field;
        }
    }
    return found;
}

/// Where the node of that name is among those found, which are in graph order; 0 if it is not.
std::size_t FindIndex::placeOf(const std::vector<fx::NodeId>& found, QStringView name) const {
    std::size_t place = 0;
    for (std::size_t i = 0; i < m_order.size() && place < found.size(); ++i) {
        if (m_order[i] != found[place]) continue;
        if (field(i, Name) == name) return place;
        ++place;
    }
    return 0;
}

FindResult FindIndex::find(const FindQuery& query, const fx::Progress& progress) const {
    const auto [field, text] = splitField(query.text);
    FindResult result;
    if (text.isEmpty()) return result;
    if (!query.regex) {
        const QString& haystack = query.caseSensitive ? m_text : m_folded;
        QString needle = text;
        if (!query.caseSensitive)
            for (QChar& c : needle) c = c.toLower();
        const QStringMatcher matcher(needle);
        result.nodes = collect(
            [&](qsizetype from) -> std::optional<Hit> {
                const qsizetype at = matcher.indexIn(haystack, from);
                if (at < 0) return std::nullopt;
                return Hit{at, needle.size()};
            },
            [](std::size_t) { return false; }, field, progress);
        if (field < 0 || field == Name) result.best = placeOf(result.nodes, text);
        return result;
    }
    auto options = QRegularExpression::MultilineOption | QRegularExpression::DontCaptureOption;
    if (!query.caseSensitive) options |= QRegularExpression::CaseInsensitiveOption;
    const QRegularExpression regex(text, options);
    if (!regex.isValid()) {
        result.error = regex.errorString();
        return result;
    }
    result.nodes = collect(
        [&](qsizetype from) -> std::optional<Hit> {
            const auto match = regex.match(m_text, from, QRegularExpression::NormalMatch,
                                           QRegularExpression::DontCheckSubjectStringMatchOption);
            if (!match.hasMatch()) return std::nullopt;
            return Hit{match.capturedStart(), match.capturedLength()};
        },
        [&](std::size_t at) {
            return regex.match(this->field(at / kFields, static_cast<Field>(at % kFields)).toString()).hasMatch();
        },
        field, progress);
    return result;
}

} // namespace ui
