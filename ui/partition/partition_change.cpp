// SPDX-License-Identifier: GPL-3.0-or-later
// What is made of the partitions: modules, stages as files.
#include "ui/partition/partition_panel.h"

#include "core/model_files/save_pipeline.h"
#include "ui/partition/stages_dialog.h"

namespace ui {

namespace {

QString plain(const std::string& text) { return QString::fromStdString(text); }

} // namespace

void PartitionPanel::change(const char* then) {
    const std::size_t count = m_outcome->report.partitions.size();
    const QString name = QByteArrayView(then) == "fuse"
                             ? (count == 1 ? tr("Fuse 1 partition") : tr("Fuse %1 partitions").arg(count))
                             : tr("Split into %1 partitions").arg(count);
    Q_EMIT changeRequested(name, partitionStep(query(), then));
}

void PartitionPanel::askStages() {
    int calls = 0;
    for (const fx::Node& node : m_version->graph.nodes()) calls += node.isCall();
    bool hasParameters = false;
    forEachModule(*m_version->root,
                  [&](const std::string&, const fx::Module& module) { hasParameters |= !module.parameters.empty(); });
    StagesDialog dialog(calls, hasParameters, m_timer.nodes ? m_timer.missing() : tr("models cannot run here"),
                        m_stagesFolder, this);
    if (dialog.exec() != QDialog::Accepted) return;
    m_stagesFolder = dialog.folder();
    if (dialog.balance() != fx::StageBalance::Time)
        return exportStages(dialog.count(), dialog.balance(), dialog.folder());
    measureNodes([this, count = dialog.count(), folder = dialog.folder()](const fx::NodeTimes& times) {
        exportStages(count, fx::StageBalance::Time, folder, times);
    });
}

void PartitionPanel::exportStages(int count, fx::StageBalance balance, const QString& folder,
                                  const fx::NodeTimes& times) {
    if (!m_version) return;
    Q_EMIT notified(tr("Writing %1 stages…").arg(count));
    m_exporting.start(
        [module = m_version, count, balance, folder, times](const fx::Progress& progress) {
            fx::savePipeline(*module, fx::splitIntoStages(*module, static_cast<std::size_t>(count), balance, times),
                             folder.toStdString(), true, progress);
            return tr("Exported %1 stages to %2. To run them: torchrun --nproc-per-node %1 run_pipeline.py --inputs "
                      "in.pt --output out.pt")
                .arg(count)
                .arg(folder);
        },
        this, [this](const QString& done) { Q_EMIT notified(done); },
        [this](const fx::Error& error) { showFailure(error); });
}

void PartitionPanel::showFailure(const fx::Error& error) {
    setStatus("error",
              plain(error.what()) + (error.hint.empty() ? QString() : QStringLiteral(" — ") + plain(error.hint)));
}

} // namespace ui
