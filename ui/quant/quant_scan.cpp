// SPDX-License-Identifier: GPL-3.0-or-later
// QuantSession: the plan of a version, and the scan of its layers.
#include "core/edit/quantised_of.h"
#include "core/quant/pt2e/prepare_pt2e.h"
#include "core/quant/quantised_part.h"
#include "ui/document/node_facts.h"
#include "ui/quant/quant_marks.h"
#include "ui/quant/quant_session.h"
#include "ui/widgets/counted_text.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QFileInfo>
#include <QJsonDocument>

#include <algorithm>

namespace ui {

void QuantSession::setWatched(bool watched) {
    if (std::exchange(m_watched, watched) != watched) findPlan();
}

void QuantSession::findPlan() {
    m_planning.cancel(), m_fittingTask.cancel();
    m_fits.clear(), m_isQuantised = false;
    m_proposal.reset();
    if (!m_watched || document().state() != Document::State::Ready) {
        m_plan = {}, m_noPlan.clear();
        return Q_EMIT planChanged();
    }
    m_planning.start([version = document().module(),
                      choices = m_choices](const fx::Progress&) { return quantPlan(version, choices); },
                     this,
                     [this](QuantPlan plan) {
                         m_plan = std::move(plan), m_noPlan.clear();
                         restoreScan();
                         Q_EMIT planChanged();
                         findFits();
                     },
                     [this](const fx::Error& error) {
                         m_plan = {}, m_noPlan = elidedLines(error.what(), 300);
                         m_noPlan = m_noPlan.left(1).toUpper() + m_noPlan.mid(1);
                         m_isQuantised = error.message().is("quant.already_quantised");
                         if (m_isQuantised)
                             m_noPlan += madeWith().isEmpty() ? tr(". Open the model in floating point")
                                                              : tr(". Undo the quantisation to quantise it again");
                         m_plan.rules = ownRules(m_choices);
                         if (m_isQuantised) restoreMeasured();
                         Q_EMIT planChanged();
                     });
}

void QuantSession::findFits() {
    m_fittingTask.start([version = m_plan.version, choices = m_choices](
                            const fx::Progress& progress) { return quantFits(*version, choices, progress); },
                        this, [this](QuantFits fits) { m_fits = std::move(fits); });
}

const std::vector<std::string_view>* QuantSession::fitting(fx::NodeId node) const {
    const auto known = m_fits.find(node);
    return known == m_fits.end() ? nullptr : &known->second;
}

const QuantPlan* QuantSession::shownPlan() const {
    if (m_plan.version) return &m_plan;
    const bool isMeasured = m_measured && m_measuredPlan.version && m_measured->after == document().module();
    return isMeasured ? &m_measuredPlan : nullptr;
}

bool QuantSession::canChangeRules() const {
    return document().state() == Document::State::Ready && !isBusy() && document().module()->lifted.empty() &&
           (m_plan.version || !shownPlan());
}

const QuantMeasured* QuantSession::measured() const {
    if (!m_measured || m_measured->after != document().module()) return nullptr;
    if (measuring(m_measured->choices) != measuring(m_choices)) return nullptr;
    const bool isDrawn = m_choices.dataFile.isEmpty() && !m_measured->inputs.empty();
    return isDrawn && m_measured->inputs != fx::inputsJson(m_run.inputs()) ? nullptr : &*m_measured;
}

QuantChoices QuantSession::measuring(QuantChoices choices) {
    choices.leastSqnr = QuantChoices().leastSqnr;
    return choices;
}

/// The form does not change what a layer costs, nor do rules that leave others out, nor inputs that are not drawn.
QString QuantSession::scanKey() const {
    QuantChoices choices = measuring(m_choices);
    choices.form = QuantChoices().form;
    std::erase_if(choices.rules, [](const QuantRule& rule) { return rule.qconfig.empty(); });
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QJsonDocument(choices.toJson()).toJson(QJsonDocument::Compact));
    if (choices.dataFile.isEmpty()) {
        hash.addData(QByteArray::fromStdString(fx::inputsJson(m_run.inputs())));
    } else {
        const QFileInfo data(choices.dataFile); // with other batches it gives other numbers
        hash.addData(QByteArray::number(data.size()) + ' ' +
                     QByteArray::number(data.lastModified().toMSecsSinceEpoch()));
    }
    if (m_plan.version) hash.addData(QByteArray::fromStdString(fx::quantisedOf(*m_plan.version)));
    return QString::fromLatin1(hash.result().toHex());
}

