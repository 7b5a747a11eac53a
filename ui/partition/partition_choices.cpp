// SPDX-License-Identifier: GPL-3.0-or-later
// The user's choices: flags, what is supported, what would be if one more operator were, and nodes moved by hand.
#include "ui/partition/partition_panel.h"

#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/partition/by_hand.h"
#include "ui/partition/move_dialog.h"
#include "ui/partition/operators_view.h"
#include "ui/partition/partition_flags.h"
#include "ui/partition/partition_moves.h"
#include "ui/partition/why_view.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/role.h"
#include "ui/widgets/theme.h"

#include <QFileInfo>
#include <QLabel>
#include <QMenu>

#include <algorithm>

namespace ui {

namespace {

constexpr std::size_t kMenuMoves = 6; // the dialog finds the others

} // namespace

int PartitionPanel::flags() const { return m_flags->flags(); }

void PartitionPanel::setFlags(int flags) {
    m_flags->setFlags(flags);
    run();
}

void PartitionPanel::showDraft() {
    m_rulesError.clear();
    m_operators->setDraft(m_draft, m_nonCompute);
}

void PartitionPanel::setDraft(const SupportDraft& draft) {
    m_draft = draft;
    m_hand.clear();
    showDraft();
    if (m_session) m_session->cancelProfile(); // the user chose something else meanwhile
    run();
    askWhatIf(m_operators->current());
}

bool PartitionPanel::loadRules(const QString& path) {
    try {
        const std::string text = fx::readTextFile(path.toStdString());
        (void)fx::SupportRules::parseText(text);
        SupportDraft draft;
        draft.setBase(QByteArray::fromStdString(text), visible(QFileInfo(path).fileName()));
        setDraft(draft);
        return true;
    } catch (const fx::Error& error) {
        m_rulesError = visible(QFileInfo(path).fileName()) +
                       (error.where.empty() ? QString() : QStringLiteral(", ") + fromCore(error.where)) +
                       QStringLiteral(": ") + linesFromCore(error.what()) +
                       (error.hint.empty() ? QString() : QStringLiteral(" — ") + linesFromCore(error.hint)) +
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

/// The rules are as the cache has them, read again each time.
void PartitionPanel::showProfile() {
    if (auto problem = m_session->takeProfile()) {
        if (problem->isEmpty()) {
            const QByteArray rules = R"({"profile": "onednn"})";
            try {
                (void)fx::SupportRules::parseText(rules.toStdString());
                SupportDraft draft;
                draft.setBase(rules, tr("oneDNN"));
                return setDraft(draft);
            } catch (const fx::Error& failed) { problem = linesFromCore(failed.what()); }
        }
        m_rulesError = tr("Could not probe oneDNN: %1. The rules have not changed.").arg(*problem);
    }
    showStatus();
}

bool PartitionPanel::saveRules(const QString& path) {
    try {
        fx::ReplacedFile file(path.toStdString());
        file.write(m_draft.rules().toStdString());
        file.commit();
    } catch (const fx::Error& error) {
        Q_EMIT notified(linesFromCore(error.what()));
        return false;
    }
    Q_EMIT notified(tr("Saved the rules to %1.").arg(path));
    return true;
}

/// Shows the difference that the support of one operator makes.
void PartitionPanel::askWhatIf(const MetOperator* op) {
    m_whatIf->hide();
    m_asking.cancel();
    if (!op || !m_version || !m_hand.empty() || m_outcome->error) return;
    SupportDraft draft = m_draft;
    const bool isSupported = draft.of(*op) == Support::Supported;
    draft.setOperator(*op, isSupported ? Support::Unsupported : Support::Supported);
    const PartitionQuery now = query();
    PartitionQuery asked = now;
    asked.rules = draft.rules();
    const QString question =
        (isSupported ? tr("If %1 were not supported: ") : tr("If %1 were supported: ")).arg(op->title());
    m_asking.start(
        [module = m_version, now, asked, question](const fx::Progress& progress) {
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

void PartitionPanel::follow(const QString& link) {
    const QString what = link.section(u':', 0, 0), rest = link.section(u':', 1);
    if (what == QLatin1String("hand")) {
        rest == QLatin1String("back") ? m_hand.pop_back() : m_hand.clear();
        run();
    } else if (what == QLatin1String("whatif")) {
        OperatorModel& model = m_operators->model();
        for (const MetOperator& op : model.operators())
            if (fromCore(op.key()) == m_whatIfOperator) {
                model.setData(model.indexOf(op), {}, Qt::CheckStateRole);
                break;
            }
    }
}

void PartitionPanel::showPartitionMenu(int partition, const QPoint& position) {
    QMenu menu;
    menu.setToolTipsVisible(true);
    const bool others =
        m_document && std::any_of(m_document->selection().nodes().begin(), m_document->selection().nodes().end(),
                                  [&](fx::NodeId node) { return m_outcome->partition(node) != partition; });
    QAction* here = menu.addAction(tr("Move Selected Nodes to Partition %1").arg(partition), this,
                                   [this, partition] { moveSelection(partition); });
    here->setEnabled(others);
    here->setToolTip(others ? QString() : tr("all selected nodes are already in it"));
    menu.addAction(tr("Select Nodes"), this,
                   [this, partition] { m_document->selection().select(nodesOf({partition}), nullptr); });
    menu.exec(position);
}

void PartitionPanel::askMove() {
    if (!m_document || !m_version || m_document->selection().nodes().empty()) return;
    const auto& nodes = m_document->selection().nodes();
    MoveDialog dialog(m_version->graph, *m_outcome, homeOf(*m_outcome, nodes),
                      nearPartitions(m_version->graph, *m_outcome, nodes, kMenuMoves), this);
    if (dialog.exec() == QDialog::Accepted && dialog.partition() >= 0) moveSelection(dialog.partition());
}

void PartitionPanel::addTo(QMenu& menu) {
    if (!m_version || !m_document || m_document->selection().nodes().empty()) return;
    if (showsStages()) return m_stages->addTo(menu);
    menu.addAction(tr("Supported"), this, [this] { markSelection(Support::Supported); });
    menu.addAction(tr("Unsupported"), this, [this] { markSelection(Support::Unsupported); });
    menu.addAction(tr("As Ticked"), this, [this] { markSelection(Support::ByRule); });
    menu.addSeparator();
    addMovesTo(menu);
}

void PartitionPanel::addMovesTo(QMenu& menu) {
    const auto& nodes = m_document->selection().nodes();
    for (const int partition : nearPartitions(m_version->graph, *m_outcome, nodes, kMenuMoves))
        menu.addAction(tr("Move to Partition %1").arg(partition), this,
                       [this, partition] { moveSelection(partition); });
    QAction* any = menu.addAction(tr("Move to Partition…"), this, &PartitionPanel::askMove);
    any->setEnabled(m_outcome->report.partitions.size() > (homeOf(*m_outcome, nodes) >= 0 ? 1u : 0u));
    menu.addAction(tr("Move to New Partition"), this, [this] { moveSelection(kNew); });
    menu.addAction(tr("Remove from Partition"), this, [this] { moveSelection(kNone); })
        ->setEnabled(std::any_of(nodes.begin(), nodes.end(),
                                 [this](fx::NodeId node) { return m_outcome->partition(node) >= 0; }));
}

void PartitionPanel::markSelection(Support support) {
    if (!m_document || !m_version) return;
    SupportDraft draft = m_draft;
    for (const fx::NodeId node : m_document->selection().nodes())
        draft.setNode(m_version->graph.node(node).name(), support);
    setDraft(draft);
}

bool PartitionPanel::moveSelection(int partition) {
    return m_document && moveNodes(m_document->selection().nodes(), partition);
}

bool PartitionPanel::moveNodes(const std::vector<fx::NodeId>& nodes, int partition) {
    if (!m_version || m_outcome->error) return false;
    const fx::Graph& graph = m_version->graph;
    const std::vector<fx::Partition>& before = m_outcome->report.partitions;
    std::vector<fx::Partition> partitions =
        movedTo(partition == kNew ? static_cast<int>(before.size()) : partition, nodes, before, graph);
    if (const auto circle = fx::circleOf(graph, partitions)) {
        m_why->showCycle(tr("Cannot move: partition %1 would depend on itself. The cycle:").arg(circle->partition),
                         circle->way);
        return false;
    }
    std::erase_if(partitions, [](const fx::Partition& each) { return each.nodes.empty(); });
    auto moved = namesOf(graph, partitions);
    if (moved == namesOf(graph, before)) return true; // they are there: nothing is changed by hand
    m_hand.push_back(std::move(moved));
    m_whatIf->hide();
    run();
    return true;
}

} // namespace ui
