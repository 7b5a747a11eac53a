// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/changes/compare_window.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/changes/change_list.h"
#include "ui/changes/changes_panel.h"
#include "ui/changes/diff_view.h"
#include "ui/changes/steps_widget.h"
#include "ui/document/document_picture.h"
#include "ui/widgets/role.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace ui {

namespace {
using Kind = VersionDifference::Kind;

/// The looks of created, erased, changed and unchanged nodes; words stand beside the colours.
std::shared_ptr<const std::array<NodeStyle, 4>> styles() {
    auto all = std::make_shared<std::array<NodeStyle, 4>>();
    const auto set = [&](Kind kind, const Theme::Role& role, const QString& word) {
        NodeStyle& style = (*all)[static_cast<std::size_t>(kind)];
        style.fill = role.fill;
        style.line = style.badgeColor = role.line;
        style.badge = word.toStdString();
        style.struck = kind == Kind::Erased;
    };
    set(Kind::Created, theme().ok, CompareWindow::tr("created"));
    set(Kind::Erased, theme().error, CompareWindow::tr("erased"));
    set(Kind::Changed, theme().warning, CompareWindow::tr("changed"));
    (*all)[static_cast<std::size_t>(Kind::Same)].faint = true;
    return all;
}
} // namespace

CompareWindow::CompareWindow(std::shared_ptr<const VersionDifference> difference, const QString& title,
                             const QString& question, QWidget* parent)
    : QDialog(parent, Qt::Window), m_difference(std::move(difference)) {
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    resize(parent ? parent->size() * 9 / 10 : QSize(1200, 760));
    auto* pictures = new QSplitter(Qt::Horizontal, this);
    pictures->addWidget(makeSide(0, question.isEmpty() ? tr("Original") : tr("Before")));
    pictures->addWidget(makeSide(1, question.isEmpty() ? tr("Modified") : tr("After")));
    auto* all = new QSplitter(Qt::Vertical, this);
    all->addWidget(pictures);
    makeBelow(all);
    all->setChildrenCollapsible(false);
    all->setStretchFactor(0, 3);
    all->setStretchFactor(1, 2);
    all->setSizes({height() * 3 / 5, height() * 2 / 5});
    const bool isNothing = m_difference->isEmpty();
    auto* about = new WrappedLabel(this, isNothing && !question.isEmpty() ? tr("This changes nothing.")
                                                                          : summaryOf(*m_difference));
    about->setProperty("role", "heading");
    m_verdict = new QLabel(this);
    m_verdictText = new WrappedLabel(this);
    m_problem = new WrappedLabel(this);
    m_problem->setProperty("role", "error");
    m_problem->setMargin(4);
    for (QLabel* label : {m_verdict, m_verdictText, m_problem}) {
        label->setTextFormat(Qt::PlainText);
        label->hide();
    }
    auto* verdict = new QHBoxLayout;
    verdict->setSpacing(8);
    verdict->addWidget(m_verdict);
    verdict->addWidget(m_verdictText, 1);
    auto* buttons = new QDialogButtonBox(question.isEmpty() ? QDialogButtonBox::Close : QDialogButtonBox::Cancel, this);
    if (!question.isEmpty()) {
        m_accept = buttons->addButton(question, QDialogButtonBox::AcceptRole);
        m_accept->setDefault(true);
        m_accept->setEnabled(!isNothing);
        m_accept->setToolTip(isNothing ? tr("Nothing would change") : QString());
    }
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->addWidget(about);
    column->addLayout(verdict);
    column->addWidget(m_problem);
    column->addWidget(all, 1);
    column->addWidget(buttons);
    // The first difference is shown; groups around it are opened on both sides.
    if (m_difference->nodes.empty()) return;
    m_first = m_difference->nodes.front();
    m_code->showNode(m_first);
    goTo(m_first);
}

void CompareWindow::showSteps(const fx::Rehearsal& rehearsal) {
    m_below->insertWidget(0, new StepList(rehearsal, m_below));
    m_below->setSizes({width() / 4, width() / 4, width() / 2});
}

void CompareWindow::setShown(std::size_t side, std::shared_ptr<const fx::GraphModule> module) {
    Side& shown = m_sides[side];
    shown.picture->setVersion(std::move(module));
    // It is laid out again; what it would have led to before is forgotten.
    if (!shown.hasRevealed && isOn(side, m_first)) shown.picture->reveal(m_first);
}

void CompareWindow::showVerdict(const QString& word, const char* role, const QString& detail) {
    constexpr int kMargins = 22; // of a badge, which the label's own size leaves out
    setRole(*m_verdict, role);
    m_verdict->setText(word);
    m_verdict->setMinimumWidth(m_verdict->fontMetrics().horizontalAdvance(word) + kMargins);
    m_verdict->setVisible(!word.isEmpty());
    m_verdictText->setText(detail);
    m_verdictText->setVisible(!detail.isEmpty());
}

