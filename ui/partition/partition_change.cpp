// SPDX-License-Identifier: GPL-3.0-or-later
// What is made of the partitions: modules, stages as files.
#include "ui/partition/partition_panel.h"

#include "core/io/save_pipeline.h"

#include <QFileDialog>
#include <QInputDialog>

namespace ui {

namespace {

QString plain(const std::string& text) { return QString::fromStdString(text); }

} // namespace

void PartitionPanel::change(const char* then) {
    const std::size_t count = m_outcome->report.partitions.size();
    const QString name = QByteArrayView(then) == "fuse" ? (count == 1 ? tr("Fuse 1 partition") : tr("Fuse %1 partitions").arg(count)) : tr("Split by %1 partitions").arg(count);
    Q_EMIT changeRequested(name, partitionStep(query(), then));
}

void PartitionPanel::askStages() {
    const auto& graph = m_version->graph;
    int calls = 0;
    for (const fx::Node& node : graph.nodes()) calls += node.isCall();
    bool accepted = false;
    const int count = QInputDialog::getInt(this, tr("Export stages"), tr("Number of stages: one process each, with about the same number of calls"), std::min(2, calls), 1, std::max(1, calls), 1, &accepted);
    if (!accepted) return;
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for the stages"));
    if (!folder.isEmpty()) exportStages(count, folder);
}

void PartitionPanel::exportStages(int count, const QString& folder) {
    if (!m_version) return;
    Q_EMIT notified(tr("Writing %1 stages…").arg(count));
    m_exporting.start(
        [module = m_version, count, folder](const fx::Progress& progress) {
            fx::savePipeline(*module, fx::splitIntoStages(*module, static_cast<std::size_t>(count), fx::StageBalance::Nodes), folder.toStdString(), true, progress);
            return tr("%1 stages are in %2. Run them: torchrun --nproc-per-node %1 run_pipeline.py --inputs in.pt --output out.pt").arg(count).arg(folder);
        },
        this, [this](const QString& done) { Q_EMIT notified(done); },
        [this](const fx::Error& error) { setStatus("error", plain(error.what()) + (error.hint.empty() ? QString() : QStringLiteral(" — ") + plain(error.hint))); });
}

} // namespace ui
