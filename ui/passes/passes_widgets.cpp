// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel is made of.
#include "core/passes/pass_list.h"
#include "ui/changes/diff_view.h"
#include "ui/document/node_facts.h"
#include "ui/passes/pass_settings_form.h"
#include "ui/passes/passes_panel.h"
#include "ui/passes/shipped_passes.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/pill_delegate.h"
#include "ui/widgets/save_path.h"
#include "ui/widgets/text_button.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kSettleMillis = 60;

/// A list that tells of drags within it when they are done.
class PassList final : public QListWidget {
public:
    PassList(std::function<void()> moved, QWidget* parent) : QListWidget(parent), m_moved(std::move(moved)) {}

private:
    void dropEvent(QDropEvent* event) override {
        QListWidget::dropEvent(event);
        if (event->source() == this) m_moved();
    }
    std::function<void()> m_moved;
};

} // namespace

PassesPanel::PassesPanel(RunCenter& run, QWidget* parent)
    : QWidget(parent), m_run(run), m_settings(new PassSettingsForm) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    setAcceptDrops(true);
    makeList();
    auto* settings = new QScrollArea(this);
    settings->setWidgetResizable(true);
    settings->setWidget(m_settings);
    settings->setMaximumHeight(116);
    settings->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    settings->viewport()->setAutoFillBackground(false);
    m_settings->setProperty("look", "panel");
    m_settings->setAttribute(Qt::WA_StyledBackground);
    m_onSelection = new QCheckBox(tr("Selected nodes only"), this);
    m_onSelection->setToolTip(tr("Let the passes rewrite the selected nodes only"));
    m_verifies = new QCheckBox(tr("Stop where numbers differ"), this);
    m_verifies->setToolTip(tr("Compare the outputs after each pass, and change nothing if they differ"));
    connect(m_onSelection, &QCheckBox::toggled, this, [this](bool on) {
        change([on](PassChoices& choices) { choices.onSelection = on; });
        showState();
    });
    connect(m_verifies, &QCheckBox::toggled, this,
            [this](bool on) { change([on](PassChoices& choices) { choices.verifies = on; }); });
    m_told = new WrappedLabel(this);
    m_told->setTextFormat(Qt::PlainText);
    m_told->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_told->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    column->addWidget(makeHead());
    column->addWidget(m_empty);
    column->addWidget(m_list, 2);
    column->addWidget(settings);
    column->addWidget(flowOf(this, {m_onSelection, m_verifies}, FlowLayout::Rest::Empty, FlowLayout::kBetweenBoxes));
    column->addWidget(makeActions());
    column->addWidget(m_told);
    column->addWidget(makeStep(), 3);
    column->addStretch(0);
    m_settled.setSingleShot(true);
    m_settled.setInterval(kSettleMillis);
    connect(&m_settled, &QTimer::timeout, this, &PassesPanel::showStep);
    connect(m_settings, &PassSettingsForm::edited, this, [this](const QJsonObject& given, bool until) {
        const int row = currentRow();
        if (row < 0) return;
        change([&](PassChoices& choices) {
            PassChoice& pass = choices.passes[static_cast<std::size_t>(row)];
            pass.settings = given, pass.untilUnchanged = until;
        });
    });
    showState();
    showStep();
}

void PassesPanel::makeList() {
    m_list = new PassList([this] { takeChoices(); }, this);
    m_list->setAccessibleName(tr("Passes"));
    m_list->setUniformItemSizes(true);
    m_list->setFont(monoFont());
    m_list->setMinimumHeight(80);
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setDefaultDropAction(Qt::MoveAction);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->setItemDelegate(new PillDelegate(m_list));
    m_list->installEventFilter(this);
    connect(m_list, &QListWidget::currentRowChanged, this, &PassesPanel::rowChosen);
    connect(m_list, &QWidget::customContextMenuRequested, this, &PassesPanel::rowMenu);
    connect(m_list, &QListWidget::itemChanged, this, [this] {
        if (!m_filling) takeChoices();
    });
    connect(m_list, &QListWidget::itemActivated, this, [this] {
        if (!m_session || currentRow() < 0) return;
        const PassChoice& pass = m_session->choices().passes[static_cast<std::size_t>(currentRow())];
        if (pass.isText()) Q_EMIT editRequested(pass);
    });
    m_empty =
        new WrappedLabel(this, tr("Add passes, or drop Python files with passes here. They run in this order; each "
                                  "rewrite can then be looked at, and Ctrl+Z undoes them all."));
    m_empty->setProperty("role", "muted");
}

QWidget* PassesPanel::makeHead() {
    auto* head = new QWidget(this);
    m_addButton = textButton(tr("Add ▾"), tr("Add a pass to the list"), head);
    m_addButton->setPopupMode(QToolButton::InstantPopup);
    auto* adds = new QMenu(m_addButton);
    adds->setToolTipsVisible(true);
    fillAddMenu(*adds);
    m_addButton->setMenu(adds);
    m_more = textButton(tr("Pipeline ▾"), tr("Open or save the list as a pipeline"), head);
    m_more->setPopupMode(QToolButton::InstantPopup);
    auto* pipelines = new QMenu(m_more);
    const QString filter = tr("Pipelines (*.json);;All files (*)");
    pipelines->addAction(tr("Open Pipeline…"), this, [this, filter] {
        const QString path = FileDialog::openFile(this, tr("Open Pipeline"), {}, filter);
        if (!path.isEmpty()) openPipeline(path);
    });
    pipelines->addAction(tr("Save Pipeline As…"), this, [this] {
        const QString path = askSavePath(this, tr("Save Pipeline"), QStringLiteral("pipeline.json"),
                                         {{QStringLiteral(".json"), tr("Pipelines (*.json)")}});
        if (!path.isEmpty()) savePipeline(path);
    });
    pipelines->addSeparator();
    pipelines->addAction(tr("Remove All Passes"), this, [this] {
        change([](PassChoices& choices) { choices.passes.clear(), choices.rest = {}; });
        showChoices();
    });
    m_more->setMenu(pipelines);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(heading(tr("Passes"), head), 1);
    row->addWidget(m_addButton);
    row->addWidget(m_more);
    return head;
}

