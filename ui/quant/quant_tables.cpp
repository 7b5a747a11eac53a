// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_tables.h"

#include "ui/document/node_facts.h"
#include "ui/quant/observer_histogram.h"
#include "ui/quant/quant_rows_model.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/fill_delegate.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr std::string_view kReuseInput = "default_reuse_input_qconfig";

QWidget* page(std::initializer_list<QWidget*> rows, QWidget* parent) {
    auto* page = new QWidget(parent);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    for (QWidget* row : rows) column->addWidget(row, qobject_cast<QTableView*>(row) ? 1 : 0);
    return page;
}

QWidget* line(std::initializer_list<QWidget*> widgets, QWidget* parent) {
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    for (QWidget* each : widgets) layout->addWidget(each, qobject_cast<QComboBox*>(each) ? 1 : 0);
    return row;
}

} // namespace

QuantTables::QuantTables(QWidget* parent) : QWidget(parent) {
    m_tabs = new QTabBar(this);
    m_tabs->setAccessibleName(tr("What is shown of quantisation"));
    m_tabs->setDrawBase(false);
    for (const QString& name : {tr("Rules"), tr("Observers"), tr("Layers")}) m_tabs->addTab(name);
    m_models = {
        new QuantRowsModel({tr("Nodes"), tr("Rule"), tr("For"), tr("QConfig")}, this),
        new QuantRowsModel(
            {tr("Observes"), tr("Observer"), tr("Dtype"), tr("For"), tr("Rule"), tr("Shares"), tr("Saturated")}, this),
        new QuantRowsModel({tr("Layer"), tr("SQNR"), tr("Max. error"), tr("Alone"), tr("Before"), tr("Now")}, this)};
    m_pages = new QStackedWidget(this);
    m_warning = new WrappedLabel(this);
    m_warning->setProperty("role", "warning");
    for (QWidget* each : {makeRules(), makeObservers(), makeLayers()}) m_pages->addWidget(each);
    connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addWidget(m_tabs);
    column->addWidget(m_warning);
    column->addWidget(m_pages, 1);
}

QTableView* QuantTables::makeTable(Tab tab, QuantRowsModel* model, const QString& name) {
    auto* table = new QTableView(this);
    auto* sorted = new QSortFilterProxyModel(table);
    sorted->setSourceModel(model);
    sorted->setSortRole(QuantRowsModel::Sort);
    table->setModel(sorted);
    table->setItemDelegate(new FillDelegate(table));
    table->setAccessibleName(name);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTextElideMode(Qt::ElideMiddle); // of a path, the end tells as much as the start
    table->viewport()->installEventFilter(this);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 8);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->setSortingEnabled(true);
    sorted->sort(-1);
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this, tab] { select(tab); });
    return m_tables[tab] = table;
}

QWidget* QuantTables::makeRules() {
    QTableView* table = makeTable(Rules, m_models[Rules], tr("Rules and the nodes that they hit"));
    m_qconfig = new QComboBox(this);
    m_qconfig->setAccessibleName(tr("QConfig of the rule"));
    m_qconfig->setToolTip(tr("How the nodes of this rule are quantised"));
    m_qconfig->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_qconfig->setMinimumContentsLength(8);
    m_remove = new QPushButton(tr("Remove"), this);
    m_remove->setToolTip(tr("Remove your rule; the backend's decides again"));
    m_exclude = new QPushButton(tr("Exclude Selected Nodes"), this);
    m_exclude->setToolTip(tr("Leave the nodes that are selected in the graph in floating point"));
    connect(m_qconfig, &QComboBox::activated, this, [this](int index) {
        const QuantPlan::Rule* rule = currentRule();
        if (rule && m_qconfig->itemText(index) != rule->qconfig)
            setRule(rule->where, m_qconfig->itemData(index).toString().toStdString());
    });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (const QuantPlan::Rule* rule = currentRule()) setRule(rule->where, {});
    });
    connect(m_exclude, &QPushButton::clicked, this, &QuantTables::excludeSelected);
    m_undo = new QPushButton(tr("Undo"), this), m_redo = new QPushButton(tr("Redo"), this);
    m_undo->setToolTip(tr("Undo the last change of your rules"));
    m_redo->setToolTip(tr("Redo the last change of your rules that was undone"));
    for (const bool redo : {false, true})
        connect(stepsRules(redo), &QPushButton::clicked, this, [this, redo] { m_session->stepRules(redo); });
    return page({table, line({m_qconfig, m_remove}, this), m_exclude, line({m_undo, m_redo}, this)}, this);
}

