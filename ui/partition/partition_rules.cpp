// SPDX-License-Identifier: GPL-3.0-or-later
// What is supported: ticks, flags, rules of files, and what would be if one operator were ticked.
#include "ui/partition/partition_panel.h"

#include "core/files/read_text.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/role.h"
#include "ui/widgets/theme.h"

#include <QCheckBox>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

namespace ui {

int PartitionPanel::flags() const {
    return m_single->isChecked() | m_trim->isChecked() << 1 | m_vertical->isChecked() << 2;
}

void PartitionPanel::showFlags(int flags) {
    int bit = 1;
    for (QCheckBox* box : {m_single, m_trim, m_vertical}) {
        const QSignalBlocker quiet(box);
        box->setChecked(flags & bit);
        bit <<= 1;
    }
}

void PartitionPanel::setFlags(int flags) {
    showFlags(flags);
    run();
}

void PartitionPanel::showDraft() {
    m_rulesError.clear();
    m_rules->setText(m_draft.hasBase() ? m_draft.baseName() + QStringLiteral(" ▾") : tr("Rules ▾"));
    m_operators->setDraft(m_draft, m_nonCompute);
}

void PartitionPanel::setDraft(const SupportDraft& draft) {
    m_draft = draft;
    m_hand.clear();
    showDraft();
    if (m_session) m_session->cancelProfile(); // the user chose something else meanwhile
    run();
    askWhatIf(m_operators->at(m_filtered->mapToSource(m_tree->currentIndex())));
}

void PartitionPanel::tick(const std::vector<const MetOperator*>& operators, Support support) {
    SupportDraft draft = m_draft;
    for (const MetOperator* op : operators) draft.setOperator(*op, support);
    setDraft(draft);
}

void PartitionPanel::tickAll(bool on) {
    std::vector<const MetOperator*> listed;
    for (int g = 0; g < m_filtered->rowCount(); ++g) {
        const QModelIndex group = m_filtered->index(g, 0);
        for (int i = 0; i < m_filtered->rowCount(group); ++i)
            listed.push_back(m_operators->at(m_filtered->mapToSource(m_filtered->index(i, 0, group))));
    }
    tick(listed, on ? Support::Supported : m_draft.hasBase() ? Support::Unsupported : Support::ByRule);
}

void PartitionPanel::showOperatorMenu(const QPoint& position) {
    const MetOperator* op = m_operators->at(m_filtered->mapToSource(m_tree->indexAt(position)));
    if (!op) return;
    QMenu menu;
    const auto say = [&](const QString& text, Support support) {
        QAction* action = menu.addAction(text, this, [this, op, support] { tick({op}, support); });
        action->setCheckable(true);
        action->setChecked(m_draft.of(*op) == support);
    };
    say(tr("Supported"), Support::Supported);
    if (m_draft.hasBase()) say(tr("Unsupported"), Support::Unsupported);
    say(m_draft.hasBase() ? tr("As in %1").arg(m_draft.baseName()) : tr("Unsupported"), Support::ByRule);
    menu.addSeparator();
    QAction* nothing = menu.addAction(tr("Non-Compute (non_compute_ops)"), this, [this, op] { toggleNonCompute(*op); });
    nothing->setCheckable(true);
    nothing->setChecked(std::find(m_nonCompute.begin(), m_nonCompute.end(), op->name) != m_nonCompute.end());
    nothing->setEnabled(op->kind == MetOperator::Kind::Function);
    menu.addAction(tr("Select Nodes"), this, [this, nodes = op->nodes] { m_document->select(nodes, nullptr); });
    menu.exec(m_tree->viewport()->mapToGlobal(position));
}

void PartitionPanel::toggleNonCompute(const MetOperator& op) {
    if (std::erase(m_nonCompute, op.name) == 0) m_nonCompute.push_back(op.name);
    m_operators->setDraft(m_draft, m_nonCompute);
    run();
}

bool PartitionPanel::loadRules(const QString& path) {
    try {
        const std::string text = fx::readTextFile(path.toStdString());
        (void)fx::SupportRules::parseText(text);
        SupportDraft draft;
        draft.setBase(QByteArray::fromStdString(text), QFileInfo(path).fileName());
        setDraft(draft);
        return true;
    } catch (const fx::Error& error) {
        m_rulesError = QFileInfo(path).fileName() +
                       (error.where.empty() ? QString() : QStringLiteral(", ") + fromCore(error.where)) +
                       QStringLiteral(": ") + fromCore(error.what()) +
                       (error.hint.empty() ? QString() : QStringLiteral(" — ") + fromCore(error.hint)) +
                       tr(". The rules have not changed.");
    }
    showStatus();
    return false;
}

void PartitionPanel::takeProfile() {
    if (!m_timer.profile || !m_session) return;
    m_rulesError.clear();
    m_session->findProfile(m_timer);
}

void PartitionPanel::showProfile() {
    if (const auto error = m_session->takeProfile()) endProfile(*error);
    else showStatus();
}

/// The rules are as the cache has them, read again each time.
void PartitionPanel::endProfile(const QString& error) {
    QString problem = error;
    if (problem.isEmpty()) {
        const QByteArray rules = R"({"profile": "onednn"})";
        try {
            (void)fx::SupportRules::parseText(rules.toStdString());
            SupportDraft draft;
            draft.setBase(rules, tr("oneDNN"));
            return setDraft(draft);
        } catch (const fx::Error& failed) { problem = fromCore(failed.what()); }
    }
    m_rulesError = tr("Could not probe oneDNN: %1. The rules have not changed.").arg(problem);
    showStatus();
}

bool PartitionPanel::saveRules(const QString& path) {
    QSaveFile file(path);
    const bool done = file.open(QIODevice::WriteOnly) && file.write(m_draft.rules()) >= 0 && file.commit();
    Q_EMIT notified(done ? tr("Saved the rules to %1.").arg(path)
                         : tr("Could not write %1: %2").arg(path, file.errorString()));
    return done;
}

/// What would be different if one more operator were supported, or one less.
void PartitionPanel::askWhatIf(const MetOperator* op) {
    m_whatIf->hide();
    m_asking.cancel();
    if (!op || !m_version || !m_hand.empty() || m_outcome->error) return;
    SupportDraft draft = m_draft;
    const bool isSupported = draft.of(*op) == Support::Supported;
    draft.setOperator(*op, isSupported ? Support::Unsupported : Support::Supported);
    PartitionQuery asked = query();
    asked.rules = draft.rules();
    const QString question =
        (isSupported ? tr("If %1 were not supported: ") : tr("If %1 were supported: ")).arg(op->title());
    m_asking.start(
        [module = m_version, now = query(), asked, question](const fx::Progress& progress) {
            const PartitionOutcome before = runPartition(*module, now, progress),
                                   after = runPartition(*module, asked, progress);
            return Difference{question + differenceInWords(before, after), before.partitionOf != after.partitionOf};
        },
        this,
        [this, isSupported, key = fromCore(op->key())](const Difference& difference) {
            m_whatIfOperator = key;
            setRole(*m_whatIf, isSupported ? "info" : "ok"); // less support is no advice
            const QColor& colour = isSupported ? theme().accent : theme().ok.line;
            const QString apply = QStringLiteral(" <a href='whatif:' style='color:%1'>%2</a>");
            m_whatIf->setText(difference.words.toHtmlEscaped() +
                              (difference.isAny ? apply.arg(colour.name(), tr("Apply")) : QString()));
            m_whatIf->show();
        });
}

} // namespace ui
