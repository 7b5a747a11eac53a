// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel is made of.
#include "ui/code/code_field.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/text_button.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kTypingPause = 120; // ms

/// Lets the panel's shortcuts through, which an editor would take for itself.
class ShortcutsFirst final : public QObject {
public:
    using QObject::QObject;

private:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::ShortcutOverride) return QObject::eventFilter(watched, event);
        const auto& key = static_cast<QKeyEvent&>(*event);
        const bool replaces = key.modifiers().testFlag(Qt::ControlModifier) &&
                              (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter);
        const bool steps = key.modifiers() == Qt::AltModifier && (key.key() == Qt::Key_Up || key.key() == Qt::Key_Down);
        if (!replaces && !steps) return false;
        event->ignore();
        return true;
    }
};

} // namespace

PatternPanel::PatternPanel(QWidget* parent) : QWidget(parent), m_list(new QListWidget(this)) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(kTypingPause);
    connect(&m_timer, &QTimer::timeout, this, &PatternPanel::search);
    connect(&m_timer, &QTimer::timeout, this, &PatternPanel::keepChoices);
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    makeFields();
    const auto row = [](std::initializer_list<QWidget*> widgets) {
        auto* layout = new QHBoxLayout;
        layout->setSpacing(4);
        bool first = true;
        for (QWidget* widget : widgets) layout->addWidget(widget, std::exchange(first, false) ? 1 : 0);
        return layout;
    };
    m_relaxed = new WrappedLabel(this);
    m_relaxed->hide();
    connect(m_relaxed, &QLabel::linkActivated, this, &PatternPanel::follow);
    m_missArea = new QScrollArea(this);
    m_missArea->setWidgetResizable(true);
    m_missArea->setMinimumHeight(76);
    m_missArea->hide();
    m_misses = new QWidget;
    m_misses->setProperty("look", "panel");
    m_missArea->setWidget(m_misses);
    auto* cards = new QVBoxLayout(m_misses);
    cards->setContentsMargins(0, 0, 0, 0);
    cards->setSpacing(4);
    m_list->setAccessibleName(tr("Matches"));
    m_list->setUniformItemSizes(true);
    m_list->setFont(monoFont());
    m_list->setMinimumHeight(48);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // the tool tips have all names
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int match) {
        if (match >= 0 && match != m_at) goToRow(match);
    });
    connect(m_list, &QListWidget::itemActivated, this, [this] { goToRow(m_list->currentRow()); });
    connect(m_list, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
        const std::string& anchor = m_result.matches[static_cast<std::size_t>(m_list->row(item))].anchor;
        if (item->checkState() == Qt::Checked) m_unticked.erase(anchor);
        else m_unticked.insert(anchor);
        showStatus();
    });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    column->addLayout(row({heading(tr("Find"), this), m_fromSelection}));
    column->addWidget(m_pattern, 3);
    column->addLayout(row({heading(tr("Replace with"), this), m_copyPattern}));
    column->addWidget(m_replacement, 3);
    column->addWidget(makeStatus());
    column->addWidget(m_hintCode);
    column->addWidget(m_list, 2);
    column->addWidget(m_relaxed);
    column->addWidget(m_missArea, 3);
    column->addWidget(flowOf(this, {m_ignoreLiterals, m_commutative, m_keepOverlapping}, FlowLayout::Rest::Empty,
                             FlowLayout::kBetweenBoxes)); // a widget, so that the panel's least height has its rows
    column->addWidget(makeButtons());
    showStatus();
}