QWidget* QuantTables::makeObservers() {
    QTableView* table = makeTable(Observers, m_models[Observers], tr("Observers"));
    m_histogram = new ObserverHistogram(this);
    m_histogramTitle = new WrappedLabel(this);
    m_histogramTitle->setTextFormat(Qt::PlainText);
    m_histogramTitle->setProperty("role", "muted");
    return page({table, m_histogramTitle, m_histogram}, this);
}

QWidget* QuantTables::makeLayers() {
    QTableView* table = makeTable(Layers, m_models[Layers], tr("Layers and their errors"));
    m_firstLoss = new WrappedLabel(this);
    m_firstLoss->setTextFormat(Qt::PlainText);
    m_budget = new QDoubleSpinBox(this);
    m_budget->setRange(-20, 120);
    m_budget->setDecimals(1);
    m_budget->setSuffix(tr(" dB"));
    m_budget->setPrefix(tr("at least "));
    m_budget->setAccessibleName(tr("Error budget"));
    m_budget->setToolTip(tr("The SQNR of the output that a proposal keeps"));
    m_scan = new QPushButton(tr("Scan Layers"), this);
    m_use = new QPushButton(tr("Use Proposal"), this);
    m_use->setToolTip(tr("Add a rule for each layer and operator that stays in floating point"));
    connect(m_budget, &QDoubleSpinBox::editingFinished, this, [this] {
        if (!m_session) return;
        QuantChoices choices = m_session->choices();
        choices.leastSqnr = m_budget->value();
        m_session->setChoices(choices);
    });
    connect(m_scan, &QPushButton::clicked, this, [this] { m_session->scan(); });
    connect(m_use, &QPushButton::clicked, this, [this] { m_session->useProposal(); });
    return page({m_firstLoss, table, m_budget, line({m_scan, m_use}, this)}, this);
}

void QuantTables::setSession(QuantSession* session) {
    if (m_session) m_session->disconnect(this), m_session->document().release(this);
    m_session = session;
    if (session) {
        connect(session, &QuantSession::changed, this, &QuantTables::showAll);
        connect(session, &QuantSession::planChanged, this, &QuantTables::showAll);
        connect(session, &QuantSession::scanned, this, &QuantTables::showLayers);
        connect(&session->document().selection(), &NodeSelection::changed, this, &QuantTables::showRule);
    }
    showAll();
}

int QuantTables::currentRow(Tab tab) const {
    const QModelIndex current = m_tables[tab]->currentIndex();
    return current.isValid() ? current.data(QuantRowsModel::Row).toInt() : -1;
}

void QuantTables::setRule(const fx::quant::NodeRule& where, std::optional<std::string> qconfig) {
    QuantChoices choices = m_session->choices();
    choices.setRule(where, std::move(qconfig));
    m_session->setChoices(choices);
}

void QuantTables::excludeSelected() {
    if (!m_session || !m_session->plan()) return;
    QuantChoices choices = m_session->choices();
    for (const fx::NodeId node : m_session->document().selection().nodes())
        if (const auto rule = m_session->plan()->reach.find(node); rule != m_session->plan()->reach.end())
            choices.setRule(rule->second, std::string());
    m_session->setChoices(choices);
}

/// The nodes of the current row are selected in the graph.
void QuantTables::select(Tab tab) {
    if (tab == Rules) showRule();
    if (tab == Observers) showHistogram();
    const int row = currentRow(tab);
    if (row < 0 || !m_session || !m_tables[tab]->hasFocus()) return; // a row that the user chose, not a new model's
    const auto place = static_cast<std::size_t>(row);
    const QuantPlan* plan = m_session->plan();
    Document& document = m_session->document();
    const bool current = plan && plan->version == document.module();
    if (tab == Rules && current && !plan->rules[place].nodes.empty())
        document.selection().goTo(plan->rules[place].nodes, this);
    if (tab == Observers && current) {
        std::vector<fx::NodeId> ends = plan->observers[place].users;
        if (plan->observers[place].from != fx::kNoNode) ends.insert(ends.begin(), plan->observers[place].from);
        if (!ends.empty()) document.selection().goTo(ends, this);
    }
    if (tab == Layers && place < m_layerNodes.size() && m_layerNodes[place] != fx::kNoNode)
        document.selection().goTo(m_layerNodes[place], this);
}

void QuantTables::setRows(Tab tab, std::vector<std::vector<QuantRowsModel::Cell>> rows, QStringList keys) {
    const int before = currentRow(tab);
    const QString key = before >= 0 && before < m_keys[tab].size() ? m_keys[tab][before] : QString();
    m_keys[tab] = std::move(keys);
    m_models[tab]->setRows(std::move(rows));
    fitColumns(tab);
    const qsizetype row = key.isNull() ? -1 : m_keys[tab].indexOf(key);
    if (row < 0) return;
    const auto* sorted = static_cast<const QSortFilterProxyModel*>(m_tables[tab]->model());
    m_tables[tab]->selectRow(sorted->mapFromSource(m_models[tab]->index(int(row), 0)).row());
}

