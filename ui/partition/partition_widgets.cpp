// SPDX-License-Identifier: GPL-3.0-or-later
// The widgets of the panel, what they are connected to, and what they say.
#include "ui/partition/partition_panel.h"

#include "ui/partition/drag_handle.h"
#include "ui/partition/operators_view.h"
#include "ui/partition/partition_flags.h"
#include "ui/partition/partition_table_view.h"
#include "ui/partition/stages/stages_view.h"
#include "ui/partition/why_view.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/role.h"
#include "ui/widgets/save_path.h"
#include "ui/widgets/text_button.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace ui {

QWidget* PartitionPanel::makeMode() {
    m_mode = new QTabBar(this);
    m_mode->setAccessibleName(tr("Partitions by rules, or stages"));
    m_mode->addTab(tr("By Rules"));
    m_mode->addTab(tr("Stages"));
    m_mode->setTabToolTip(0, tr("Partitions of operators that a back end supports"));
    m_mode->setTabToolTip(1, tr("The graph in order, cut into the stages of a pipeline"));
    m_mode->setExpanding(false);
    m_mode->setDrawBase(false);
    m_pages = new QStackedWidget(this);
    m_stagesView = new StagesView(this);
    connect(m_mode, &QTabBar::currentChanged, this, [this](int tab) { showStages(tab == 1); });
    connect(m_stagesView, &StagesView::stageChosen, m_stages, &StagesOnCanvas::reveal);
    connect(m_stagesView, &StagesView::cutChosen, m_stages, &StagesOnCanvas::cutChosen);
    connect(m_stagesView, &StagesView::notified, this, &PartitionPanel::notified);
    return m_mode;
}

QWidget* PartitionPanel::makeOperators() {
    m_operators = new OperatorsView(makeRulesMenu(), this);
    connect(m_operators, &OperatorsView::draftChanged, this, &PartitionPanel::setDraft);
    connect(m_operators, &OperatorsView::nonComputeChanged, this, [this](const std::vector<std::string>& functions) {
        m_nonCompute = functions;
        m_operators->setDraft(m_draft, m_nonCompute);
        run();
    });
    connect(m_operators, &OperatorsView::currentChanged, this, &PartitionPanel::askWhatIf);
    connect(m_operators, &OperatorsView::chosen, this,
            [this](const std::vector<fx::NodeId>& nodes) { m_document->selection().select(nodes, nullptr); });
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(4);
    column->addWidget(m_operators, 1);
    column->addWidget(makeMarks());
    return box;
}

/// Buttons for the selected nodes.
QWidget* PartitionPanel::makeMarks() {
    m_supported = textButton(tr("Support"), tr("Mark the selected nodes as supported, whatever is ticked"), this);
    m_unsupported = textButton(tr("Reject"), tr("Mark the selected nodes as unsupported, whatever is ticked"), this);
    m_byRule = textButton(tr("As Ticked"), tr("Clear the marks of the selected nodes"), this);
    m_move = textButton(tr("Move ▾"), tr("Move the selected nodes to another partition"), this);
    m_move->setPopupMode(QToolButton::InstantPopup);
    auto* moves = new QMenu(m_move);
    m_move->setMenu(moves);
    connect(moves, &QMenu::aboutToShow, this, [this, moves] {
        moves->clear();
        if (m_version && m_document && !m_document->selection().nodes().empty()) addMovesTo(*moves);
    });
    connect(m_supported, &QToolButton::clicked, this, [this] { markSelection(Support::Supported); });
    connect(m_unsupported, &QToolButton::clicked, this, [this] { markSelection(Support::Unsupported); });
    connect(m_byRule, &QToolButton::clicked, this, [this] { markSelection(Support::ByRule); });
    m_handle = new DragHandle(this);
    return flowOf(this, {m_handle, m_supported, m_unsupported, m_byRule, m_move});
}

