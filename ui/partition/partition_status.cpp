// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel says of itself, and what its buttons can do.
#include "ui/partition/partition_panel.h"

#include "ui/partition/drag_handle.h"
#include "ui/widgets/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

namespace ui {

namespace {

QString plain(const std::string& text) { return QString::fromStdString(text); }

} // namespace

void PartitionPanel::setStatus(const char* role, const QString& text) {
    m_status->setProperty("role", role);
    m_status->style()->unpolish(m_status);
    m_status->style()->polish(m_status);
    m_status->setText(text); // last: its room is that of the role, with its margins
}

void PartitionPanel::showStatus() {
    const auto& report = m_outcome->report;
    const std::size_t count = report.partitions.size();
    QString hint;
    m_status->setToolTip(QString());
    if (!m_version) {
        setStatus("muted", tr("No file is open"));
    } else if (!m_finding.isEmpty()) {
        setStatus("muted", m_finding);
        hint = tr("Each operator is called once in the worker; that takes some seconds, once on a machine.");
    } else if (!m_rulesError.isEmpty()) {
        setStatus("error", m_rulesError);
    } else if (m_outcome->error) {
        setStatus("error", plain(m_outcome->error->what()));
        hint = plain(m_outcome->error->hint);
    } else if (m_draft.isEmpty() && m_hand.empty()) {
        setStatus("muted", tr("Nothing is supported yet"));
        hint = tr("Tick the operators that your back end runs, press “all”, load a RULES.json, or take what oneDNN "
                  "runs here. Partitions appear here and on the canvas while you tick.");
    } else if (count == 0) {
        setStatus("warning",
                  report.supported == 0 ? tr("The rules support no node of this model")
                  : report.supported == 1
                      ? tr("No partition: 1 node is supported, and stands alone")
                      : tr("No partition: %1 nodes are supported, in groups too small to keep").arg(report.supported));
        // What goes together can be many nodes and yet too small: torch.fx counts functions, and modules and methods
        // not.
        if (report.supported > 0 && !m_single->isChecked())
            hint = tr("A group counts its calls of functions that compute something, and needs two; “single nodes” "
                      "keeps the others, too.");
    } else {
        std::size_t inside = 0;
        for (const auto& partition : report.partitions) inside += partition.nodes.size();
        const std::size_t refused = report.unassigned.size();
        setStatus("ok", (count == 1 ? tr("1 partition") : tr("%1 partitions").arg(count)) +
                            (count == 1 ? tr(" · %1 nodes in it · ") : tr(" · %1 nodes in them · "))
                                .arg(QLocale().toString(static_cast<qulonglong>(inside))) +
                            (refused == 1 ? tr("1 call refused") : tr("%1 calls refused").arg(refused)));
        m_status->setToolTip(tr("%1 ms").arg(m_outcome->millis, 0, 'f', 1));
    }
    for (const fx::Warning& warning :
         report.warnings) // rules that name nothing: of a file, for what was ticked may have gone with an edit
        if (m_draft.hasBase() && hint.size() < 400)
            hint += (hint.isEmpty() ? QString() : QStringLiteral("\n")) + plain(warning.what.text());
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    const QString link = QStringLiteral("<a href='%1' style='color:%2'>%3</a>");
    m_handNote->setText(
        (m_hand.size() == 1 ? tr("Changed by hand, 1 move: ") : tr("Changed by hand, %1 moves: ").arg(m_hand.size())) +
        link.arg(QStringLiteral("hand:back"), theme().accent.name(), tr("take the last back")) + QStringLiteral(" · ") +
        link.arg(QStringLiteral("hand:none"), theme().accent.name(), tr("partitions of the rules")));
    m_handNote->setVisible(!m_hand.empty());
    updateButtons();
}

/// Every button that cannot work says why.
void PartitionPanel::updateButtons() {
    const QString why = !m_version                             ? tr("no file is open")
                        : m_outcome->error                     ? tr("the rules cannot be used")
                        : m_outcome->report.partitions.empty() ? tr("there is no partition")
                                                               : QString();
    for (QPushButton* button : {m_split, m_fuse}) button->setEnabled(why.isEmpty());
    const QString noTime = !why.isEmpty() ? why : m_timer.missing ? m_timer.missing() : tr("nothing runs models here");
    const bool measuring = m_measured != Measured::Nothing;
    m_time->setText(measuring ? tr("Stop") : tr("Time"));
    m_time->setEnabled(measuring || noTime.isEmpty());
    m_time->setToolTip(measuring          ? tr("Stop timing")
                       : noTime.isEmpty() ? tr("Runs each partition by itself, and the whole model, in the worker")
                                          : noTime);
    const QString noStages = !m_version                      ? tr("no file is open")
                             : m_measured == Measured::Nodes ? tr("the nodes are being timed")
                                                             : QString();
    m_stages->setEnabled(noStages.isEmpty());
    m_stages->setToolTip(noStages.isEmpty() ? tr("A folder with a file for each stage and a script that runs them as a "
                                                 "pipeline of processes, under torchrun")
                                            : noStages);
    m_fuse->setToolTip(why.isEmpty() ? tr("Each partition becomes a module fused_N, as one change that can be undone")
                                     : why);
    m_split->setToolTip(
        why.isEmpty()
            ? tr("Partitions and what is between them become modules submod_N, as one change that can be undone")
            : why);
    const std::size_t count = m_outcome->report.partitions.size();
    m_fuse->setText(count > 1 ? tr("Fuse all %1").arg(count) : tr("Fuse"));
    const bool selected = m_document && !m_document->selection().empty();
    m_handle->setCount(selected ? m_document->selection().size() : 0);
    for (QToolButton* button : {m_supported, m_unsupported, m_byRule, m_move}) {
        button->setEnabled(selected);
        if (button->property("tip").isNull()) button->setProperty("tip", button->toolTip());
        button->setToolTip(selected ? button->property("tip").toString() : tr("nothing is selected on the canvas"));
    }
    const auto allow = [this](QAction* action, const QString& no) {
        const QString reason = m_seen ? no : tr("the panel Partition is not shown");
        action->setEnabled(reason.isEmpty());
        action->setProperty("why", reason);
    };
    for (QAction* action : {m_supportAction, m_refuseAction, m_moveAction})
        allow(action, selected ? QString() : tr("nothing is selected on the canvas"));
    for (QAction* action : {m_splitAction, m_fuseAction}) allow(action, why);
    for (QAction* action : {m_nextAction, m_previousAction})
        allow(action, m_way.empty() ? tr("no cycle is shown") : QString());
    allow(m_tickAllAction, m_version ? QString() : tr("no file is open"));
    m_profileAction->setEnabled(m_timer.profile && m_finding.isEmpty());
    m_profileAction->setToolTip(
        m_profileAction->isEnabled()
            ? tr("What oneDNN computes on this machine is supported; what ran instead is the reason for the others")
        : m_finding.isEmpty() ? tr("nothing runs models here")
                              : m_finding);
    m_profileAction->setProperty("why", m_profileAction->isEnabled() ? QString() : m_profileAction->toolTip());
    allow(m_timeAction, measuring ? QString() : noTime);
    for (QToolButton* button : {m_all, m_nothing}) button->setEnabled(m_version != nullptr);
}

} // namespace ui
