// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/step_canvas.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/document/document_picture.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

namespace ui {

namespace {

using Change = VersionDifference::Kind;

/// The looks of what a step created, changed and left.
std::shared_ptr<const std::array<NodeStyle, 4>> stepStyles() {
    auto all = std::make_shared<std::array<NodeStyle, 4>>();
    const auto set = [&](Change kind, const Theme::Role& role, const QString& word) {
        NodeStyle& style = (*all)[static_cast<std::size_t>(kind)];
        style.fill = role.fill;
        style.line = style.badgeColor = role.line;
        style.badge = word.toStdString();
    };
    set(Change::Created, theme().ok, StepCanvas::tr("new"));
    set(Change::Erased, theme().error, StepCanvas::tr("erased"));
    set(Change::Changed, theme().warning, StepCanvas::tr("changed"));
    (*all)[static_cast<std::size_t>(Change::Same)].faint = true;
    return all;
}

} // namespace

StepCanvas::StepCanvas(GraphCanvas& under)
    : QWidget(&under), m_under(under), m_picture(new DocumentPicture(this)), m_canvas(new GraphCanvas(this)),
      m_title(new QLabel(this)), m_erased(new QLabel(this)) {
    setObjectName(QStringLiteral("stepCanvas"));
    setAttribute(Qt::WA_StyledBackground);
    setProperty("look", "panel");
    setAutoFillBackground(true);
    under.installEventFilter(this);
    m_canvas->setAccessibleName(tr("Graph after the step"));
    m_title->setTextFormat(Qt::PlainText);
    m_title->setProperty("role", "heading");
    m_erased->setTextFormat(Qt::PlainText);
    m_erased->setProperty("role", "muted");
    m_erased->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* leave = new QToolButton(this);
    leave->setText(tr("Back to Model"));
    leave->setToolTip(tr("Show the model itself (Esc)"));
    connect(leave, &QToolButton::clicked, this, &StepCanvas::left);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(14, 4, 10, 4);
    bar->setSpacing(12);
    bar->addWidget(m_title);
    bar->addWidget(m_erased, 1);
    bar->addWidget(leave);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_canvas, 1);
    connect(m_picture, &DocumentPicture::pictureChanged, this, &StepCanvas::showScene);
    connect(m_picture, &DocumentPicture::revealed, m_canvas, &GraphCanvas::revealNode);
    connect(m_picture, &DocumentPicture::revealedAll, m_canvas, &GraphCanvas::revealNodes);
    connect(m_canvas, &GraphCanvas::groupToggled, m_picture, &DocumentPicture::setExpanded);
    setGeometry(under.rect());
}

StepCanvas* StepCanvas::on(const GraphCanvas& canvas) {
    return canvas.findChild<StepCanvas*>(QString(), Qt::FindDirectChildrenOnly);
}

void StepCanvas::showOn(GraphCanvas& canvas, std::shared_ptr<const VersionDifference> difference,
                        const QString& title) {
    StepCanvas* shown = on(canvas);
    if (!difference) {
        delete shown;
        return;
    }
    if (!shown) shown = new StepCanvas(canvas);
    shown->show(std::move(difference), title);
}

void StepCanvas::show(std::shared_ptr<const VersionDifference> difference, const QString& title) {
    const bool first = !m_difference;
    if (m_difference == difference) return m_title->setText(title);
    m_difference = std::move(difference);
    m_title->setText(title);
    const auto& erased = m_difference->effect.erased;
    QStringList names;
    constexpr std::size_t kNamed = 6;
    for (std::size_t i = 0; i < std::min(erased.size(), kNamed); ++i)
        names << fromCore(m_difference->before->graph.node(erased[i]).name());
    if (erased.size() > kNamed) names << tr("%1 more").arg(erased.size() - kNamed);
    m_erased->setText(names.isEmpty() ? QString() : tr("erased: %1").arg(names.join(QStringLiteral(", "))));
    m_canvas->setGraph(m_difference->after);
    m_canvas->setNodeStyler([difference = m_difference, looks = stepStyles()](fx::NodeId node) {
        return &(*looks)[static_cast<std::size_t>(difference->kindOf(node))];
    });
    if (first) m_picture->setModule(m_difference->after);
    else m_picture->setVersion(m_difference->after);
    const auto& effect = m_difference->effect;
    const auto& made = effect.created.empty() ? effect.changed : effect.created;
    if (!made.empty()) m_picture->reveal(made.size() < 50 ? made : std::vector<fx::NodeId>{made.front()});
    QWidget::show();
    raise();
}

void StepCanvas::showScene() {
    const bool first = m_canvas->scene().itemCount() == 0;
    m_canvas->setScene(m_picture->scene(), !first);
}

bool StepCanvas::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &m_under && event->type() == QEvent::Resize) setGeometry(m_under.rect());
    return QWidget::eventFilter(watched, event);
}

void StepCanvas::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) Q_EMIT left();
    else QWidget::keyPressEvent(event);
}

} // namespace ui
