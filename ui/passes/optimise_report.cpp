// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/optimise_report.h"

#include "ui/document/node_facts.h"
#include "ui/passes/pass_choices.h"
#include "ui/widgets/counted.h"
#include "ui/widgets/role.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLocale>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

double numberOf(const fx::Message& message, const char* name) { return fromCore(message.argument(name)).toDouble(); }

QString kernelText(const QString& kernel) {
    if (kernel == QLatin1String("onednn")) return QStringLiteral("oneDNN");
    if (kernel == QLatin1String("one_pass")) return QStringLiteral("one pass");
    return kernel == QLatin1String("mkl") ? QStringLiteral("MKL") : kernel;
}

} // namespace

OptimiseFacts optimiseFacts(const fx::Warnings& notes) {
    OptimiseFacts facts;
    for (const fx::Warning& note : notes) {
        const fx::Message& what = note.what;
        if (what.is("passes.onednn_whole") || what.is("passes.onednn_slower")) {
            facts.whole = fromCore(what.text());
            facts.isFaster = what.is("passes.onednn_whole");
            facts.beforeMs = numberOf(what, "before"), facts.afterMs = numberOf(what, "after");
            facts.factor = numberOf(what, "factor");
            facts.low = numberOf(what, "low"), facts.high = numberOf(what, "high");
            continue;
        }
        LayerReport layer;
        layer.node = note.node;
        layer.layer = fromCore(note.node);
        layer.kernel = kernelText(fromCore(what.argument("kernel")));
        layer.plainMs = numberOf(what, "plain"), layer.ms = numberOf(what, "millis");
        const bool forLayout = what.is("passes.onednn_channels_last");
        if (forLayout || what.is("passes.onednn_fused") || what.is("passes.onednn_unmeasured") ||
            what.is("passes.onednn_norm")) {
            layer.layer = fromCore(what.argument("nodes"));
            if (forLayout) layer.why = fromCore(what.text());
        } else {
            layer.outcome =
                what.is("passes.onednn_kernel") ? LayerReport::Outcome::Slower : LayerReport::Outcome::Refused;
            layer.why = fromCore(what.text());
        }
        facts.layers.push_back(std::move(layer));
    }
    return facts;
}

LayerReportModel::LayerReportModel(std::vector<LayerReport> layers, QObject* parent)
    : QAbstractTableModel(parent), m_layers(std::move(layers)) {
    std::stable_sort(m_layers.begin(), m_layers.end(),
                     [](const LayerReport& a, const LayerReport& b) { return a.plainMs - a.ms > b.plainMs - b.ms; });
}

QVariant LayerReportModel::data(const QModelIndex& index, int role) const {
    const LayerReport& layer = at(index.row());
    const auto ms = [](double value) { // three digits, also where the last one is a zero
        const int places = value < 0.1 ? 4 : value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
        return value > 0 ? QLocale().toString(value, 'f', places) : QStringLiteral("–");
    };
    if (role == Qt::DisplayRole) switch (index.column()) {
        case Layer: return layer.layer;
        case Kernel: return layer.kernel;
        case Before: return ms(layer.plainMs);
        case After: return ms(layer.ms);
        case Outcome:
            if (layer.outcome != LayerReport::Outcome::Fused) return tr("not fused: %1").arg(layer.why);
            return layer.ms > 0 ? tr("fused, %1×").arg(layer.plainMs / layer.ms, 0, 'f', 2) : tr("fused");
        }
    if (role == Qt::ToolTipRole)
        return plainToolTip(index.column() == Layer || layer.why.isEmpty() ? layer.layer : layer.why);
    if (role == Qt::FontRole && index.column() == Layer) return monoFont();
    if (role == Qt::ForegroundRole && index.column() == Outcome)
        return layer.outcome == LayerReport::Outcome::Fused ? theme().ok.line : theme().muted;
    if (role == Qt::TextAlignmentRole && (index.column() == Before || index.column() == After))
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant LayerReportModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == Before || section == After ? Qt::AlignRight : Qt::AlignLeft) |
                                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const QString names[] = {tr("Layer"), tr("Kernel"), tr("Before, ms"), tr("Fused, ms"), tr("Outcome")};
    return names[section];
}

OptimiseReport::OptimiseReport(const QString& title, const fx::PassReport& report, QWidget* parent)
    : QDialog(parent, Qt::Window), m_table(new QTableView(this)), m_whole(new WrappedLabel(this)),
      m_before(new QPushButton(tr("Heat Map Before"), this)), m_after(new QPushButton(tr("Heat Map After"), this)) {
    setWindowTitle(tr("Optimised for This CPU: %1").arg(title));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(900, 520);
    OptimiseFacts facts = optimiseFacts(report.notes);
    const auto fused = std::count_if(facts.layers.begin(), facts.layers.end(), [](const LayerReport& layer) {
        return layer.outcome == LayerReport::Outcome::Fused;
    });
    auto* count =
        new WrappedLabel(this, counted(qint64(fused), tr("1 layer fused"), tr("%1 layers fused")) +
                                   tr(", %1 unchanged").arg(static_cast<qsizetype>(facts.layers.size()) - fused));
    count->setProperty("role", "heading");
    m_whole->setTextFormat(Qt::PlainText);
    m_whole->setText(facts.factor > 0
                         ? tr("The model takes %1\u00a0ms instead of %2\u00a0ms: %3× as fast (%4 to %5).")
                               .arg(QString::number(facts.afterMs, 'g', 4), QString::number(facts.beforeMs, 'g', 4),
                                    QString::number(facts.factor, 'f', 2), QString::number(facts.low, 'f', 2),
                                    QString::number(facts.high, 'f', 2))
                     : facts.whole.isEmpty() ? tr("No layer of this model can be made faster here.")
                                             : facts.whole);
    setRole(*m_whole, facts.isFaster ? "ok" : "neutral");
    auto* model = new LayerReportModel(std::move(facts.layers), this);
    m_table->setModel(model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTextElideMode(Qt::ElideMiddle); // names differ at their ends
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setAccessibleName(tr("Layers"));
    fitColumns();
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, model](const QModelIndex& row) {
                if (row.isValid()) Q_EMIT nodeChosen(model->at(row.row()).node);
            });
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_before, QDialogButtonBox::ActionRole);
    buttons->addButton(m_after, QDialogButtonBox::ActionRole);
    for (QPushButton* button : {m_before, m_after}) button->setVisible(report.changed);
    connect(m_before, &QPushButton::clicked, this, [this] { Q_EMIT heatRequested(false); });
    connect(m_after, &QPushButton::clicked, this, [this] { Q_EMIT heatRequested(true); });
    for (QPushButton* button : {m_before, m_after}) button->setAutoDefault(false);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->setSpacing(8);
    column->addWidget(count);
    column->addWidget(m_whole);
    column->addWidget(m_table, 1);
    column->addWidget(buttons);
}

/// Titles and numbers are never cut; names of layers have what the outcome does not need.
void OptimiseReport::fitColumns() {
    constexpr int kLayer = 360, kBeside = 16; // px
    m_table->ensurePolished();
    m_table->horizontalHeader()->ensurePolished();
    m_table->resizeColumnsToContents();
    m_table->setColumnWidth(LayerReportModel::Layer, std::min(m_table->columnWidth(LayerReportModel::Layer), kLayer));
    for (const int column : {LayerReportModel::Kernel, LayerReportModel::Before, LayerReportModel::After})
        m_table->setColumnWidth(column, m_table->columnWidth(column) + kBeside);
}

} // namespace ui