/// All columns are to be seen at once where there is room for it: those with the longest texts give way, and what tells
/// rows apart last.
void QuantTables::fitColumns(Tab tab) {
    constexpr int kLeast = 60, kNames = 120;
    static const std::vector<std::pair<int, int>> kGiveWay[] = {// column, and what it keeps
                                                                {{1, kLeast}, {2, kNames}, {3, kNames}},
                                                                {{3, kLeast}, {4, kLeast}, {1, kLeast}, {0, kNames}},
                                                                {{0, kNames}}};
    QTableView& table = *m_tables[tab];
    table.horizontalHeader()->setStretchLastSection(false); // its own width counts
    table.resizeColumnsToContents();
    for (const auto& [column, least] : kGiveWay[tab]) {
        const int over = table.horizontalHeader()->length() - table.viewport()->width();
        const int width = table.columnWidth(column);
        if (over > 0 && width > least) table.setColumnWidth(column, std::max(least, width - over));
    }
    table.horizontalHeader()->setStretchLastSection(true);
}

bool QuantTables::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize)
        for (const Tab tab : {Rules, Observers, Layers})
            if (m_tables[tab] && watched == m_tables[tab]->viewport()) fitColumns(tab);
    return QWidget::eventFilter(watched, event);
}

void QuantTables::show(Tab tab) { m_tabs->setCurrentIndex(tab); }

void QuantTables::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) showAll();
    QWidget::changeEvent(event);
}

QMenu* QuantTables::badgeMenu(fx::NodeId from, fx::NodeId to) {
    const QuantPlan* plan = m_session ? m_session->plan() : nullptr;
    if (!plan || !m_session->document().module()->lifted.empty()) return nullptr;
    auto* menu = new QMenu(this);
    const QuantPlan::Observer* observer = plan->on(from, to);
    if (!observer) {
        for (const auto& [node, rule] : plan->excluded)
            if (node == to)
                menu->addAction(tr("Quantise It Again"), this, [this, where = rule] { setRule(where, {}); });
        return menu;
    }
    if (observer->where) {
        const fx::quant::NodeRule where = *observer->where;
        menu->addAction(tr("Exclude %1").arg(observer->cause), this, [this, where] { setRule(where, std::string()); });
        addQConfigs(*menu->addMenu(tr("Change Observer")), where, observer->of);
        if (canReuseInput(*observer))
            menu->addAction(tr("Share the Input's Observer"), this,
                            [this, where] { setRule(where, std::string(kReuseInput)); });
        const auto& rules = m_session->choices().rules;
        if (std::any_of(rules.begin(), rules.end(), [&](const QuantRule& rule) { return rule.where == where; }))
            menu->addAction(tr("Remove Your Rule"), this, [this, where] { setRule(where, {}); });
    }
    menu->addAction(tr("Show in Panel"), this, [this, name = observer->name] {
        show(Observers);
        const auto& observers = m_session->plan()->observers;
        for (std::size_t row = 0; row < observers.size(); ++row)
            if (observers[row].name == name) {
                const auto* sorted = static_cast<QSortFilterProxyModel*>(m_tables[Observers]->model());
                m_tables[Observers]->setCurrentIndex(
                    sorted->mapFromSource(m_models[Observers]->index(static_cast<int>(row), 0)));
            }
    });
    return menu;
}

/// A layer has weights, which need an observer of their own.
bool QuantTables::canReuseInput(const QuantPlan::Observer& observer) const {
    const auto& layers = m_session->plan()->layers;
    const bool isLayer = std::find(layers.begin(), layers.end(), observer.cause.toStdString()) != layers.end();
    const auto* fitting = m_session->fitting(observer.of);
    return !isLayer && (!fitting || std::find(fitting->begin(), fitting->end(), kReuseInput) != fitting->end());
}

/// Those of the mode, once they are known those that the backend has kernels for.
void QuantTables::addQConfigs(QMenu& menu, const fx::quant::NodeRule& where, fx::NodeId node) {
    const auto* fitting = m_session->fitting(node);
    for (const std::string_view name : fitting ? *fitting : qconfigsOf(m_session->choices().mode))
        if (name != kReuseInput)
            menu.addAction(fromCore(name), this,
                           [this, where, qconfig = std::string(name)] { setRule(where, qconfig); });
}

} // namespace ui