/// Everything that matters without a mouse.
void PartitionPanel::makeActions() {
    const auto add = [this](const QString& text, auto then) {
        auto* action = new QAction(text, this);
        action->setProperty("path", tr("Partition: %1").arg(text)); // what the palette shows
        connect(action, &QAction::triggered, this, then);
        addAction(action);
        return action;
    };
    m_tickAllAction = add(tr("Support All Operators"), [this] { m_operators->tickAll(true); });
    for (QCheckBox* box : m_flags->boxes()) add(tr("Toggle “%1”").arg(box->text()), [box] { box->toggle(); });
    m_supportAction = add(tr("Support Selected Nodes"), [this] { markSelection(Support::Supported); });
    m_refuseAction = add(tr("Reject Selected Nodes"), [this] { markSelection(Support::Unsupported); });
    m_moveAction = add(tr("Move Selected Nodes"), [this] { m_move->showMenu(); });
    m_nextAction = add(tr("Next Step of Cycle"), [this] { m_why->step(1); });
    m_previousAction = add(tr("Previous Step of Cycle"), [this] { m_why->step(-1); });
    m_timeAction = add(tr("Time"), [this] { measure(); });
    m_splitAction = add(tr("Split"), [this] { change(true); });
    m_fuseAction = add(tr("Fuse"), [this] { change(false); });
    add(tr("Show Stages"), [this] { showStages(true); });
    add(tr("Show Partitions by Rules"), [this] { showStages(false); });
}

QMenu* PartitionPanel::makeRulesMenu() {
    auto* menu = new QMenu(this);
    menu->addAction(tr("Load RULES.json…"), this, [this] {
        const QString path =
            FileDialog::openFile(this, tr("Load Rules"), QString(), tr("Rules (*.json);;All files (*)"));
        if (!path.isEmpty()) loadRules(path);
    });
    menu->addAction(tr("Save as RULES.json…"), this, [this] {
        const QString path = askSavePath(this, tr("Save Rules"), QStringLiteral("RULES.json"),
                                         {{QStringLiteral(".json"), tr("Rules (*.json)")}});
        if (!path.isEmpty()) saveRules(path);
    });
    m_profileAction = menu->addAction(tr("Use oneDNN Profile"), this, &PartitionPanel::takeProfile);
    m_profileAction->setProperty("path", tr("Partition: Use oneDNN Profile"));
    menu->setToolTipsVisible(true);
    addAction(m_profileAction);
    menu->addSeparator();
    menu->addAction(tr("Clear Rules, Ticks and Marks"), this, [this] { setDraft({}); });
    return menu;
}

QWidget* PartitionPanel::makeStatus() {
    m_status = new WrappedLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setMinimumHeight(26);
    m_status->setIndent(8);
    m_hint = new WrappedLabel(this);
    m_hint->setProperty("role", "muted");
    m_whatIf = new WrappedLabel(this);
    m_whatIf->setTextFormat(Qt::RichText);
    m_whatIf->setProperty("role", "ok");
    m_whatIf->setMinimumHeight(26);
    m_whatIf->hide();
    m_handNote = new WrappedLabel(this);
    m_handNote->setTextFormat(Qt::RichText);
    m_handNote->hide();
    for (QLabel* label : {m_whatIf, m_handNote}) {
        label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        connect(label, &QLabel::linkActivated, this, &PartitionPanel::follow);
    }
    m_why = new WhyView(this);
    connect(m_why, &WhyView::cycleChanged, this, &PartitionPanel::showStyles);
    connect(m_why, &WhyView::nodeChosen, this, [this](fx::NodeId node) {
        if (m_document) m_document->selection().goTo(node, this);
    });
    connect(m_why, &WhyView::mergeRequested, this, [this](int from, int into) { moveNodes(nodesOf({from}), into); });
    connect(m_why, &WhyView::unsupportedFound, this,
            [this](fx::NodeId node) { askWhatIf(m_operators->model().of(node)); });
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    for (QLabel* label : {m_status, m_hint, m_handNote, m_whatIf}) column->addWidget(label);
    column->addWidget(m_why, 1);
    return box;
}

