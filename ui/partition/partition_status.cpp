// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel says of itself, and what its buttons can do.
#include "ui/partition/partition_panel.h"

#include "ui/partition/drag_handle.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

namespace ui {

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
    } else if (!m_session->finding().isEmpty()) {
        setStatus("muted", m_session->finding());
        hint = tr("The worker calls each operator once. This takes a few seconds, once per machine.");
    } else if (!m_rulesError.isEmpty()) {
        setStatus("error", m_rulesError);
    } else if (m_outcome->error) {
        setStatus("error", fromCore(m_outcome->error->what()));
        hint = fromCore(m_outcome->error->hint);
    } else if (m_session->isCancelled()) {
        setStatus("warning", tr("Partitioning was cancelled"));
        hint = tr("Change a rule or an option to partition again.");
    } else if (m_draft.isEmpty() && m_hand.empty()) {
        setStatus("muted", tr("No operator is supported yet"));
        hint = tr("Tick the operators that your back end supports, press All, load a RULES.json, or use the oneDNN "
                  "profile. Partitions appear here and on the canvas as you tick.");
    } else if (count == 0) {
        setStatus("warning",
                  report.supported == 0 ? tr("The rules support no node in this model")
                  : report.supported == 1
                      ? tr("No partition: 1 supported node, on its own")
                      : tr("No partition: %1 supported nodes, in groups that are too small").arg(report.supported));
        // What goes together can be many nodes and yet too small: torch.fx counts functions, and modules and methods
        // not.
        if (report.supported > 0 && !m_single->isChecked())
            hint = tr("A partition needs at least two function calls that compute something. Tick “Allow single nodes” "
                      "to keep smaller ones.");
    } else {
        std::size_t inside = 0;
        for (const auto& partition : report.partitions) inside += partition.nodes.size();
        const std::size_t refused = report.unassigned.size();
        setStatus("ok", (count == 1 ? tr("1 partition") : tr("%1 partitions").arg(count)) +
                            (count == 1 ? tr(" · %1 nodes in it · ") : tr(" · %1 nodes in them · "))
                                .arg(QLocale().toString(static_cast<qulonglong>(inside))) +
                            (refused == 1 ? tr("1 call unassigned") : tr("%1 calls unassigned").arg(refused)));
        m_status->setToolTip(tr("%1\u00a0ms").arg(m_outcome->millis, 0, 'f', 1));
    }
    for (const fx::Warning& warning :
         report.warnings) // rules that name nothing: of a file, for what was ticked may have gone with an edit
        if (m_draft.hasBase() && hint.size() < 400)
            hint += (hint.isEmpty() ? QString() : QStringLiteral("\n")) + fromCore(warning.what.text());
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
    const bool selected = m_document && !m_document->selection().empty();
    m_handle->setCount(selected ? m_document->selection().size() : 0);
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
        allow(action, m_way.empty() ? tr("no cycle is shown") : QString());
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
    for (QToolButton* button : {m_all, m_nothing}) button->setEnabled(m_version != nullptr);
}

} // namespace ui