void PassesPanel::fillAddMenu(QMenu& menu) {
    for (const fx::Pass& pass : fx::allPasses()) {
        QAction* action = menu.addAction(fromCore(pass.name), this, [this, name = fromCore(pass.name)] {
            PassChoice choice;
            choice.name = name;
            add(std::move(choice));
        });
        action->setToolTip(plainToolTip(linesFromCore(pass.run ? pass.about : pass.reason)));
        action->setEnabled(pass.run != nullptr);
    }
    menu.addSeparator();
    menu.addAction(tr("Pass File…"), this, &PassesPanel::askForFiles);
    QMenu* texts = menu.addMenu(tr("New Pass from Template"));
    texts->setToolTipsVisible(true);
    for (const ShippedPass& shipped : shippedPasses()) {
        QAction* action =
            texts->addAction(shipped.name, this, [this, name = shipped.name] { Q_EMIT newTextRequested(name); });
        action->setToolTip(plainToolTip(shipped.about));
    }
}

QWidget* PassesPanel::makeActions() {
    auto* all = new QWidget(this);
    m_runButton = new QPushButton(tr("Run"), all);
    m_runButton->setProperty("primary", true);
    m_bisect = textButton(tr("Find First Bad"),
                          tr("Find the first pass, then the first rewrite, that breaks lint or numbers"), all);
    m_minimise = textButton(tr("Minimise"), tr("Find a smaller model on which these passes still fail"), all);
    connect(m_runButton, &QPushButton::clicked, this, [this] { m_session->run(); });
    connect(m_bisect, &QToolButton::clicked, this, [this] { m_session->bisect(); });
    connect(m_minimise, &QToolButton::clicked, this, [this] { m_session->minimise(); });
    m_busy = new QWidget(all);
    m_doing = new QLabel(m_busy);
    m_doing->setTextFormat(Qt::PlainText);
    m_doing->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_bar = new QProgressBar(m_busy);
    m_bar->setFixedSize(80, 6);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    auto* cancel = textButton(tr("Cancel"), tr("Stop; nothing will have changed"), m_busy);
    connect(cancel, &QToolButton::clicked, this, [this] { m_session->cancel(); });
    auto* busy = new QHBoxLayout(m_busy);
    busy->setContentsMargins(0, 0, 0, 0);
    busy->addWidget(m_doing, 1);
    busy->addWidget(m_bar);
    busy->addWidget(cancel);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(m_runButton, 1);
    buttons->addWidget(m_bisect);
    buttons->addWidget(m_minimise);
    auto* column = new QVBoxLayout(all);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(buttons);
    column->addWidget(m_busy);
    return all;
}

QWidget* PassesPanel::makeStep() {
    m_stepArea = new QWidget(this);
    m_title = new ElidedLabel(m_stepArea);
    m_title->setProperty("role", "heading");
    m_verdict = new QLabel(m_stepArea);
    m_facts = new QLabel(m_stepArea);
    m_facts->setTextFormat(Qt::PlainText);
    m_facts->setProperty("role", "muted");
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_previous = textButton(QStringLiteral("◂"), tr("Previous rewrite (Left)"), m_stepArea);
    m_next = textButton(QStringLiteral("▸"), tr("Next rewrite (Right)"), m_stepArea);
    m_canvasButton = textButton(tr("Show on Canvas"), tr("Show the model after this step on the canvas"), m_stepArea);
    m_canvasButton->setCheckable(true);
    m_compareButton =
        textButton(tr("Compare"), tr("Show the graph before and after this step side by side"), m_stepArea);
    m_timeButton =
        textButton(tr("Time"), tr("Time the model after this step against the model before the run"), m_stepArea);
    connect(m_previous, &QToolButton::clicked, this, [this] { m_session->stepRewrite(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { m_session->stepRewrite(1); });
    connect(m_canvasButton, &QToolButton::toggled, this, [this](bool on) { setStepping(on); });
    connect(m_timeButton, &QToolButton::clicked, this, [this] { m_session->timeStep(); });
    connect(m_compareButton, &QToolButton::clicked, this, [this] {
        if (m_difference) Q_EMIT compareRequested(m_document, m_difference, m_title->text());
    });
    m_diff = new DiffView(m_stepArea);
    m_diff->setMinimumHeight(72);
    m_diff->setProperty("look", "field");
    m_diff->setAccessibleName(tr("Code that the step changes"));
    m_keys = new QLabel(tr("◂ ▸ rewrite   ▴ ▾ pass"), m_stepArea);
    m_keys->setProperty("role", "muted");
    auto* head = new QHBoxLayout;
    head->setSpacing(4);
    head->addWidget(m_title, 1);
    for (QWidget* each :
         {static_cast<QWidget*>(m_verdict), static_cast<QWidget*>(m_previous), static_cast<QWidget*>(m_next)})
        head->addWidget(each);
    auto* column = new QVBoxLayout(m_stepArea);
    column->setContentsMargins(0, 4, 0, 0);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(m_facts);
    column->addWidget(m_diff, 1);
    column->addWidget(flowOf(m_stepArea, {m_canvasButton, m_compareButton, m_timeButton}));
    column->addWidget(m_keys);
    return m_stepArea;
}

} // namespace ui
