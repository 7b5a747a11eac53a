// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/node_notes.h"

#include "core/pysrc/source_error.h"
#include "core/python/values/object.h"

#include <algorithm>

namespace fx::python {
namespace {
template<class Number> void append(std::string& key, Number number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
}
bool isShown(const Place& place) { return place.file && !place.file->path.empty(); }
} // namespace

void NodeNotes::note(const std::vector<Place>& calls, const Place& here, const std::vector<ModuleFrame>& modules) {
    MetaPtr notes;
    for (; m_noted < m_graph.idLimit(); ++m_noted) {
        const NodeId node = static_cast<NodeId>(m_noted);
        if (m_graph.node(node).erased()) continue;
        if (!notes) notes = notesFor(calls, here, modules);
        if (!m_graph.node(node).meta().wrapped) {
            m_graph.setMeta(node, notes);
            continue;
        }
        auto wrapped = std::make_shared<NodeMeta>(*notes);
        wrapped->wrapped = true;
        m_graph.setMeta(node, std::move(wrapped));
    }
}

/// The first call is that of `forward` itself: its place is where tracing begins.
MetaPtr NodeNotes::notesFor(const std::vector<Place>& calls, const Place& here,
                            const std::vector<ModuleFrame>& modules) {
    m_key.clear();
    for (std::size_t i = m_outer + 1; i < calls.size(); ++i)
        append(m_key, calls[i].file), append(m_key, calls[i].offset);
    append(m_key, here.file), append(m_key, here.offset);
    for (const ModuleFrame& module : modules) {
        m_key += '\n';
        m_key += module.path;
    }
    MetaPtr& known = m_known[m_key];
    if (known) return known;
    auto notes = std::make_shared<NodeMeta>();
    notes->moduleStack = modules;
    m_shown.clear();
    for (std::size_t i = m_outer + 1; i < calls.size(); ++i)
        if (isShown(calls[i])) m_shown += lineText(calls[i], calls[i - 1].function);
    if (isShown(here)) m_shown += lineText(here, calls.size() <= m_outer ? "forward" : calls.back().function);
    notes->stackTrace = m_shown;
    return known = std::move(notes);
}

/// Thousands of modules run the same lines: each is put together once.
const std::string& NodeNotes::lineText(const Place& place, std::string_view function) {
    FileLines& lines = m_lines[place.file];
    ShownLine& shown = lines.shown[place.offset];
    if (!shown.text.empty() && shown.function == function) return shown.text;
    const std::string& text = place.file->text;
    if (lines.starts.empty()) {
        lines.starts.push_back(0);
        for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
            lines.starts.push_back(at + 1);
    }
    const auto line = std::upper_bound(lines.starts.begin(), lines.starts.end(), place.offset) - lines.starts.begin();
    std::string_view code = py::lineTextAt(text, place.offset);
    code.remove_prefix(std::min(code.find_first_not_of(" \t"), code.size()));
    shown.function = function;
    shown.text = "  File \"" + place.file->path + "\", line " + std::to_string(line) + ", in " + shown.function +
                 "\n    " + std::string(code) + "\n";
    return shown.text;
}

} // namespace fx::python