void PatternPanel::makeFields() {
    m_pattern = new CodeField(this);
    m_pattern->setAccessibleName(tr("Pattern: a Python function"));
    m_replacement = new CodeField(this);
    m_replacement->setAccessibleName(tr("Replacement: a Python function with the same inputs"));
    for (CodeField* field : {m_pattern, m_replacement}) {
        field->setMinimumHeight(64);
        auto* first = new ShortcutsFirst(field);
        field->installEventFilter(first);
        for (QWidget* part : field->findChildren<QWidget*>()) part->installEventFilter(first);
        connect(field, &CodeField::edited, this, &PatternPanel::searchLater);
    }
    m_fromSelection = textButton(tr("From Selection"), tr("Create a pattern from the selected nodes"), this);
    m_copyPattern = textButton(tr("Copy Pattern"), tr("Copy the pattern here as a starting point"), this);
    connect(m_fromSelection, &QToolButton::clicked, this, &PatternPanel::takeSelection);
    connect(m_copyPattern, &QToolButton::clicked, this, [this] {
        QByteArray source = m_pattern->source();
        m_replacement->setSource(source.replace("def pattern(", "def replacement("));
    });
    m_hint = new WrappedLabel(this);
    m_hint->setProperty("role", "muted");
    m_hintCode = new WrappedLabel(this, QStringLiteral("def pattern(x, c: nn.Conv2d, b: nn.BatchNorm2d):\n"
                                                       "    return b(c(x))"));
    m_hintCode->setObjectName(QStringLiteral("patternExample"));
    m_hintCode->setTextFormat(Qt::PlainText);
    m_hintCode->setFont(monoFont());
    m_hintCode->setProperty("role", "muted");
    m_ignoreLiterals = new QCheckBox(tr("Ignore literals"), this);
    m_ignoreLiterals->setToolTip(tr("Match numbers and other literals of any value"));
    m_commutative = new QCheckBox(tr("Operands in any order"), this);
    m_commutative->setToolTip(tr("Let a + b also match b + a, unlike torch.fx"));
    m_keepOverlapping = new QCheckBox(tr("Keep overlapping"), this);
    m_keepOverlapping->setToolTip(tr("Show matches that overlap an earlier one; they cannot all be replaced"));
    for (QCheckBox* box : {m_ignoreLiterals, m_commutative, m_keepOverlapping})
        connect(box, &QCheckBox::toggled, this, &PatternPanel::searchLater);
}

QWidget* PatternPanel::makeStatus() {
    m_status = new WrappedLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setMinimumHeight(26);
    m_status->setIndent(8);
    m_status->setMargin(4);
    m_place = new QLabel(this);
    m_previous = textButton(QStringLiteral("◂"), tr("Previous match (Alt+Up)"), this);
    m_next = textButton(QStringLiteral("▸"), tr("Next match (Alt+Down)"), this);
    connect(m_previous, &QToolButton::clicked, this, [this] { goTo(m_at - 1); });
    connect(m_next, &QToolButton::clicked, this, [this] { goTo(m_at + 1); });
    auto* bar = new QWidget(this);
    m_statusRow = new QBoxLayout(QBoxLayout::LeftToRight, bar);
    m_statusRow->setContentsMargins(0, 0, 0, 0);
    auto* steps = new QHBoxLayout;
    steps->setSpacing(2);
    m_all = textButton(tr("All"), tr("Tick all matches"), this);
    m_none = textButton(tr("None"), tr("Untick all matches"), this);
    connect(m_all, &QToolButton::clicked, this, [this] { tickAll(true); });
    connect(m_none, &QToolButton::clicked, this, [this] { tickAll(false); });
    steps->addStretch(1);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_all), static_cast<QWidget*>(m_none), static_cast<QWidget*>(m_previous),
          static_cast<QWidget*>(m_place), static_cast<QWidget*>(m_next)})
        steps->addWidget(widget);
    m_statusRow->setSpacing(2);
    auto* words = new QVBoxLayout; // what to do stands at what is wrong
    words->setSpacing(6);
    words->addWidget(m_status, 1); // as high as its words
    words->addWidget(m_hint);
    m_statusRow->addLayout(words, 1);
    m_statusRow->addLayout(steps);
    return bar;
}

QWidget* PatternPanel::makeButtons() {
    auto* bar = new QWidget(this);
    auto* layout = new FlowLayout(bar, FlowLayout::Rest::Fill);
    m_preview = new QPushButton(tr("Preview…"), bar);
    m_replaceOne = new QPushButton(tr("Replace This"), bar);
    m_replaceAll = new QPushButton(tr("Replace All"), bar);
    m_replaceAll->setProperty("primary", true);
    for (QPushButton* button : {m_preview, m_replaceOne, m_replaceAll}) layout->addWidget(button);
    connect(m_preview, &QPushButton::clicked, this, [this] { replace(Which::Ticked, true); });
    connect(m_replaceOne, &QPushButton::clicked, this, [this] { replace(Which::Current, false); });
    connect(m_replaceAll, &QPushButton::clicked, this, [this] { replace(Which::Ticked, false); });
    // While one types a source, too.
    const auto onKeys = [this](const QKeySequence& keys, auto what) {
        connect(new QShortcut(keys, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut), &QShortcut::activated,
                this, what);
    };
    onKeys(Qt::ALT | Qt::Key_Down, [this] { goTo(m_at + 1); });
    onKeys(Qt::ALT | Qt::Key_Up, [this] { goTo(m_at < 0 ? -1 : m_at - 1); });
    onKeys(Qt::CTRL | Qt::Key_Return, [this] { m_replaceAll->click(); });
    onKeys(Qt::CTRL | Qt::SHIFT | Qt::Key_Return, [this] { m_preview->click(); });
    return bar;
}

} // namespace ui
