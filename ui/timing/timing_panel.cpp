// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/timing_panel.h"

#include "core/timing/timing_json.h"
#include "core/timing/timing_text.h"
#include "ui/run/input_text.h"
#include "ui/timing/curve_chart.h"
#include "ui/timing/node_times_model.h"
#include "ui/timing/sweep_text.h"
#include "ui/timing/time_bars.h"
#include "ui/timing/timing_html.h"
#include "ui/widgets/core_text.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

TimingPanel::TimingPanel(QWidget* parent)
    : QWidget(parent), m_nodeTimes(new NodeTimesModel(this)), m_typeTimes(new TypeTimesModel(this)),
      m_body(new QStackedWidget(this)) {
    m_progress = new QProgressBar(this);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(3);
    m_progress->setRange(0, 1000);
    auto* left = new QWidget(this);
    m_bars = new TimeBars(left);
    m_page = new QTextBrowser(left);
    m_page->setOpenLinks(false);
    m_page->setFrameShape(QFrame::NoFrame);
    m_page->setWordWrapMode(QTextOption::WordWrap);
    m_page->document()->setDocumentMargin(12);
    m_page->setAccessibleName(tr("Timing of the current version"));
    connect(m_page, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        link.scheme() == QLatin1String("inputs") ? Q_EMIT inputsRequested() : startOrStop();
    });
    auto* lines = new QVBoxLayout(left);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    lines->addWidget(m_bars);
    lines->addWidget(m_page, 1);
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(makeNodes(), tr("Nodes"));
    m_types = new QTableView(this);
    setUpTable(*m_types, m_typeTimes, m_sortedTypes, tr("Times by type"));
    connect(m_types, &QTableView::clicked, this, &TimingPanel::selectType);
    m_tabs->addTab(m_types, tr("Types"));
    m_history = new CurveChart(this);
    m_tabs->addTab(m_history, tr("History"));
    m_tabs->addTab(makeSweep(), tr("Batch Sizes"));
    auto* split = new QSplitter(this);
    split->addWidget(left);
    split->addWidget(m_tabs);
    split->setSizes({400, 600});
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setChildrenCollapsible(false);
    m_body->addWidget(makeEmpty());
    m_body->addWidget(split);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(m_progress);
    column->addWidget(m_body, 1);
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    setSession(nullptr);
}

void TimingPanel::setSession(TimingSession* session) {
    if (m_session) {
        m_session->disconnect(this);
        m_session->document().release(this);
    }
    m_session = session;
    if (session) {
        connect(&session->document().selection(), &NodeSelection::changed, this, &TimingPanel::showSelected);
        connect(session, &TimingSession::changed, this, &TimingPanel::show);
        connect(session, &TimingSession::progressed, this, &TimingPanel::showProgress);
        takeSettings();
    }
    show();
}

QByteArray TimingPanel::remembered() const {
    return QJsonDocument(QJsonObject{{QStringLiteral("threads"), m_threads->currentData().toInt()},
                                     {QStringLiteral("seconds"), m_seconds->value()},
                                     {QStringLiteral("batches"), m_batches->text()}})
        .toJson(QJsonDocument::Compact);
}

void TimingPanel::recall(const QByteArray& json) {
    const QJsonObject known = QJsonDocument::fromJson(json).object();
    m_threads->setCurrentIndex(std::max(0, m_threads->findData(known[QLatin1String("threads")].toInt())));
    m_seconds->setValue(known[QLatin1String("seconds")].toDouble(m_seconds->value()));
    m_batches->setText(known[QLatin1String("batches")].toString(m_batches->text()));
}

void TimingPanel::takeSettings() {
    if (m_session) m_session->setSettings({m_threads->currentData().toInt(), m_seconds->value()});
}

const fx::timing::BenchResult* TimingPanel::result() const {
    const Timing* known = m_session ? m_session->current() : nullptr;
    return known && known->result ? &*known->result : nullptr;
}

void TimingPanel::startOrStop() {
    if (!m_session) return;
    m_session->state() == TimingSession::State::Running ? m_session->stop() : m_session->start();
}

void TimingPanel::goToNode(const QModelIndex& index) {
    const QModelIndex at = m_sortedNodes->mapToSource(index);
    if (!at.isValid() || !m_session || !m_session->document().module()) return;
    const std::string& name = m_nodeTimes->nameAt(at.row());
    const fx::NodeId node = m_session->document().module()->graph.find(name);
    if (node == fx::kNoNode) Q_EMIT notified(tr("%1 no longer exists in this version.").arg(fromCore(name)));
    else m_session->document().selection().goTo(node, this);
}

/// The row of the node that is selected, wherever that was done.
void TimingPanel::showSelected() {
    const Document* document = m_session ? &m_session->document() : nullptr;
    const bool isOne = document && document->module() && document->selection().nodes().size() == 1;
    const QString name =
        isOne ? QString::fromStdString(document->module()->graph.node(document->selection().nodes().front()).name())
              : QString();
    QModelIndex found;
    if (const int row = m_nodeTimes->rowOf(name); row >= 0)
        found = m_sortedNodes->mapFromSource(m_nodeTimes->index(row, NodeTimesModel::Name));
    if (!found.isValid()) return m_nodes->clearSelection();
    if (m_nodes->selectionModel()->isRowSelected(found.row(), {})) return;
    m_nodes->selectRow(found.row());
    m_nodes->scrollTo(found);
}

void TimingPanel::selectType(const QModelIndex& index) {
    const QModelIndex at = m_sortedTypes->mapToSource(index);
    const KnownTimes times = m_session ? m_session->times() : KnownTimes();
    if (!at.isValid() || !times.report || !m_session->document().module()) return;
    const fx::Graph& graph = m_session->document().module()->graph;
    std::vector<fx::NodeId> nodes;
    for (const auto& each : times.report->nodes)
        if (each.target == m_typeTimes->targetAt(at.row()))
            if (const fx::NodeId node = graph.find(each.name); node != fx::kNoNode) nodes.push_back(node);
    m_session->document().selection().select(std::move(nodes), this);
}

void TimingPanel::startSweep() {
    if (!m_session) return;
    if (m_session->isSweeping()) return m_session->stop();
    if (m_sweep->isEnabled()) m_session->startSweep(batchesFrom(m_batches->text()));
}

const std::vector<SweepPoint>& TimingPanel::sweep() const {
    static const std::vector<SweepPoint> kNone;
    return m_session ? m_session->sweep() : kNone;
}

void TimingPanel::copyText() {
    if (!result() && sweep().empty()) return;
    QApplication::clipboard()->setText((result() ? QString::fromStdString(fx::timing::toText(*result())) : QString()) +
                                       sweepText(sweep()));
    Q_EMIT notified(tr("Copied the timing as text."));
}

void TimingPanel::copyCsv() {
    const KnownTimes times = m_session ? m_session->times() : KnownTimes();
    QStringList parts;
    if (times.report) parts << QString::fromStdString(fx::timing::toCsv(*times.report));
    if (const QString swept = sweepCsv(sweep()); !swept.isEmpty()) parts << swept;
    if (parts.isEmpty()) return;
    QApplication::clipboard()->setText(parts.join(u'\n'));
    Q_EMIT notified(tr("Copied the times as CSV."));
}

void TimingPanel::copyJson() {
    if (!result() && sweep().empty()) return;
    QApplication::clipboard()->setText(timingJson(result(), sweep()));
    Q_EMIT notified(tr("Copied the timing as JSON."));
}

void TimingPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_body && m_page) show();
}

} // namespace ui
