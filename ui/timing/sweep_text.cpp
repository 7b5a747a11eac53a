// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/sweep_text.h"

#include "core/timing/timing_json.h"
#include "ui/timing/timing_html.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>

namespace ui {

namespace {
struct SweepWords {
    Q_DECLARE_TR_FUNCTIONS(ui::SweepText)
};

template<class Each> void forEachVariant(const std::vector<SweepPoint>& sweep, Each each) {
    for (const SweepPoint& point : sweep)
        for (std::size_t i = 0; point.result && i < point.result->variants.size(); ++i) each(point, *point.result, i);
}

double itemsPerSecond(const SweepPoint& point, std::size_t variant) {
    return static_cast<double>(point.batch) / point.result->variants[variant].medianMs * 1000;
}

/// A name with what CSV makes something of.
QString quoted(QString text) { return u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"'; }
} // namespace

QString perSecondText(double items) {
    return items >= 9999.5 ? QString::number(qRound64(items / 100) * 100)
                           : QString::number(items, 'f',
                                             items >= 99.95   ? 0
                                             : items >= 9.995 ? 1
                                                              : 2);
}

QString sweepText(const std::vector<SweepPoint>& sweep) {
    QString out;
    forEachVariant(sweep, [&](const SweepPoint& point, const fx::timing::BenchResult& result, std::size_t i) {
        const auto& variant = result.variants[i];
        const QString verdict =
            i > 0 && i <= result.ratios.size()
                ? SweepWords::tr(", %1 %2").arg(timingVerdictOf(result, result.ratios[i - 1]).word,
                                                timingVerdictOf(result, result.ratios[i - 1]).detail)
                : QString();
        out += SweepWords::tr("batch size %1, %2: %3 per run, %4 items/s%5")
                   .arg(point.batch)
                   .arg(fromCore(variant.model), timeText(variant.medianMs), perSecondText(itemsPerSecond(point, i)),
                        verdict) +
               u'\n';
    });
    return out.isEmpty() ? out : u'\n' + out;
}

QString sweepCsv(const std::vector<SweepPoint>& sweep) {
    QString out;
    forEachVariant(sweep, [&](const SweepPoint& point, const fx::timing::BenchResult& result, std::size_t i) {
        const auto& variant = result.variants[i];
        const QString verdict = i > 0 && i <= result.ratios.size()
                                    ? QString::fromLatin1(fx::timing::verdictName(result.ratios[i - 1].verdict))
                                    : QString();
        out += QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n")
                   .arg(point.batch)
                   .arg(quoted(fromCore(variant.model)))
                   .arg(variant.medianMs, 0, 'g', 8)
                   .arg(variant.q1Ms, 0, 'g', 8)
                   .arg(variant.q3Ms, 0, 'g', 8)
                   .arg(itemsPerSecond(point, i), 0, 'g', 8)
                   .arg(verdict);
    });
    return out.isEmpty() ? out : QStringLiteral("batch,model,median_ms,q1_ms,q3_ms,items_per_second,verdict\n") + out;
}

QString timingJson(const fx::timing::BenchResult* result, const std::vector<SweepPoint>& sweep) {
    if (sweep.empty() && result) return QString::fromStdString(fx::timing::toJson(*result));
    fx::JsonWriter points;
    points.beginArray();
    for (const SweepPoint& point : sweep) {
        if (!point.result) continue;
        points.beginObject().key("batch").integer(point.batch).key("result");
        fx::timing::write(points, *point.result);
        points.endObject();
    }
    const QString swept = QStringLiteral("\"sweep\": ") + QString::fromStdString(points.endArray().text());
    if (!result) return u'{' + swept + QStringLiteral("}\n");
    const QString whole = QString::fromStdString(fx::timing::toJson(*result));
    return whole.left(whole.lastIndexOf(u'}')).trimmed() + QStringLiteral(",\n ") + swept + QStringLiteral("}\n");
}

} // namespace ui
