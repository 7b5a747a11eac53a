// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compilation/stage_window.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/document/document_picture.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QDialogButtonBox>
#include <QSplitter>
#include <QVBoxLayout>

#include <set>

namespace ui {

namespace {

/// How nodes look that only this side has.
std::shared_ptr<const NodeStyle> aloneStyle(std::size_t side) {
    const Theme::Role& role = side == 0 ? theme().error : theme().ok;
    auto style = std::make_shared<NodeStyle>();
    style->fill = role.fill;
    style->line = style->badgeColor = role.line;
    style->badge = (side == 0 ? StageWindow::tr("gone") : StageWindow::tr("new")).toStdString();
    return style;
}

std::size_t aloneIn(const fx::Graph& graph, const std::vector<std::vector<fx::NodeId>>& links) {
    std::size_t count = 0;
    for (const fx::Node& node : graph.nodes()) count += links[fx::index(node.id())].empty();
    return count;
}

QString namesOf(const fx::Graph& graph, const std::vector<fx::NodeId>& nodes) {
    constexpr std::size_t kShown = 8;
    QStringList names;
    for (std::size_t i = 0; i < nodes.size() && i < kShown; ++i) names << fromCore(graph.node(nodes[i]).name());
    if (nodes.size() > kShown) names << StageWindow::tr("%1 more").arg(nodes.size() - kShown);
    return names.join(QStringLiteral(", "));
}

} // namespace

StageWindow::StageWindow(std::shared_ptr<const StagePair> pair, QWidget* parent)
    : QDialog(parent, Qt::Window), m_pair(std::move(pair)), m_linked(new WrappedLabel(this)) {
    setWindowTitle(tr("%1 → %2").arg(m_pair->names[0], m_pair->names[1]));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(parent ? parent->window()->size() * 9 / 10 : QSize(1200, 760));
    auto* pictures = new QSplitter(Qt::Horizontal, this);
    for (std::size_t side = 0; side < 2; ++side) pictures->addWidget(makeSide(side));
    pictures->setChildrenCollapsible(false);
    const std::size_t gone = aloneIn(m_pair->modules[0]->graph, m_pair->links.ofA);
    const std::size_t made = aloneIn(m_pair->modules[1]->graph, m_pair->links.ofB);
    const std::size_t tracked = m_pair->links.tracked;
    auto* about = new WrappedLabel(
        this, tr("%1 gone, %2 new, %3")
                  .arg(QString::number(gone), QString::number(made),
                       tracked > 0 ? tr("%1 linked as PyTorch tracked them, the others by structure").arg(tracked)
                                   : tr("the others linked by structure")));
    about->setProperty("role", "heading");
    m_linked->setTextFormat(Qt::PlainText);
    m_linked->setText(tr("Select a node to see what it became, or where it came from."));
    m_linked->setProperty("role", "muted");
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->addWidget(about);
    column->addWidget(pictures, 1);
    column->addWidget(m_linked);
    column->addWidget(buttons);
    m_sides[0].canvas->setFocus();
}

QWidget* StageWindow::makeSide(std::size_t side) {
    auto* page = new QWidget(this);
    Side& made = m_sides[side];
    made.picture = new DocumentPicture(this);
    made.canvas = new GraphCanvas(page);
    made.canvas->setAccessibleName(m_pair->names[side]);
    made.canvas->setGraph(m_pair->modules[side]);
    made.canvas->setNodeStyler([pair = m_pair, side, alone = aloneStyle(side)](fx::NodeId node) -> const NodeStyle* {
        const auto& links = side == 0 ? pair->links.ofA : pair->links.ofB;
        return links[fx::index(node)].empty() ? alone.get() : nullptr;
    });
    made.picture->setModule(m_pair->modules[side]);
    connect(made.picture, &DocumentPicture::pictureChanged, this, [this, side] {
        const bool first = m_sides[side].canvas->scene().itemCount() == 0;
        m_sides[side].canvas->setScene(m_sides[side].picture->scene(), !first);
    });
    connect(made.picture, &DocumentPicture::revealed, made.canvas, &GraphCanvas::revealNode);
    connect(made.canvas, &GraphCanvas::groupToggled, made.picture, &DocumentPicture::setExpanded);
    connect(made.canvas, &GraphCanvas::selectionChanged, this, [this, side] { select(side); });
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(heading(m_pair->names[side], page));
    column->addWidget(made.canvas, 1);
    return page;
}

void StageWindow::select(std::size_t side) {
    if (m_following) return;
    const std::vector<fx::NodeId> nodes = m_sides[side].canvas->selection();
    std::set<fx::NodeId> linked;
    for (const fx::NodeId node : nodes)
        for (const fx::NodeId other : linksOf(side)[fx::index(node)]) linked.insert(other);
    const std::vector<fx::NodeId> others(linked.begin(), linked.end());
    m_following = true;
    m_sides[1 - side].canvas->setSelection(others, false);
    m_following = false;
    if (!others.empty()) m_sides[1 - side].picture->reveal(others.front());
    const fx::Graph &here = m_pair->modules[side]->graph, &there = m_pair->modules[1 - side]->graph;
    const QString from = namesOf(here, nodes), to = namesOf(there, others);
    if (nodes.empty()) m_linked->clear();
    else if (others.empty()) m_linked->setText(tr("%1: no counterpart in %2").arg(from, m_pair->names[1 - side]));
    else m_linked->setText(side == 0 ? tr("%1 became %2").arg(from, to) : tr("%1 came from %2").arg(from, to));
}

} // namespace ui
