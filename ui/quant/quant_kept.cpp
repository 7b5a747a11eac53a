// SPDX-License-Identifier: GPL-3.0-or-later
// QuantSession: what the document keeps of scans and measurements.
#include "core/edit/quantised_of.h"
#include "ui/document/panel_views.h"
#include "ui/quant/measured_json.h"
#include "ui/quant/quant_session.h"

#include <QJsonArray>

namespace ui {

namespace {

const QString kScans = QStringLiteral("quantiseScan"), kKey = QStringLiteral("of"), kScan = QStringLiteral("scan"),
              kOthers = QStringLiteral("others");
const QString kMeasured = kProjectOnly + QStringLiteral("quantiseMeasured");
constexpr int kMostScans = 12; ///< of other settings and versions

/// Scans that the document keeps, the latest first.
QJsonArray keptScans(const QJsonObject& kept) {
    QJsonArray all = kept.value(kOthers).toArray();
    if (kept.contains(kKey)) all.prepend(QJsonObject{{kKey, kept.value(kKey)}, {kScan, kept.value(kScan)}});
    return all;
}

} // namespace

fx::quant::SensitivityScan QuantSession::keptScan(const QString& key) const {
    for (const QJsonValue& each : keptScans(document().panelViews().of(kScans))) {
        if (each.toObject().value(kKey).toString() != key) continue;
        try {
            const std::string text = each.toObject().value(kScan).toString().toStdString();
            return fx::quant::scanFromJson(fx::JsonDocument::parse(text)->root());
        } catch (const fx::Error&) {
            return {}; // somebody changed the file: it is scanned again
        }
    }
    return {};
}

void QuantSession::keepScan(const QString& key, const fx::quant::SensitivityScan& scan) {
    QJsonArray others;
    for (const QJsonValue& each : keptScans(document().panelViews().of(kScans)))
        if (each.toObject().value(kKey).toString() != key && others.size() < kMostScans) others.append(each);
    document().panelViews().set(kScans,
                                {{kKey, key}, {kScan, QString::fromStdString(toJson(scan))}, {kOthers, others}});
}

void QuantSession::restoreScan() { m_scan = m_plan.version ? keptScan(scanKey()) : fx::quant::SensitivityScan(); }

void QuantSession::keepMeasured() {
    if (!m_measured || m_measured->after != document().module()) return;
    QJsonObject kept = measuredJson(*m_measured);
    kept[kKey] = QString::fromStdString(fx::quantisedOf(*m_measured->after));
    document().panelViews().set(kMeasured, kept);
}

void QuantSession::restoreMeasured() {
    const fx::History* history = document().versions().history();
    const QJsonObject kept = document().panelViews().of(kMeasured);
    if (m_measured || kept.isEmpty() || !history || !history->canUndo()) return;
    const fx::History::Entry& entry = history->entries()[history->current()];
    const auto& before = history->entries()[history->current() - 1].model;
    if (!before || !entry.steps.has("quantize")) return;
    if (kept.value(kKey).toString().toStdString() != fx::quantisedOf(*document().module())) return;
    m_measured = measuredFromJson(kept);
    if (!m_measured) return;
    m_measured->before = before, m_measured->after = document().module();
    m_restoring.start(
        [before, choices = m_measured->choices](const fx::Progress&) { return quantPlan(before, choices); }, this,
        [this](QuantPlan plan) {
            m_measuredPlan = std::move(plan);
            Q_EMIT planChanged();
        },
        [](const fx::Error&) {}); // the measurements are shown without the places of observers
}

} // namespace ui