void CompareWindow::showProblem(const QString& what) {
    m_problem->setText(what);
    m_problem->setVisible(!what.isEmpty());
}

QWidget* CompareWindow::makeSide(std::size_t side, const QString& title) {
    auto* page = new QWidget(this);
    Side& made = m_sides[side];
    made.picture = new DocumentPicture(this);
    made.canvas = new GraphCanvas(page);
    made.canvas->setAccessibleName(title);
    const auto& module = side == 0 ? m_difference->before : m_difference->after;
    made.canvas->setGraph(module);
    made.canvas->setNodeStyler([difference = m_difference, looks = styles()](fx::NodeId node) {
        return &(*looks)[static_cast<std::size_t>(difference->kindOf(node))];
    });
    made.picture->setModule(module);
    connect(made.picture, &DocumentPicture::pictureChanged, this, [this, side] { showScene(side); });
    connect(made.picture, &DocumentPicture::revealed, made.canvas, [this, side](fx::NodeId node) {
        m_sides[side].hasRevealed = true;
        m_sides[side].canvas->revealNode(node);
    });
    connect(made.canvas, &GraphCanvas::groupToggled, this, [this](const QString& path, bool expand) {
        for (const Side& each : m_sides) each.picture->setExpanded(path, expand);
    });
    connect(made.canvas, &GraphCanvas::cameraChanged, this, [this, side] { follow(side); });
    connect(made.canvas, &GraphCanvas::selectionChanged, this, [this, side] { select(side); });
    auto* name = new QLabel(title, page);
    name->setProperty("role", "heading");
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(name);
    column->addWidget(made.canvas, 1);
    return page;
}

void CompareWindow::makeBelow(QSplitter* all) {
    m_below = new QSplitter(Qt::Horizontal, all);
    m_list = new ChangeList(m_below);
    m_list->setDifference(m_difference);
    m_list->setVisible(m_list->changes()->rowCount() > 0);
    m_code = new DiffView(m_below);
    m_code->setDifference(m_difference->isEmpty() ? m_difference->lines : shortened(m_difference->lines, 3));
    m_below->setChildrenCollapsible(false);
    m_below->setSizes({width() / 3, width() * 2 / 3});
    connect(m_list, &ChangeList::chosen, this, [this](fx::NodeId node) {
        m_code->showNode(node);
        goTo(node);
    });
    connect(m_code, &CodeView::linesPicked, this, [this](const std::vector<int>& lines) {
        if (const fx::NodeId node = lines.empty() ? fx::kNoNode : m_code->nodeAt(lines.front()); node != fx::kNoNode)
            goTo(node);
    });
}

void CompareWindow::showScene(std::size_t side) {
    m_following = true;
    const bool first = m_sides[side].canvas->scene().itemCount() == 0;
    m_sides[side].canvas->setScene(m_sides[side].picture->scene(), !first);
    m_following = false;
    // Each has chosen a zoom for its own cards by now.
    if (first && m_sides[1 - side].canvas->scene().itemCount() > 0) follow(0);
}

/// The other picture moves along: the same zoom, and the same distance from where its own content starts.
void CompareWindow::follow(std::size_t side) {
    if (m_following) return;
    m_following = true;
    m_sides[1 - side].canvas->setCamera(m_sides[side].canvas->camera());
    m_following = false;
}

/// A node is selected on both sides; that it has no counterpart is said in the window's title line of the other canvas.
void CompareWindow::select(std::size_t side) {
    if (m_following) return;
    m_following = true;
    const fx::Graph& other = (side == 0 ? m_difference->after : m_difference->before)->graph;
    std::vector<fx::NodeId> nodes = m_sides[side].canvas->selection();
    std::erase_if(nodes,
                  [&](fx::NodeId node) { return fx::index(node) >= other.idLimit() || other.node(node).erased(); });
    m_sides[1 - side].canvas->setSelection(nodes, false);
    m_following = false;
}

bool CompareWindow::isOn(std::size_t side, fx::NodeId node) const {
    const fx::Graph& graph = (side == 0 ? m_difference->before : m_difference->after)->graph;
    return fx::index(node) < graph.idLimit() && !graph.node(node).erased();
}

void CompareWindow::goTo(fx::NodeId node) {
    for (std::size_t side = 0; side < 2; ++side) {
        if (!isOn(side, node)) continue;
        m_following = true;
        m_sides[side].canvas->setSelection({node}, false);
        m_following = false;
        m_sides[side].picture->reveal(node);
    }
}

} // namespace ui