void PartitionPanel::makeTable() {
    m_table = new PartitionTableView(this);
    connect(m_table, &PartitionTableView::chosen, this, [this](const std::vector<int>& partitions) {
        if (m_document && m_version && !partitions.empty()) m_document->selection().goTo(nodesOf(partitions), nullptr);
    });
    connect(m_table, &PartitionTableView::menuRequested, this, &PartitionPanel::showPartitionMenu);
    connect(m_table, &PartitionTableView::joined, this, [this](std::vector<int> partitions, int into) {
        std::erase(partitions, into);
        if (!partitions.empty()) moveNodes(nodesOf(partitions), into);
    });
    connect(m_table, &PartitionTableView::selectionDropped, this, &PartitionPanel::moveSelection);
}

QWidget* PartitionPanel::makeButtons() {
    m_time = new QPushButton(tr("Time"), this);
    connect(m_time, &QPushButton::clicked, this, &PartitionPanel::measure);
    m_split = new QPushButton(tr("Split"), this);
    m_fuse = new QPushButton(tr("Fuse"), this);
    m_fuse->setProperty("primary", true);
    connect(m_split, &QPushButton::clicked, this, [this] { change(true); });
    connect(m_fuse, &QPushButton::clicked, this, [this] { change(false); });
    return flowOf(this, {m_time, m_split, m_fuse}, FlowLayout::Rest::Fill);
}

void PartitionPanel::showStatus() {
    const auto& report = m_outcome->report;
    const std::size_t count = report.partitions.size();
    QString hint;
    const auto say = [this](const char* role, const QString& text) {
        setRole(*m_status, role);
        m_status->setText(text);
    };
    m_status->setToolTip(QString());
    if (!m_version) {
        say("muted", tr("No file is open"));
    } else if (!m_session->finding().isEmpty()) {
        say("muted", m_session->finding());
        hint = tr("The worker calls each operator once. This takes a few seconds, once per machine.");
    } else if (!m_rulesError.isEmpty()) {
        say("error", m_rulesError);
    } else if (m_outcome->error) {
        say("error", linesFromCore(m_outcome->error->what()));
        hint = linesFromCore(m_outcome->error->hint);
    } else if (m_session->isCancelled()) {
        say("warning", tr("Partitioning was cancelled"));
        hint = tr("Change a rule or an option to partition again.");
    } else if (m_draft.isEmpty() && m_hand.empty()) {
        say("muted", tr("No operator is supported yet"));
        hint = tr("Tick the operators that your back end supports, press All, load a RULES.json, or use the oneDNN "
                  "profile. Partitions appear here and on the canvas as you tick.");
    } else if (count == 0) {
        say("warning",
            report.supported == 0 ? tr("The rules support no node in this model")
            : report.supported == 1
                ? tr("No partition: 1 supported node, on its own")
                : tr("No partition: %1 supported nodes, in groups that are too small").arg(report.supported));
        // Many supported nodes can still be too few: torch.fx counts only functions, not modules or methods.
        if (report.supported > 0 && (flags() & kAllowSingle) == 0)
            hint = tr("A partition needs at least two function calls that compute something. Tick “Allow single nodes” "
                      "to keep smaller ones.");
    } else {
        std::size_t inside = 0;
        for (const auto& partition : report.partitions) inside += partition.nodes.size();
        const std::size_t refused = report.unassigned.size();
        say("ok", (count == 1 ? tr("1 partition") : tr("%1 partitions").arg(count)) +
                      (count == 1 ? tr(" · %1 nodes in it · ") : tr(" · %1 nodes in them · "))
                          .arg(QLocale().toString(static_cast<qulonglong>(inside))) +
                      (refused == 1 ? tr("1 call unassigned") : tr("%1 calls unassigned").arg(refused)));
        m_status->setToolTip(tr("%1\u00a0ms").arg(m_outcome->millis, 0, 'f', 1));
    }
    for (const fx::Warning& warning :
         report.warnings) // rules that name nothing: of a file, for what was ticked may have gone with an edit
        if (m_draft.hasBase() && hint.size() < 400)
            hint += (hint.isEmpty() ? QString() : QStringLiteral("\n")) + linesFromCore(warning.what.text());
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    const QString link = QStringLiteral("<a href='%1' style='color:%2'>%3</a>");
    m_handNote->setText((m_hand.size() == 1 ? tr("1 manual move: ") : tr("%1 manual moves: ").arg(m_hand.size())) +
                        link.arg(QStringLiteral("hand:back"), theme().accent.name(), tr("Undo Last Move")) +
                        QStringLiteral(" · ") +
                        link.arg(QStringLiteral("hand:none"), theme().accent.name(), tr("Discard Moves")));
    m_handNote->setVisible(!m_hand.empty());
    updateButtons();
}

