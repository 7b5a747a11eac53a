// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/random_weights.h"

#include "ui/document/document.h"

#include <algorithm>

namespace ui {

namespace {

template<class T> bool isSame(const std::weak_ptr<T>& known, const std::shared_ptr<T>& other) {
    return !known.owner_before(other) && !other.owner_before(known);
}

/// The first node that calls a module or one inside it.
fx::NodeId firstCallOf(const fx::Graph& graph, const std::string& path) {
    for (const fx::Node& node : graph.nodes())
        if (node.op() == fx::Op::CallModule && (path == node.target() || path.starts_with(node.target() + '.')))
            return node.id();
    return fx::kNoNode;
}

} // namespace

RandomWeights::RandomWeights(Document& document) : QObject(&document), m_document(document) {
    connect(&document, &Document::versionChanged, this, &RandomWeights::find);
}

const RandomWeights::Edit* RandomWeights::known(const std::shared_ptr<const fx::GraphModule>& version) const {
    const auto found =
        std::find_if(m_edits.begin(), m_edits.end(), [&](const Edit& edit) { return isSame(edit.version, version); });
    return found == m_edits.end() ? nullptr : &*found;
}

const std::vector<std::string>* RandomWeights::ofEdit(const std::shared_ptr<const fx::GraphModule>& version) const {
    const Edit* edit = known(version);
    return edit ? &edit->drawn->modules : nullptr;
}

const RandomWeights::Current& RandomWeights::current() const {
    static const Current kNothing;
    return isSame(m_of, m_document.module()) ? m_current : kNothing;
}

void RandomWeights::find() {
    const fx::History* history = m_document.versions().history();
    if (!history || isSame(m_of, history->model())) return; // it was saved
    std::erase_if(m_edits, [](const Edit& edit) { return edit.version.expired(); });
    const auto& entries = history->entries();
    Search search{{}, {}, {}, history->model()};
    bool isDrawn = false;
    for (std::size_t i = 1; i <= history->current(); ++i) {
        const Edit* edit = known(entries[i].model);
        search.drawn.push_back(edit ? edit->drawn : nullptr);
        isDrawn = isDrawn || (edit && !edit->drawn->parameters.empty());
        if (edit) continue;
        search.before.push_back(entries[i - 1].model);
        search.edits.push_back(entries[i]);
    }
    m_finding.cancel();
    if (search.edits.empty() && !isDrawn) return take({}, history->model());
    m_finding.start([search](const fx::Progress& progress) { return RandomWeights::search(search, progress); }, this,
                    [this, version = history->model()](Found found) { take(std::move(found), version); });
}

RandomWeights::Found RandomWeights::search(const Search& search, const fx::Progress& progress) {
    Found found;
    std::vector<fx::TensorPtr> drawn;
    for (const auto& edit : search.drawn) {
        std::shared_ptr<const fx::DrawnWeights> own = edit;
        if (!own) {
            const std::size_t place = found.edits.size();
            own = std::make_shared<const fx::DrawnWeights>(
                fx::drawnWeights(*search.before[place], search.edits[place], progress));
            found.edits.push_back({search.edits[place].model, own});
        }
        drawn.insert(drawn.end(), own->parameters.begin(), own->parameters.end());
    }
    found.current.modules = fx::modulesWith(*search.version, drawn, progress);
    if (!found.current.modules.empty())
        found.current.node = firstCallOf(search.version->graph, found.current.modules.front());
    return found;
}

void RandomWeights::take(Found found, const std::shared_ptr<const fx::GraphModule>& version) {
    const bool isNew =
        found.current != m_current || std::any_of(found.edits.begin(), found.edits.end(),
                                                  [](const Edit& edit) { return !edit.drawn->modules.empty(); });
    m_edits.insert(m_edits.end(), found.edits.begin(), found.edits.end());
    m_current = std::move(found.current);
    m_of = version;
    if (isNew) Q_EMIT changed();
}

} // namespace ui
