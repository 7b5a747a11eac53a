// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/stages_view.h"

#include "core/shapes/time_estimate.h"
#include "ui/partition/stages/balance_bar.h"
#include "ui/partition/stages/stage_table_model.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/save_path.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace ui {

namespace {

QLabel* wrapped(const char* role, QWidget* parent) {
    auto* label = new WrappedLabel(parent);
    label->setProperty("role", role);
    label->hide();
    return label;
}

} // namespace

StagesView::StagesView(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(8);
    column->addWidget(makeChoices());
    column->addWidget(m_note = wrapped("muted", this));
    column->addWidget(heading(tr("Balance"), this));
    column->addWidget(m_bar = new BalanceBar(this));
    column->addWidget(m_balance = wrapped("", this));
    column->addWidget(m_refusal = wrapped("warning", this));
    m_refusal->setMinimumHeight(26);
    column->addWidget(makeStages(), 1);
    column->addWidget(m_saved = wrapped("ok", this));
    m_saved->setMinimumHeight(26);
    m_saved->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(m_saved, &QLabel::linkActivated, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_session ? m_session->folder() : QString())); });
    column->addWidget(makeButtons());
    connect(m_bar, &BalanceBar::cutChosen, this, [this](int cut) {
        if (!m_session) return;
        m_session->choose(cut);
        Q_EMIT cutChosen(cut);
    });
    connect(m_bar, &BalanceBar::cutStepped, this, [this](int cut, int by) {
        if (!m_session) return;
        m_session->stepCut(cut, by);
        Q_EMIT cutChosen(cut);
    });
    connect(m_bar, &BalanceBar::cutDragged, this, [this](int cut, double share) {
        if (m_session) m_session->dragCut(cut, share);
    });
    connect(m_bar, &BalanceBar::cutReleased, this, [this](int cut) {
        if (!m_session) return;
        m_session->endMove();
        Q_EMIT cutChosen(cut);
    });
    refresh();
}

void StagesView::setDocument(Document* document) {
    if (m_document == document) return;
    if (m_session) m_session->disconnect(this);
    if (m_document) PartitionSession::of(*m_document)->disconnect(this);
    m_document = document;
    m_session = document ? StagesSession::of(*document) : nullptr;
    m_saved->hide();
    m_savedVersion.reset();
    if (document) {
        connect(m_session, &StagesSession::changed, this, &StagesView::refresh);
        connect(m_session, &StagesSession::cutsChanged, this, &StagesView::showCuts);
        connect(PartitionSession::of(*document), &PartitionSession::timesChanged, this, &StagesView::refresh);
    }
    refresh();
}

void StagesView::setTimer(const PartitionTimer& timer) {
    m_timer = timer;
    refresh();
}

void StagesView::propose() {
    if (m_showing || !m_session) return;
    m_saved->hide();
    m_session->propose(m_count->value(), static_cast<StageMeasure>(m_measure->currentIndex()), m_timer);
}

void StagesView::refresh() {
    showChoices();
    showCuts();
}

void StagesView::showChoices() {
    m_showing = true;
    const StagePlan* plan = m_session ? m_session->plan() : nullptr;
    const auto calls = plan ? static_cast<int>(plan->line->size()) : StagesSession::kMostStages;
    m_count->setMaximum(std::clamp(calls, 1, StagesSession::kMostStages));
    if (m_session) {
        m_count->setValue(m_session->count());
        m_measure->setCurrentIndex(static_cast<int>(m_session->measure()));
    }
    const QString missing = m_timer.nodes && m_timer.missing ? m_timer.missing() : tr("models cannot run here");
    auto* item = qobject_cast<QStandardItemModel*>(m_measure->model())->item(static_cast<int>(StageMeasure::Measured));
    item->setEnabled(missing.isEmpty());
    item->setToolTip(missing);
    m_count->setEnabled(m_session);
    m_measure->setEnabled(m_session);
    m_showing = false;
    showNote();
}

