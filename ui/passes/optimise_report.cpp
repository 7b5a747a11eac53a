// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/optimise_report.h"

#include "ui/document/node_facts.h"
#include "ui/passes/pass_choices.h"
#include "ui/widgets/counted_text.h"
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
#include <optional>

namespace ui {

namespace {

double numberOf(const fx::Message& message, const char* name) { return fromCore(message.argument(name)).toDouble(); }

QString kernelText(const QString& kernel) {
    if (kernel == QLatin1String("onednn")) return QStringLiteral("oneDNN");
    if (kernel == QLatin1String("one_pass")) return QStringLiteral("one pass");
    return kernel == QLatin1String("mkl") ? QStringLiteral("MKL") : kernel;
}

} // namespace

namespace {

std::optional<OptimiseFacts::Whole> wholeOf(const fx::Message& what) {
    if (what.is("passes.onednn_whole")) return OptimiseFacts::Whole::Faster;
    if (what.is("passes.onednn_not_faster")) return OptimiseFacts::Whole::NotFaster;
    if (what.is("passes.onednn_few")) return OptimiseFacts::Whole::TooFew;
    return std::nullopt;
}

LayerReport::Outcome outcomeOf(const fx::Message& what) {
    for (const char* code : {"passes.onednn_fused", "passes.onednn_together", "passes.onednn_channels_last",
                             "passes.onednn_unmeasured", "passes.onednn_norm"})
        if (what.is(code)) return LayerReport::Outcome::Fused;
    if (what.is("passes.onednn_folded")) return LayerReport::Outcome::Folded;
    for (const char* code :
         {"passes.onednn_kernel", "passes.onednn_slower", "passes.onednn_folded_stays", "passes.onednn_layer_few",
          "passes.onednn_layer_noise", "passes.onednn_stays", "passes.onednn_norm_stays"})
        if (what.is(code)) return LayerReport::Outcome::Unused;
    return LayerReport::Outcome::Refused;
}

QString factorText(double factor, double low, double high) {
    return OptimiseReport::tr("%1× (%2 to %3)")
        .arg(QString::number(factor, 'f', 2), QString::number(low, 'f', 2), QString::number(high, 'f', 2));
}

/// In few words, for a cell; empty: there is nothing to explain.
QString whyOf(const fx::Message& what, const LayerReport& layer) {
    if (what.is("passes.onednn_channels_last")) return OptimiseReport::tr("what follows is faster");
    if (what.is("passes.onednn_together")) return OptimiseReport::tr("faster with other layers");
    if (what.is("passes.onednn_kernel"))
        return OptimiseReport::tr("not shown to be faster, %1").arg(factorText(layer.factor, layer.low, layer.high));
    if (what.is("passes.onednn_slower"))
        return OptimiseReport::tr("slower, %1").arg(factorText(layer.factor, layer.low, layer.high));
    if (what.is("passes.onednn_layer_noise"))
        return OptimiseReport::tr("too noisy to tell, %1").arg(factorText(layer.factor, layer.low, layer.high));
    if (what.is("passes.onednn_layer_few"))
        return counted(fromCore(what.argument("count")).toLongLong(),
                       OptimiseReport::tr("measured only once in the time given"),
                       OptimiseReport::tr("measured only %1 times in the time given"));
    if (what.is("passes.onednn_stays") || what.is("passes.onednn_norm_stays") || what.is("passes.onednn_folded_stays"))
        return OptimiseReport::tr("the whole model is not shown to be faster");
    const bool isDone = layer.outcome == LayerReport::Outcome::Fused || layer.outcome == LayerReport::Outcome::Folded;
    return isDone ? QString() : linesFromCore(what.text());
}

LayerReport layerReport(const fx::Warning& note) {
    const fx::Message& what = note.what;
    LayerReport layer;
    layer.outcome = outcomeOf(what);
    layer.node = note.node;
    const std::string nodes = what.argument("nodes");
    layer.layer = fromCore(nodes.empty() ? note.node : nodes);
    layer.kernel = kernelText(fromCore(what.argument("kernel")));
    layer.plainMs = numberOf(what, "plain"), layer.ms = numberOf(what, "millis");
    layer.factor = numberOf(what, "factor"), layer.low = numberOf(what, "low"), layer.high = numberOf(what, "high");
    layer.why = whyOf(what, layer);
    return layer;
}

/// One sentence for each.
QString doubtsText(const fx::Warnings& warnings) {
    QStringList sentences;
    for (const fx::Warning& each : warnings) {
        QString text = linesFromCore(each.what.text());
        if (!text.isEmpty()) text[0] = text[0].toUpper();
        sentences << text + u'.';
    }
    return sentences.join(u' ');
}

} // namespace

OptimiseFacts optimiseFacts(const fx::Warnings& notes) {
    OptimiseFacts facts;
    for (const fx::Warning& note : notes) {
        const fx::Message& what = note.what;
        const auto whole = wholeOf(what);
        if (!whole) {
            facts.layers.push_back(layerReport(note));
            continue;
        }
        facts.whole = *whole, facts.rounds = fromCore(what.argument("count")).toInt();
        facts.beforeMs = numberOf(what, "before"), facts.afterMs = numberOf(what, "after");
        facts.factor = numberOf(what, "factor");
        facts.low = numberOf(what, "low"), facts.high = numberOf(what, "high");
    }
    return facts;
}

QString wholeText(const OptimiseFacts& facts) {
    const QString after = QString::number(facts.afterMs, 'g', 3), before = QString::number(facts.beforeMs, 'g', 3),
                  factor = factorText(facts.factor, facts.low, facts.high);
    switch (facts.whole) {
    case OptimiseFacts::Whole::Faster:
        return OptimiseReport::tr(
                   "The model takes %1\u00a0ms instead of %2\u00a0ms. Speed with its 95\u00a0% interval: "
                   "%3.")
            .arg(after, before, factor);
    case OptimiseFacts::Whole::NotFaster:
        return OptimiseReport::tr(
                   "The whole model is not shown to be faster, so it stays as it is: %1\u00a0ms instead of "
                   "%2\u00a0ms. Speed with its 95\u00a0% interval: %3.")
            .arg(after, before, factor);
    case OptimiseFacts::Whole::TooFew:
        return counted(qint64(facts.rounds),
                       OptimiseReport::tr("The model was measured only once in the time given, which shows nothing"),
                       OptimiseReport::tr("The model was measured only %1 times in the time given, which shows "
                                          "nothing")) +
               OptimiseReport::tr(", so it stays as it is. To fuse every layer, run the pass onednn with Measure off.");
    case OptimiseFacts::Whole::NotMeasured: break;
    }
    return OptimiseReport::tr("No layer of this model is shown to be faster here.");
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
            if (layer.outcome == LayerReport::Outcome::Folded) return tr("normalisation folded into the weights");
            if (layer.outcome != LayerReport::Outcome::Fused) return tr("not fused: %1").arg(layer.why);
            if (!layer.why.isEmpty()) return tr("fused: %1").arg(layer.why);
            return layer.factor > 0 ? tr("fused, %1").arg(factorText(layer.factor, layer.low, layer.high))
                                    : tr("fused");
        }
    if (role == Qt::ToolTipRole)
        return plainToolTip(index.column() == Layer || layer.why.isEmpty() ? layer.layer : layer.why);
    if (role == Qt::FontRole && index.column() == Layer) return monoFont();
    if (role == Qt::ForegroundRole && index.column() == Outcome)
        return layer.outcome == LayerReport::Outcome::Fused || layer.outcome == LayerReport::Outcome::Folded
                   ? theme().ok.line
                   : theme().muted;
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

OptimiseReport::OptimiseReport(const QString& title, const fx::PassReport& report, const fx::Warnings& warnings,
                               QWidget* parent)
    : QDialog(parent, Qt::Window), m_table(new QTableView(this)), m_count(new WrappedLabel(this)),
      m_whole(new WrappedLabel(this)), m_doubts(new WrappedLabel(this)),
      m_before(new QPushButton(tr("Heat Map Before"), this)), m_after(new QPushButton(tr("Heat Map After"), this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    OptimiseFacts facts = optimiseFacts(report.notes);
    const auto count = [&facts](LayerReport::Outcome outcome) {
        return std::count_if(facts.layers.begin(), facts.layers.end(),
                             [outcome](const LayerReport& layer) { return layer.outcome == outcome; });
    };
    const auto fused = count(LayerReport::Outcome::Fused), folded = count(LayerReport::Outcome::Folded);
    const bool isOptimised = fused + folded > 0 && facts.whole != OptimiseFacts::Whole::NotFaster;
    setWindowTitle((isOptimised ? tr("Optimised for This CPU: %1") : tr("Not Optimised for This CPU: %1")).arg(title));
    m_count->setText(
        (fused > 0 ? counted(qint64(fused), tr("1 layer fused"), tr("%1 layers fused")) : tr("No layer fused")) +
        (folded > 0 ? counted(qint64(folded), tr(", 1 normalisation folded"), tr(", %1 normalisations folded"))
                    : QString()) +
        tr(", %1 unchanged").arg(static_cast<qsizetype>(facts.layers.size()) - fused - folded));
    m_count->setProperty("role", "heading");
    m_whole->setTextFormat(Qt::PlainText);
    m_whole->setText(wholeText(facts));
    setRole(*m_whole, facts.whole == OptimiseFacts::Whole::Faster ? "ok" : "neutral");
    m_doubts->setTextFormat(Qt::PlainText);
    m_doubts->setText(doubtsText(warnings));
    setRole(*m_doubts, "warning");
    m_doubts->setVisible(!warnings.empty());
    auto* model = new LayerReportModel(std::move(facts.layers), this);
    m_table->setModel(model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTextElideMode(Qt::ElideMiddle); // names differ at their ends
    m_table->verticalHeader()->hide();
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
    column->addWidget(m_count);
    column->addWidget(m_whole);
    column->addWidget(m_doubts);
    column->addWidget(m_table, 1);
    column->addWidget(buttons);
}

/// Titles, numbers and outcomes are not cut, unless the window would be very wide; names of layers are.
void OptimiseReport::fitColumns() {
    constexpr int kLayer = 360, kBeside = 16, kLeast = 700, kMost = 1150, kHeight = 520, kFrame = 60; // px
    m_table->ensurePolished();
    m_table->horizontalHeader()->ensurePolished();
    m_table->horizontalHeader()->setStretchLastSection(false); // its own width counts
    m_table->resizeColumnsToContents();
    m_table->setColumnWidth(LayerReportModel::Layer, std::min(m_table->columnWidth(LayerReportModel::Layer), kLayer));
    for (const int column : {LayerReportModel::Kernel, LayerReportModel::Before, LayerReportModel::After})
        m_table->setColumnWidth(column, m_table->columnWidth(column) + kBeside);
    resize(std::clamp(m_table->horizontalHeader()->length() + kFrame, kLeast, kMost), kHeight);
    m_table->setColumnWidth(LayerReportModel::Outcome, kBeside); // what is left, and not more
    m_table->horizontalHeader()->setStretchLastSection(true);
}

} // namespace ui
