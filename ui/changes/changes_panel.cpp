// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/changes/changes_panel.h"

#include "ui/changes/change_list.h"
#include "ui/document/edit_text.h"
#include "ui/widgets/counted_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace ui {

QString summaryOf(const VersionDifference& difference) {
    QStringList parts;
    const auto add = [&](const std::vector<fx::NodeId>& nodes, const QString& what) {
        if (nodes.empty()) return;
        const QString count = parts.isEmpty()
                                  ? counted(nodes.size(), ChangesPanel::tr("1 node"), ChangesPanel::tr("%1 nodes"))
                                  : QString::number(nodes.size());
        parts << count + u' ' + what;
    };
    add(difference.effect.created, ChangesPanel::tr("created"));
    add(difference.effect.erased, ChangesPanel::tr("erased"));
    add(difference.effect.changed, ChangesPanel::tr("changed"));
    if (const QString random = randomWeightsText(difference.randomWeights); !random.isEmpty()) parts << random;
    else if (!difference.sameModules) parts << ChangesPanel::tr("modules or weights changed");
    return parts.isEmpty() ? ChangesPanel::tr("Nothing differs from the original.") : parts.join(QStringLiteral(" · "));
}

ChangesPanel::ChangesPanel(QWidget* parent)
    : QWidget(parent), m_about(new QLabel(this)), m_sideBySide(new QPushButton(tr("Compare"), this)),
      m_parts(new QSplitter(Qt::Vertical, this)), m_list(new ChangeList(m_parts)), m_view(new DiffView(m_parts)) {
    m_about->setWordWrap(true);
    m_sideBySide->setToolTip(tr("Show the original and the modified model side by side"));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 8, 12, 4);
    bar->addWidget(m_about, 1);
    bar->addWidget(m_sideBySide);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_parts, 1);
    column->addStretch(0);
    constexpr int kLeastList = 72, kLeastCode = 96, kList = 200,
                  kCode = 300; // px; the last two are what they share in the beginning
    m_list->setMinimumHeight(kLeastList);
    m_view->setMinimumHeight(kLeastCode);
    m_parts->setChildrenCollapsible(false);
    m_parts->setStretchFactor(0, 2);
    m_parts->setStretchFactor(1, 3);
    m_parts->setSizes({kList, kCode});
    connect(m_sideBySide, &QPushButton::clicked, this, &ChangesPanel::compareRequested);
    connect(m_list, &ChangeList::chosen, this, [this](fx::NodeId node) {
        m_view->showNode(node);
        lead(node);
    });
    connect(m_view, &CodeView::linesPicked, this, [this](const std::vector<int>& lines) {
        if (!lines.empty()) lead(m_view->nodeAt(lines.front()));
    });
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    setDocument(nullptr);
}

void ChangesPanel::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_document = document;
    if (document) connect(document, &Document::versionChanged, this, &ChangesPanel::compare);
    compare();
}

void ChangesPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_outdated) compare();
}

/// Only while it is seen: it takes the code of both versions.
void ChangesPanel::compare() {
    m_outdated = !isVisible();
    if (m_outdated) {
        m_task.cancel();
        return show({});
    }
    const fx::History* history = m_document ? m_document->versions().history() : nullptr;
    if (!history || !history->model()) {
        m_task.cancel();
        return show({});
    }
    m_task.start(
        [versions = versionsOf(*history)](const fx::Progress& progress) {
            constexpr std::size_t kContext = 2; // lines of code around a change
            Compared compared{std::make_shared<const VersionDifference>(differenceOf(versions, progress)), {}};
            if (!compared.difference->isEmpty()) compared.lines = shortened(compared.difference->lines, kContext);
            return compared;
        },
        this, [this](Compared compared) { show(std::move(compared)); });
}

void ChangesPanel::show(Compared compared) {
    auto before = std::exchange(m_difference, std::move(compared.difference));
    const bool differs = m_difference && !m_difference->isEmpty();
    m_sideBySide->setVisible(differs);
    m_about->setText(m_difference ? summaryOf(*m_difference) : tr("No file is open."));
    m_list->setDifference(m_difference);
    m_list->setVisible(m_list->changes()->rowCount() > 0); // modules alone may have been exchanged
    disposeLater(std::move(before));
    m_view->setDifference(std::move(compared.lines));
    m_parts->setVisible(differs);
}

/// To a node that is still there.
void ChangesPanel::lead(fx::NodeId node) {
    if (!m_document || !m_difference || node == fx::kNoNode) return;
    const fx::Graph& graph = m_document->module()->graph;
    if (fx::index(node) < graph.idLimit() && !graph.node(node).erased()) m_document->selection().goTo(node, this);
}

} // namespace ui