/// What the figures are based on, or why no stages are shown.
void StagesView::showNote() {
    const StagePlan* plan = m_session ? m_session->plan() : nullptr;
    const QString timing = m_document ? PartitionSession::of(*m_document)->note() : QString();
    QString note;
    if (!m_session) note = tr("No file is open.");
    else if (!m_session->problem().isEmpty()) note = m_session->problem();
    else if (!timing.isEmpty()) note = timing;
    else if (!plan) note = m_session->isBusy() ? tr("Cutting into stages…") : QString();
    else if (!plan->note.isEmpty()) note = plan->note;
    else if (plan->line->isTimed() && !plan->isMeasured)
        note = tr("Times are estimates from FLOPs and bytes, at %1\u00a0GFLOP/s and %2\u00a0GB/s. Choose "
                  "“measured time” for times of this machine.")
                   .arg(fx::kAssumedGflops)
                   .arg(fx::kAssumedGbytes);
    else if (plan->isMeasured) note = tr("Times were measured in the worker, node by node.");
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

void StagesView::showCuts() {
    const StagePlan* plan = m_session ? m_session->plan() : nullptr;
    const fx::StageLine::Cuts cuts = m_session ? m_session->cuts() : fx::StageLine::Cuts();
    if (cuts != m_savedCuts || !m_document || m_document->module() != m_savedVersion) m_saved->hide();
    std::vector<BalanceBar::Segment> segments;
    fx::StageBalanceReport balance;
    if (plan && plan->line->size() > 0) {
        balance = plan->line->balance(cuts);
        for (std::size_t i = 0; i < balance.weights.size(); ++i)
            segments.push_back({balance.weights[i], stageWeightText(*plan, balance.weights[i], false)});
    }
    m_bar->setSegments(std::move(segments), balance.largest, m_session ? m_session->current() : -1);
    m_balance->setText(plan ? balanceText(*plan, balance) : QString());
    m_balance->setVisible(!m_balance->text().isEmpty());
    const QString refusal = m_session ? m_session->refusal() : QString();
    m_refusal->setText(tr("These stages cannot be exported: %1. Move a cut.").arg(refusal));
    m_refusal->setVisible(!refusal.isEmpty());
    m_showing = true;
    m_model->setStages(plan, cuts);
    m_table->setColumnHidden(StageTableModel::Time, !plan || !plan->line->isTimed());
    m_showing = false;
    showButtons();
}

void StagesView::showButtons() {
    const bool measuring =
        m_document && PartitionSession::of(*m_document)->measured() == PartitionSession::Measured::Nodes;
    const QString why = !m_session                             ? tr("no file is open")
                        : !m_session->plan()                   ? tr("there are no stages")
                        : m_session->plan()->line->size() == 0 ? tr("the model has no calls")
                                                               : QString();
    m_undo->setEnabled(m_session && m_session->canUndo());
    m_redo->setEnabled(m_session && m_session->canRedo());
    m_stop->setVisible(measuring);
    m_rebalance->setVisible(!measuring);
    m_rebalance->setEnabled(why.isEmpty());
    m_rebalance->setToolTip(why.isEmpty() ? tr("Cut anew, balanced as chosen above") : why);
    const QString no = !why.isEmpty() ? why : m_session->refusal();
    m_export->setEnabled(no.isEmpty());
    m_export->setToolTip(
        no.isEmpty() ? tr("Export one file per stage and a script that runs them as a torchrun pipeline") : no);
}

void StagesView::chooseStage(int stage) {
    if (!m_showing && m_session && m_session->plan()) Q_EMIT stageChosen(stage);
}

QStringList StagesView::filesInTheWay(const QString& folder) {
    return QDir(folder).entryList(
        {QStringLiteral("pipeline.json"), QStringLiteral("run_pipeline.py"), QStringLiteral("stage_*.pt")},
        QDir::Files);
}

QString StagesView::askFolder() {
    QString start = m_session->folder();
    if (const QFileInfo model(m_document->file().opened()); start.isEmpty() && model.isFile())
        start = model.absolutePath();
    return askSaveFolder(this, tr("Folder for the Stages"), start, [](const QString& folder) {
        QStringList files = filesInTheWay(folder);
        for (QString& file : files) file = QDir(folder).filePath(file);
        return files;
    });
}

void StagesView::exportStages(const QString& folder) {
    if (!m_session || !m_session->plan()) return;
    const QString where = folder.isEmpty() ? askFolder() : folder;
    if (where.isEmpty()) return;
    m_saved->hide();
    m_session->exportTo(where, [this, session = m_session, count = m_session->count(), cuts = m_session->cuts(),
                                version = m_document->module()] {
        const QString what = count == 1 ? tr("Saved 1 stage to %1").arg(session->folder())
                                        : tr("Saved %1 stages to %2").arg(count).arg(session->folder());
        Q_EMIT notified(what);
        // Another document is in front, a cut moved, or the model was changed.
        if (session != m_session || cuts != session->cuts() || version != m_document->module()) return;
        m_saved->setText(what.toHtmlEscaped() + QStringLiteral(" · <a href='folder:' style='color:%1'>%2</a>")
                                                    .arg(theme().ok.line.name(), tr("Open Folder")));
        m_saved->setToolTip(tr("To run them: torchrun --nproc-per-node %1 run_pipeline.py --inputs in.pt --output "
                               "out.pt")
                                .arg(count));
        m_savedCuts = cuts;
        m_savedVersion = version;
        m_saved->show();
    });
}

/// Ctrl+Z undoes a moved cut here, not an edit of the model.
bool StagesView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) event->accept();
    }
    return QWidget::event(event);
}

void StagesView::keyPressEvent(QKeyEvent* event) {
    if (m_session && event->matches(QKeySequence::Undo)) m_session->undo();
    else if (m_session && event->matches(QKeySequence::Redo)) m_session->redo();
    else QWidget::keyPressEvent(event);
}

void StagesView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) m_bar->update();
}

} // namespace ui
