// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_picture.h"

#include "ui/widgets/core_text.h"

#include <QElapsedTimer>

#include <algorithm>

namespace ui {

namespace {
constexpr qint64 kRefineMillis = 300;
constexpr std::size_t kOpenedAtOnce = 5000; ///< nodes: finding the groups of more would hold up the window

/// Opens the groups that are open at first.
void open(fx::LayoutOptions& options, const fx::GraphModule& module) {
    fx::LayoutOptions initial = fx::LayoutOptions::initialFor(module);
    options.expandAll = initial.expandAll;
    options.expanded.merge(initial.expanded);
}
} // namespace

DocumentPicture::~DocumentPicture() {
    m_layout.cancel();
    m_refinement.cancel();
    disposeLater(std::move(m_engine));
}

void DocumentPicture::setModule(std::shared_ptr<const fx::GraphModule> module) {
    m_layout.cancel();
    m_refinement.cancel();
    m_module = std::move(module);
    disposeLater(std::move(m_engine));
    disposeLater(std::move(m_scene));
    m_groups.clear();
    m_members = {};
    m_touched = false;
    const fx::Direction direction = m_options.direction;
    m_options = {};
    m_options.direction = direction;
    m_isUnopened = m_module && m_module->graph.size() > kOpenedAtOnce;
    if (m_module && !m_isUnopened) open(m_options, *m_module);
    if (m_module) restart();
}

void DocumentPicture::setVersion(std::shared_ptr<const fx::GraphModule> module) {
    if (!m_module) return setModule(std::move(module));
    m_module = std::move(module);
    disposeLater(std::move(m_engine));
    std::erase_if(m_options.hidden, [this](fx::NodeId node) {
        return fx::index(node) >= m_module->graph.idLimit() || m_module->graph.node(node).erased();
    });
    restart();
}

void DocumentPicture::setOptions(fx::LayoutOptions options) {
    m_options = std::move(options);
    m_isUnopened = false;
    restart();
}

void DocumentPicture::setDirection(fx::Direction direction) {
    if (m_options.direction == direction) return;
    m_options.direction = direction;
    restart();
}

void DocumentPicture::setExpanded(const QString& groupPath, bool expanded) {
    const std::string path = groupPath.toStdString();
    if (m_options.expandAll) {
        if (expanded) return;
        m_options.expandAll = false;
        m_options.expanded = std::set<std::string>(m_groups.begin(), m_groups.end());
    }
    if (expanded) m_options.expanded.insert(path);
    else m_options.expanded.erase(path);
    restart();
}

void DocumentPicture::expandAll() {
    if (m_options.expandAll) return;
    m_isUnopened = false;
    m_options.expandAll = true;
    restart();
}

void DocumentPicture::collapseAll() {
    m_isUnopened = false;
    m_options.expandAll = false;
    m_options.expanded.clear();
    restart();
}

bool DocumentPicture::shows(fx::NodeId node) const { return m_scene && m_scene->itemOf(node) != kNoItem; }

std::vector<fx::NodeId> DocumentPicture::nodesIn(const QString& groupPath) const {
    return m_module ? m_members.nodesIn(m_module->graph, groupPath.toStdString()) : std::vector<fx::NodeId>();
}

/// The node that stands for `node` in the picture: itself, or the one that has it as a chip; kNoNode when there is
/// none.
fx::NodeId DocumentPicture::drawnFor(fx::NodeId node) const {
    if (!m_scene || shows(node)) return m_scene ? node : fx::kNoNode;
    for (const fx::NodeItem& item : m_scene->picture().nodes)
        if (std::find(item.chipNodes.begin(), item.chipNodes.end(), node) != item.chipNodes.end()) return item.node;
    return fx::kNoNode;
}

void DocumentPicture::reveal(fx::NodeId node) {
    if (!m_module) return;
    const bool wasHidden = m_options.hidden.erase(node) > 0;
    const fx::NodeId drawn = wasHidden ? fx::kNoNode : drawnFor(node);
    if (drawn != fx::kNoNode) {
        Q_EMIT revealed(drawn);
        return;
    }
    // Chips are where their users are.
    const fx::Node& source = m_module->graph.node(node);
    const bool mayBeChip =
        source.op() == fx::Op::GetAttr || (source.op() == fx::Op::Placeholder && !m_module->lifted.empty());
    restart({mayBeChip && !source.users().empty() ? source.users().front() : node});
}

void DocumentPicture::reveal(const std::vector<fx::NodeId>& nodes) {
    constexpr std::size_t kMost = 2000; // opening the groups around more would open nearly everything
    if (!m_module || nodes.empty()) return;
    if (nodes.size() == 1 || nodes.size() > kMost) return reveal(nodes.front());
    bool wasHidden = false;
    for (const fx::NodeId node : nodes) wasHidden |= m_options.hidden.erase(node) > 0;
    const auto isDrawn = [this](fx::NodeId node) { return m_scene && m_scene->seatOf(node) != kNoItem; };
    if (!wasHidden && std::all_of(nodes.begin(), nodes.end(), isDrawn)) return tell(nodes);
    restart(nodes);
}

void DocumentPicture::tell(const std::vector<fx::NodeId>& revealedNodes) {
    if (revealedNodes.size() > 1) Q_EMIT revealedAll(revealedNodes);
    else if (const fx::NodeId drawn = revealedNodes.empty() ? fx::kNoNode : drawnFor(revealedNodes.front());
             drawn != fx::kNoNode)
        Q_EMIT revealed(drawn);
}

void DocumentPicture::hide(const std::vector<fx::NodeId>& nodes) {
    m_options.hidden.insert(nodes.begin(), nodes.end());
    restart();
}

void DocumentPicture::showAll() {
    if (m_options.hidden.empty()) return;
    m_options.hidden.clear();
    restart();
}

void DocumentPicture::restart(std::vector<fx::NodeId> reveal) {
    if (!m_module) return;
    m_refinement.cancel();
    const bool first = m_groups.empty();
    // The hierarchy costs a pass over the graph, so the engine is made where it is used.
    if (!m_engine) m_engine = std::make_shared<Engine>();
    m_layout.start(
        [engine = m_engine, module = m_module, options = m_options, reveal, first,
         opens = m_isUnopened](const fx::Progress& progress) mutable {
            const std::scoped_lock lock(engine->mutex);
            progress.check();
            if (opens) open(options, *module);
            if (!engine->layout) engine->layout.emplace(module);
            for (const fx::NodeId node : reveal)
                for (std::string& path : engine->layout->groupsAround(node)) options.expanded.insert(std::move(path));
            Laid laid;
            laid.scene =
                Scene::make(std::make_shared<const fx::Picture>(engine->layout->layered(options, progress)), module);
            if (first) laid.groups = engine->layout->groupPaths();
            laid.members = engine->layout->membership();
            laid.options = std::move(options);
            return laid;
        },
        this, [this, reveal](Laid laid) { take(std::move(laid), reveal); },
        [this](const fx::Error& error) { Q_EMIT failed(linesFromCore(error.what())); });
    Q_EMIT optionsChanged();
}

void DocumentPicture::take(Laid laid, const std::vector<fx::NodeId>& reveal) {
    auto before = std::exchange(m_scene, std::move(laid.scene));
    m_members = std::move(laid.members);
    m_options = std::move(laid.options);
    m_isUnopened = false;
    if (!laid.groups.empty()) m_groups = std::move(laid.groups);
    m_touched = false;
    Q_EMIT pictureChanged(false);
    disposeLater(std::move(before));
    tell(reveal);
    refine();
}

void DocumentPicture::refine() {
    QElapsedTimer clock;
    clock.start();
    m_refinement.start(
        [engine = m_engine, module = m_module,
         options = m_options](const fx::Progress& progress) -> std::shared_ptr<const Scene> {
            const std::scoped_lock lock(engine->mutex);
            progress.check();
            std::optional<fx::Picture> picture = engine->layout->refined(options, progress);
            if (!picture) return nullptr;
            return Scene::make(std::make_shared<const fx::Picture>(std::move(*picture)), module);
        },
        this,
        [this, clock](std::shared_ptr<const Scene> scene) {
            if (!scene || m_touched || clock.elapsed() > kRefineMillis) return;
            m_scene = std::move(scene);
            Q_EMIT pictureChanged(true);
        });
}

} // namespace ui
