// SPDX-License-Identifier: GPL-3.0-or-later
// QuantTables: what the rows say.
#include "ui/document/node_facts.h"
#include "ui/quant/observer_histogram.h"
#include "ui/quant/quant_rows_model.h"
#include "ui/quant/quant_tables.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/role.h"
#include "ui/widgets/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>
#include <unordered_map>

namespace ui {

namespace {

constexpr double kLoses = 20; ///< dB: below, a layer loses what matters

using Cell = QuantRowsModel::Cell;

/// "Embedding" of torch.nn.modules.sparse.Embedding: the panel is narrow.
QString shortKey(const QuantPlan::Rule& rule) {
    if (rule.key.isEmpty()) return QuantTables::tr("all");
    const bool isType = rule.where.kind == fx::quant::RuleKind::ObjectType;
    return elided((isType ? rule.key.section(u'.', -1) : rule.key).toStdString(), 80);
}

/// "default_dynamic" of default_dynamic_qconfig.
QString shortName(const QString& qconfig) {
    const QLatin1String ending("_qconfig");
    return qconfig.endsWith(ending) ? qconfig.chopped(ending.size()) : qconfig;
}

QString cut(const QString& text) { return elided(text.toStdString(), 80); }

/// A layer in the table: of the comparison, of the scan, or both.
struct LayerRow {
    std::string layer;
    const fx::remote::LayerError* error = nullptr;
    const fx::quant::LayerSensitivity* alone = nullptr;
};

/// In graph order; those that only the scan knows come last.
std::vector<LayerRow> layerRows(const fx::remote::LayerErrors* errors, const fx::quant::SensitivityScan& scan) {
    std::vector<LayerRow> rows;
    std::unordered_map<std::string, std::size_t> byNode;
    if (errors)
        for (const fx::remote::LayerError& error : errors->layers) {
            byNode.emplace(error.node, rows.size());
            rows.push_back({error.layer, &error, nullptr});
        }
    for (const fx::quant::LayerSensitivity& alone : scan.done) {
        const auto known = byNode.find(alone.layer);
        if (known == byNode.end()) rows.push_back({alone.layer, nullptr, &alone});
        else rows[known->second].alone = &alone;
    }
    return rows;
}

/// `shown`: the node of the version that is shown, or null. Like a comparison, a scan names modules by their paths.
std::vector<Cell> layerCells(const LayerRow& row, const fx::Node* shown, const QuantMeasured* measured) {
    const bool isModule = !row.error && shown && shown->op() == fx::Op::CallModule;
    const QString layer = QString::fromStdString(isModule ? shown->target() : row.layer);
    std::vector<Cell> cells{
        {cut(visible(layer)), {}, visible(layer), {}}, {{}, 1e9}, {{}, -1.0}, {{}, 1e9}, {{}, -1}, {{}, -1}};
    if (row.error) {
        const double sqnr = row.error->sqnr();
        cells[1] = {decibelText(sqnr), sqnr, {}, rampColor(theme(), Ramp::Errors, QuantMarks::placeOf(sqnr))};
        cells[2] = {QString::number(row.error->maxError, 'g', 3), row.error->maxError};
    }
    if (row.alone) {
        const QString tip = QuantTables::tr("the output, if only this layer is quantised");
        cells[3] = {decibelText(row.alone->sqnr()), row.alone->sqnr(), tip, {}};
    }
    if (!measured) return cells;
    const auto bytes = measured->layerBytes.find(row.layer);
    if (bytes == measured->layerBytes.end()) return cells;
    cells[4] = {byteText(bytes->second.first), static_cast<qlonglong>(bytes->second.first)};
    cells[5] = {byteText(bytes->second.second), static_cast<qlonglong>(bytes->second.second)};
    return cells;
}

/// A node can have an observer at each input and at its output, so there may be more places than nodes.
QString observersToolTip(const QuantPlan* plan) {
    if (!plan) return {};
    const auto shared = std::count_if(plan->observers.begin(), plan->observers.end(),
                                      [](const QuantPlan::Observer& each) { return !each.sharedWith.isEmpty(); });
    const auto places = static_cast<std::ptrdiff_t>(plan->observers.size());
    return QuantTables::tr("%1 at %2: inputs and outputs of nodes")
        .arg(counted(qint64(places - shared), QuantTables::tr("1 observer"), QuantTables::tr("%1 observers")),
             counted(qint64(places), QuantTables::tr("1 place"), QuantTables::tr("%1 places")));
}
} // namespace

void QuantTables::showAll() {
    const bool ready = m_session && m_session->document().state() == Document::State::Ready;
    setVisible(ready);
    m_marks.clear();
    if (!ready) return Q_EMIT marksChanged();
    const QuantPlan* plan = m_session->plan();
    const QuantMeasured* measured = m_session->measured();
    const auto& version = m_session->document().module();
    m_warning->setVisible(plan && !plan->warning.isEmpty());
    m_warning->setText(plan ? plan->warning : QString());
    showRules(), showObservers(), showLayers();
    const QuantPlan* shown = m_session->shownPlan();
    m_tabs->setTabText(Rules, shown ? tr("Rules (%1)").arg(shown->rules.size()) : tr("Rules"));
    m_tabs->setTabText(Observers, shown ? tr("Observers (%1)").arg(shown->observers.size()) : tr("Observers"));
    m_tabs->setTabToolTip(Observers, observersToolTip(shown));
    m_marks.make(*version, plan && plan->version == version ? plan : nullptr,
                 measured && measured->errors && measured->after == version ? &*measured->errors : nullptr);
    Q_EMIT marksChanged();
}

void QuantTables::showRules() {
    std::vector<std::vector<Cell>> rows;
    QStringList keys;
    for (const QuantPlan::Rule& rule : m_session->rules()) {
        keys << rule.kind + u' ' + rule.key + (rule.isOwn ? u'+' : u'-');
        const auto count = static_cast<qlonglong>(rule.nodes.size());
        const QString whose = rule.isOwn ? tr("your rule") : tr("rule of the backend and mode");
        rows.push_back({{QString::number(count), count, count == 0 ? tr("This rule hits no node") : QString(), {}},
                        {rule.isOwn ? tr("yours: %1").arg(rule.kind) : rule.kind, {}, whose, {}},
                        {shortKey(rule), {}, rule.key, {}},
                        {shortName(rule.qconfig), {}, rule.qconfig, {}}});
    }
    setRows(Rules, std::move(rows), std::move(keys));
    showRule();
}

const QuantPlan::Rule* QuantTables::currentRule() const {
    const int row = currentRow(Rules);
    if (row < 0 || !m_session || static_cast<std::size_t>(row) >= m_session->rules().size()) return nullptr;
    return &m_session->rules()[static_cast<std::size_t>(row)];
}

/// What the rule can have: the QConfigs of the mode, and the one that it has.
void QuantTables::showQConfigs(const QuantPlan::Rule* rule) {
    m_qconfig->clear();
    if (!rule) return;
    m_qconfig->addItem(tr("not quantised"), QString());
    for (const std::string_view name : qconfigsOf(m_session->choices().mode))
        m_qconfig->addItem(fromCore(name), fromCore(name));
    if (m_qconfig->findText(rule->qconfig) < 0) m_qconfig->addItem(rule->qconfig);
    m_qconfig->setCurrentIndex(m_qconfig->findText(rule->qconfig));
}

void QuantTables::showRule() {
    if (!m_session) return;
    const QuantPlan::Rule* rule = currentRule();
    const bool canChange = m_session->canChangeRules();
    m_qconfig->setEnabled(rule && canChange);
    m_remove->setEnabled(rule && rule->isOwn && canChange);
    for (const bool redo : {false, true}) stepsRules(redo)->setEnabled(m_session->canStepRules(redo));
    showQConfigs(rule);
    const auto& selected = m_session->document().selection().nodes();
    const QuantPlan* plan = m_session->plan();
    m_exclude->setEnabled(plan && canChange && std::any_of(selected.begin(), selected.end(), [&](fx::NodeId node) {
                              return plan->reach.contains(node);
                          }));
}

void QuantTables::showObservers() {
    std::vector<std::vector<Cell>> rows;
    QStringList keys;
    const QuantMeasured* measured = m_session->measured();
    if (const QuantPlan* plan = m_session->shownPlan())
        for (const QuantPlan::Observer& each : plan->observers) {
            const auto* seen =
                measured ? measured->observer(each.sharedWith.isEmpty() ? each.name : each.sharedWith) : nullptr;
            const bool known = seen && seen->values > 0 && seen->scale;
            const double share = known ? 100 * seen->saturatedShare() : -1;
            keys << each.observed + u' ' + each.role + u' ' + each.cause; // their names are numbers, which change
            rows.push_back({{cut(each.observed), {}, each.name, {}},
                            {each.type, {}, {}, {}},
                            {each.dtype, {}, {}, {}},
                            {cut(each.role + u' ' + each.cause), {}, tr("pattern: %1").arg(each.pattern), {}},
                            {cut(each.rule), {}, each.rule, {}},
                            {each.sharedWith, {}, {}, {}},
                            {known ? tr("%1\u00a0%").arg(share, 0, 'g', 2) : QString(), share, {}, {}}});
        }
    setRows(Observers, std::move(rows), std::move(keys));
    showHistogram();
}

void QuantTables::showHistogram() {
    const QuantPlan* plan = m_session ? m_session->shownPlan() : nullptr;
    const QuantMeasured* measured = m_session ? m_session->measured() : nullptr;
    m_histogram->setObserver(nullptr);
    m_histogramTitle->setText(measured                   ? tr("Choose an observer to see what it saw.")
                              : m_session->isQuantised() ? tr("What observers saw is not kept for this version.")
                                                         : tr("Quantise the model to see what observers see."));
    if (!plan || !measured || plan->observers.empty()) return;
    const auto& each = plan->observers[static_cast<std::size_t>(std::max(currentRow(Observers), 0))];
    m_histogramTitle->setText(tr("%1 of %2").arg(each.name, each.observed));
    m_histogram->setObserver(measured->observer(each.sharedWith.isEmpty() ? each.name : each.sharedWith));
}

void QuantTables::showLayers() {
    const QuantMeasured* measured = m_session->measured();
    const auto* errors = measured && measured->errors ? &*measured->errors : nullptr;
    const fx::Graph& graph = m_session->document().module()->graph;
    std::vector<std::vector<Cell>> rows;
    QStringList keys;
    m_layerNodes.clear();
    for (const LayerRow& row : layerRows(errors, m_session->sensitivity())) {
        const fx::NodeId node = graph.find(row.error ? row.error->node : row.alone->layer);
        keys << QString::fromStdString(row.error ? row.error->node : row.alone->layer);
        m_layerNodes.push_back(node != fx::kNoNode || !row.error ? node : graph.find(row.error->original));
        rows.push_back(layerCells(row, node == fx::kNoNode ? nullptr : &graph.node(node), measured));
    }
    for (int column = 1; column < m_models[Layers]->columnCount(); ++column) // a scan fills one, a comparison others
        m_tables[Layers]->setColumnHidden(column,
                                          !rows.empty() && std::all_of(rows.begin(), rows.end(), [&](auto& row) {
                                              return row[static_cast<std::size_t>(column)].text.isEmpty();
                                          }));
    setRows(Layers, std::move(rows), std::move(keys));
    showFirstLoss(errors);
    showScan();
}

void QuantTables::showFirstLoss(const fx::remote::LayerErrors* errors) {
    const fx::remote::LayerError* loses = errors ? errors->firstBelow(kLoses) : nullptr;
    m_firstLoss->setText(
        loses ? tr("First layer below %1 dB: %2 (%3)")
                    .arg(QString::number(kLoses), cut(fromCore(loses->layer)), decibelText(loses->sqnr()))
        : errors ? tr("No layer is below %1 dB. Output: %2.")
                       .arg(QString::number(kLoses), decibelText(errors->output.sqnr()))
        : m_session->isQuantised() && !m_session->isMeasuredOther()
            ? tr("This version is quantised; no measurements of it are kept. Quantise the model in floating point to "
                 "compare its layers.")
        : !m_session->sensitivity().done.empty()
            ? tr("The costs of single layers are for this version. Quantise it to measure all layers together.")
        : m_session->isMeasuredAfter()
            ? tr("The last results are of the quantised version of this one. Redo to see them, or quantise it again.")
        : m_session->isMeasuredOther()
            ? tr("The last results are of another version, other settings or other data. Quantise the model again.")
            : tr("Quantise the model to compare its layers, or scan what each layer costs alone."));
    setRole(*m_firstLoss, loses ? "warning" : "muted");
}

void QuantTables::showScan() {
    const QString why = m_session->whyNoScan();
    const auto done = m_session->sensitivity().done.size();
    const bool isWhole = done > 0 && m_session->plan() && m_session->unscanned() == 0;
    const QString what = isWhole    ? tr("Propose which of the layers to quantise for this error budget")
                         : done > 0 ? counted(done, tr("Continue after 1 layer, then propose which to quantise"),
                                              tr("Continue after %1 layers, then propose which to quantise"))
                                    : tr("Quantise one layer at a time, then propose which to quantise");
    m_scan->setEnabled(why.isEmpty());
    m_scan->setText(isWhole ? tr("Propose Layers") : done > 0 ? tr("Resume Scan") : tr("Scan Layers"));
    m_scan->setToolTip(plainToolTip(why.isEmpty() ? what : why));
    const auto& scan = m_session->proposal();
    const bool hasRules = scan && scan->proposal && !scan->proposal->quantised.empty() &&
                          !(scan->proposal->kept.empty() && scan->operators.empty());
    m_use->setEnabled(hasRules && !m_session->isBusy());
    m_budget->setEnabled(!m_session->isBusy());
    if (!m_budget->hasFocus()) m_budget->setValue(m_session->choices().leastSqnr);
}

} // namespace ui