/// Every button that cannot work says why.
void PartitionPanel::updateButtons() {
    const QString why = !m_version                             ? tr("no file is open")
                        : m_outcome->error                     ? tr("the rules are invalid")
                        : m_outcome->report.partitions.empty() ? tr("there are no partitions")
                                                               : QString();
    for (QPushButton* button : {m_split, m_fuse}) button->setEnabled(why.isEmpty());
    const QString noTime = !why.isEmpty() ? why : m_timer.missing ? m_timer.missing() : tr("no worker is available");
    using Measured = PartitionSession::Measured;
    const Measured measured = m_session ? m_session->measured() : Measured::Nothing;
    const bool measuring = measured != Measured::Nothing;
    m_time->setText(measuring ? tr("Stop") : tr("Time"));
    m_time->setEnabled(measuring || noTime.isEmpty());
    m_time->setToolTip(measuring          ? tr("Stop timing")
                       : noTime.isEmpty() ? tr("Time each partition on its own and the whole model in the worker")
                                          : noTime);
    m_fuse->setToolTip(why.isEmpty() ? tr("Turn each partition into a module fused_N") : why);
    m_split->setToolTip(why.isEmpty() ? tr("Turn partitions and the nodes between them into modules submod_N") : why);
    const std::size_t count = m_outcome->report.partitions.size();
    m_fuse->setText(count > 1 ? tr("Fuse All %1").arg(count) : tr("Fuse"));
    const bool selected = m_document && !m_document->selection().nodes().empty();
    m_handle->setCount(selected ? m_document->selection().nodes().size() : 0);
    for (QToolButton* button : {m_supported, m_unsupported, m_byRule, m_move}) {
        button->setEnabled(selected);
        if (button->property("tip").isNull()) button->setProperty("tip", button->toolTip());
        button->setToolTip(selected ? button->property("tip").toString() : tr("nothing is selected on the canvas"));
    }
    const auto allow = [this](QAction* action, const QString& no) {
        const QString reason = m_seen ? no : tr("the Partition panel is hidden");
        action->setEnabled(reason.isEmpty());
        action->setProperty("why", reason);
    };
    for (QAction* action : {m_supportAction, m_refuseAction, m_moveAction})
        allow(action, selected ? QString() : tr("nothing is selected on the canvas"));
    for (QAction* action : {m_splitAction, m_fuseAction}) allow(action, why);
    for (QAction* action : {m_nextAction, m_previousAction})
        allow(action, m_why->cycle().empty() ? tr("no cycle is shown") : QString());
    allow(m_tickAllAction, m_version ? QString() : tr("no file is open"));
    const QString finding = m_session ? m_session->finding() : QString();
    m_profileAction->setEnabled(m_timer.profile && m_session && finding.isEmpty());
    m_profileAction->setToolTip(m_profileAction->isEnabled()
                                    ? tr("Support the operators that oneDNN runs on this machine")
                                : !m_timer.profile  ? tr("no worker is available")
                                : finding.isEmpty() ? tr("no file is open")
                                                    : finding);
    m_profileAction->setProperty("why", m_profileAction->isEnabled() ? QString() : m_profileAction->toolTip());
    allow(m_timeAction, measuring ? QString() : noTime);
    m_operators->setAllEnabled(m_version != nullptr);
}

} // namespace ui
