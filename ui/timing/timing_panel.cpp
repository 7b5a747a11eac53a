// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/timing_panel.h"

#include "core/timing/timing_json.h"
#include "core/timing/timing_text.h"
#include "ui/run/input_text.h"
#include "ui/timing/curve_chart.h"
#include "ui/timing/node_times_model.h"
#include "ui/timing/share_delegate.h"
#include "ui/timing/sweep_text.h"
#include "ui/timing/time_bars.h"
#include "ui/timing/timing_html.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
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
    m_types = makeTable(m_typeTimes, m_sortedTypes, tr("Times by type"));
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

QWidget* TimingPanel::makeHead() {
    auto* head = new QWidget(this);
    m_verdict = new QLabel(head);
    m_verdict->setFont(semiboldFont());
    m_verdict->setTextFormat(Qt::PlainText);
    m_detail = new ElidedLabel(head);
    m_detail->setProperty("role", "muted");
    m_threads = new QComboBox(head);
    m_threads->addItem(tr("all threads"), 0);
    m_threads->addItem(tr("1 thread"), 1);
    m_threads->setAccessibleName(tr("Threads"));
    m_threads->setToolTip(tr("Measurements with other thread counts are kept"));
    m_seconds = new QDoubleSpinBox(head);
    m_seconds->setRange(0.5, 600);
    m_seconds->setDecimals(1);
    m_seconds->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_seconds->setFixedWidth(72);
    m_seconds->setValue(TimingSettings().seconds);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setAccessibleName(tr("Seconds"));
    m_seconds->setToolTip(
        tr("How long to measure; longer runs resolve smaller differences. Timing nodes takes half as long again."));
    m_heat = new QToolButton(head);
    m_heat->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_copy = new QToolButton(head);
    m_copy->setText(tr("Copy"));
    m_copy->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_copy);
    menu->addAction(tr("Copy as &Text"), this, &TimingPanel::copyText);
    menu->addAction(tr("Copy Nodes and Batch Sizes as &CSV"), this, &TimingPanel::copyCsv);
    menu->addAction(tr("Copy as &JSON"), this, &TimingPanel::copyJson);
    m_copy->setMenu(menu);
    m_inputs = new QPushButton(tr("Inputs…"), head);
    m_start = new QPushButton(head);
    m_start->setProperty("primary", true);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(12, 8, 8, 6);
    row->setSpacing(8);
    row->addWidget(m_verdict);
    row->addWidget(m_detail, 1);
    auto* controls = new QWidget(head);
    auto* flow = new FlowLayout(controls);
    flow->setSpacing(8);
    for (QWidget* each : std::initializer_list<QWidget*>{m_threads, m_seconds, m_heat, m_copy, m_inputs, m_start})
        flow->addWidget(each);
    row->addWidget(controls);
    connect(m_start, &QPushButton::clicked, this, &TimingPanel::startOrStop);
    connect(m_inputs, &QPushButton::clicked, this, &TimingPanel::inputsRequested);
    connect(m_threads, &QComboBox::currentIndexChanged, this, &TimingPanel::takeSettings);
    connect(m_seconds, &QDoubleSpinBox::valueChanged, this, &TimingPanel::takeSettings);
    return head;
}

QWidget* TimingPanel::makeEmpty() {
    auto* page = new QWidget(this);
    m_emptyText = new QLabel(page);
    m_emptyText->setWordWrap(true);
    m_emptyText->setTextFormat(Qt::PlainText);
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyText->setProperty("role", "muted");
    m_emptyButton = new QPushButton(page);
    m_emptyButton->setProperty("primary", true);
    connect(m_emptyButton, &QPushButton::clicked, this, [this] {
        m_session->state() == TimingSession::State::NeedsInputs ? Q_EMIT inputsRequested() : m_session->start();
    });
    auto* column = new QVBoxLayout(page);
    column->addStretch(1);
    column->addWidget(m_emptyText); // as wide as there is room: its height follows
    column->addSpacing(4);
    column->addWidget(m_emptyButton, 0, Qt::AlignHCenter);
    column->addStretch(2);
    return page;
}

QTableView* TimingPanel::makeTable(QAbstractItemModel* model, QSortFilterProxyModel*& sorted, const QString& name) {
    sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(model);
    sorted->setSortRole(kSortRole);
    auto* table = new QTableView(this);
    table->setModel(sorted);
    table->setItemDelegate(new ShareDelegate(table));
    table->setSortingEnabled(true);
    table->sortByColumn(NodeTimesModel::Time, Qt::DescendingOrder);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTextElideMode(Qt::ElideMiddle); // names differ at their ends
    table->setFrameShape(QFrame::NoFrame);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setAccessibleName(name);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(24);
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->resizeSection(0, 170);
    table->horizontalHeader()->resizeSection(1, 220);
    return table;
}

QWidget* TimingPanel::makeNodes() {
    auto* page = new QWidget(this);
    m_whose = new QLabel(page);
    m_whose->setTextFormat(Qt::PlainText);
    m_whose->setContentsMargins(12, 4, 12, 4);
    m_whose->setProperty("role", "warning");
    m_nodes = makeTable(m_nodeTimes, m_sortedNodes, tr("Node times, longest first"));
    const int widths[] = {170, 190, 64, 80, 92, 150, 96, 84, 100, 190, 250, 70};
    for (int column = 0; column < NodeTimesModel::kColumns; ++column)
        m_nodes->horizontalHeader()->resizeSection(column, widths[column]);
    connect(m_nodes, &QTableView::clicked, this, &TimingPanel::goToNode);
    connect(m_nodes, &QTableView::activated, this, &TimingPanel::goToNode);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_whose);
    column->addWidget(m_nodes, 1);
    return page;
}

QWidget* TimingPanel::makeSweep() {
    auto* page = new QWidget(this);
    auto* label = new QLabel(tr("Batch Sizes"), page);
    m_batches = new QLineEdit(QStringLiteral("1, 2, 4, 8, 16"), page);
    m_batches->setMaximumWidth(200);
    m_batches->setAccessibleName(tr("Batch Sizes"));
    label->setBuddy(m_batches);
    m_sweep = new QPushButton(page);
    m_sweepText = new ElidedLabel(page);
    m_sweepText->setProperty("role", "muted");
    m_curve = new CurveChart(page);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 6, 8, 2);
    row->setSpacing(8);
    row->addWidget(label);
    row->addWidget(m_batches);
    row->addWidget(m_sweep);
    row->addWidget(m_sweepText, 1);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_curve, 1);
    connect(m_sweep, &QPushButton::clicked, this, &TimingPanel::startSweep);
    connect(m_batches, &QLineEdit::returnPressed, this, &TimingPanel::startSweep);
    connect(m_batches, &QLineEdit::textChanged, this, &TimingPanel::showSweep);
    return page;
}

void TimingPanel::setSession(TimingSession* session) {
    if (m_session) m_session->disconnect(this);
    m_session = session;
    if (session) {
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
    if (node == fx::kNoNode)
        Q_EMIT notified(tr("%1 no longer exists in this version.").arg(QString::fromStdString(name)));
    else m_session->document().goTo(node, this);
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
    m_session->document().select(std::move(nodes), this);
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