/// Layers that are left out by now keep what they were measured to cost.
void QuantSession::keepScan() {
    const fx::quant::SensitivityScan scan = m_scanning->get();
    if (std::exchange(m_scanned, scan.done.size()) == scan.done.size()) return;
    fx::quant::SensitivityScan all = keptScan(m_scanningKey);
    for (const fx::quant::LayerSensitivity& layer : scan.done)
        if (!all.has(layer.layer)) all.done.push_back(layer);
    keepScan(m_scanningKey, all);
    if (!m_plan.version || scanKey() != m_scanningKey) return;
    m_scan = std::move(all);
    Q_EMIT scanned();
}

void QuantSession::endScan() {
    if (!m_scanning) return;
    keepScan();
    m_scanning.reset();
    Q_EMIT planChanged();
}

fx::quant::SensitivityScan QuantSession::scannedOfPlan() const {
    fx::quant::SensitivityScan scan;
    for (const std::string& layer : m_plan.layers)
        for (const fx::quant::LayerSensitivity& each : m_scan.done)
            if (each.layer == layer) scan.done.push_back(each);
    return scan;
}

std::size_t QuantSession::unscanned() const {
    return static_cast<std::size_t>(std::count_if(m_plan.layers.begin(), m_plan.layers.end(),
                                                  [&](const std::string& layer) { return !m_scan.has(layer); }));
}

QString QuantSession::whyNoScan() const {
    if (document().state() != Document::State::Ready) return tr("No model is open");
    if (isBusy()) return tr("The model is being quantised");
    if (!document().module()->lifted.empty()) return tr("The layers of an exported program cannot be scanned");
    if (m_choices.mode == fx::quant::Mode::Qat) return tr("A model for training is not scanned");
    if (!m_plan.version) return m_noPlan.isEmpty() ? tr("The rules are being applied") : m_noPlan;
    if (m_choices.dataFile.isEmpty() && !inputs()) return tr("Random inputs need shapes: %1").arg(m_run.missing());
    return {};
}

void QuantSession::scan() {
    if (!whyNoScan().isEmpty() || document().operations().isRunning(DocumentOperations::Kind::Edit)) return;
    m_proposal.reset();
    const fx::quant::SensitivityScan known = scannedOfPlan();
    m_scanning = std::make_shared<QuantScanProgress>();
    m_scanning->put(known);
    m_scanningKey = scanKey(), m_scanned = known.done.size();
    m_pace = fx::quant::ScanPace(m_plan.layers.size(), known.done.size());
    begin<fx::remote::LayerScan>(
        tr("Scanning the layers of %1").arg(document().file().title()),
        [version = document().module(), choices = m_choices, inputs = inputs().value_or(fx::InputDescription()),
         progress = m_scanning](const WorkerCall& call) {
            return scanVersion(call, version, choices, inputs, *progress);
        },
        [this, version = document().module()](fx::remote::LayerScan scan) { takeScan(version, std::move(scan)); });
}

void QuantSession::takeScan(const std::shared_ptr<const fx::GraphModule>& version, fx::remote::LayerScan scan) {
    endScan();
    end();
    if (version != document().module())
        return tell(tr("The model changed during the scan. What was measured is kept for the version before."), false);
    const fx::quant::MixedPrecision& made = *scan.proposal;
    QString told =
        tr("Proposal: quantise %1 of %2, for an output of %3.")
            .arg(QString::number(made.quantised.size()),
                 counted(scan.sensitivity.done.size(), tr("1 layer"), tr("%1 layers")), decibelText(scan.sqnr));
    if (!scan.operators.empty() && !made.quantised.empty())
        told += u' ' + tr("The operators between the layers stay in floating point.");
    const fx::Warnings nothing = fx::remote::nothingWithin(scan, decibelText(scan.bestSqnr).toStdString(),
                                                           decibelText(m_choices.leastSqnr).toStdString());
    told += warningsText(nothing);
    told += warningsText(fx::remote::skippedCombinations(scan));
    m_proposal = std::move(scan);
    tell(told, !nothing.empty());
    Q_EMIT planChanged();
}

void QuantSession::useProposal() {
    if (!m_proposal || !m_proposal->proposal || !m_plan.version) return;
    QuantChoices choices = m_choices;
    std::vector<std::string> kept = m_proposal->proposal->kept;
    kept.insert(kept.end(), m_proposal->operators.begin(), m_proposal->operators.end());
    for (const std::string& layer : kept) {
        const auto pattern = m_plan.patterns.find(layer);
        for (const std::string& node : pattern == m_plan.patterns.end() ? std::vector{layer} : pattern->second)
            if (const auto rule = m_plan.reach.find(m_plan.version->graph.find(node)); rule != m_plan.reach.end())
                choices.setRule(rule->second, std::string());
    }
    setChoices(choices);
    tell(counted(kept.size(), tr("A rule now keeps 1 node in floating point. Quantise to apply it."),
                 tr("Rules now keep %1 nodes in floating point. Quantise to apply them.")),
         false);
}

} // namespace ui
