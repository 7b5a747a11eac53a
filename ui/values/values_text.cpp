// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/values_text.h"

#include "ui/document/node_facts.h"
#include "ui/run/input_text.h"
#include "ui/run/verify_verdict.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace ui {

namespace {

struct ValuesText {
    Q_DECLARE_TR_FUNCTIONS(ui::ValuesText)
};

QString whole(std::int64_t number) { return QLocale().toString(static_cast<qlonglong>(number)); }
QString joined(const std::vector<std::int64_t>& numbers, const QString& separator) {
    QStringList texts;
    for (const std::int64_t number : numbers) texts << QString::number(number);
    return texts.join(separator);
}

/// A row of the table of statistics; `other` of the original.
QString row(const QString& name, const QString& own, const QString* other) {
    const QString cell = QStringLiteral("<td align='right' style='white-space:nowrap'><code>%1</code></td>");
    return QStringLiteral("<tr><td class='muted'>%1</td>%2%3</tr>")
        .arg(name, cell.arg(own), other ? cell.arg(*other) : QString());
}

template<class Text> QString rowOf(const QString& name, const fx::NodeValues& values, Text text) {
    const QString own = text(values.value.statistics),
                  other = values.original ? text(values.original->statistics) : QString();
    return row(name, own, values.original ? &other : nullptr);
}

QString figures(const fx::NodeValues& values) {
    using Statistics = const fx::TensorStatistics&;
    QString rows;
    if (values.original)
        rows += QStringLiteral("<tr class='muted'><td></td><td align='right'>%1</td><td align='right'>%2</td></tr>")
                    .arg(ValuesText::tr("now"), ValuesText::tr("original"));
    const auto real = [&](const QString& name, double fx::TensorStatistics::*member) {
        rows += rowOf(name, values,
                      [member](Statistics s) { return s.finite > 0 ? numberText(s.*member) : QStringLiteral("–"); });
    };
    real(ValuesText::tr("min"), &fx::TensorStatistics::min);
    real(ValuesText::tr("max"), &fx::TensorStatistics::max);
    real(ValuesText::tr("mean"), &fx::TensorStatistics::mean);
    real(ValuesText::tr("std"), &fx::TensorStatistics::std);
    const auto count = [&](const QString& name, std::int64_t fx::TensorStatistics::*member) {
        rows += rowOf(name, values, [member](Statistics s) { return whole(s.*member); });
    };
    count(ValuesText::tr("elements"), &fx::TensorStatistics::count);
    count(ValuesText::tr("zeros"), &fx::TensorStatistics::zeros);
    count(ValuesText::tr("NaN"), &fx::TensorStatistics::nans);
    count(ValuesText::tr("infinite"), &fx::TensorStatistics::infinities);
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='2'>%1</table>").arg(rows);
    const auto isPartial = [](const fx::TensorStatistics& s) { return s.finite < s.count; };
    if (isPartial(values.value.statistics) || (values.original && isPartial(values.original->statistics)))
        html += QStringLiteral("<p class='warning'>%1</p>").arg(ValuesText::tr("min to std: finite values only"));
    if (values.value.statistics.magnitudes)
        html += QStringLiteral("<p class='muted'>%1</p>").arg(ValuesText::tr("of complex magnitudes"));
    return html;
}

QString differenceHtml(const fx::ValueDifference& difference) {
    const QString line = QStringLiteral("<p class='%1'>%2</p>");
    if (!difference.comparable())
        return line.arg(QStringLiteral("warning"),
                        ValuesText::tr("Cannot compare with the original: %1")
                            .arg(elidedLines(textOfSides(difference.reason), 300).toHtmlEscaped()));
    if (difference.equal) return line.arg(QStringLiteral("ok"), ValuesText::tr("Equal to the original, bit for bit"));
    QString text =
        ValuesText::tr("Largest difference from the original: <code>%1</code>").arg(errorNumber(difference.maxAbs));
    if (!difference.worst.empty())
        text += ValuesText::tr(" at <a href='place:%1'>[%2]</a>")
                    .arg(joined(difference.worst, QStringLiteral(",")), joined(difference.worst, QStringLiteral(", ")));
    text += ValuesText::tr("; %1 of %2 beyond the tolerance").arg(whole(difference.beyond), whole(difference.count));
    if (difference.nansA != difference.nansB)
        text += ValuesText::tr("; NaN: %1, were %2").arg(whole(difference.nansB), whole(difference.nansA));
    return line.arg(difference.close ? QStringLiteral("ok") : QStringLiteral("error"), text);
}

} // namespace

QString numberText(double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    return QString::number(value, 'g', 6);
}

QString placeText(const fx::ValueView& view, int row, int column) {
    std::vector<std::int64_t> place = view.slice.indices;
    if (view.sizes.size() > 1) place.push_back(view.slice.row + row);
    if (!view.sizes.empty()) place.push_back(view.slice.column + column);
    return u'[' + joined(place, QStringLiteral(", ")) + u']';
}

QString factsText(const fx::ValueView& view) {
    if (!view.isTensor()) return elidedLines(view.type + (view.text.empty() ? "" : "  ") + view.text, 200).simplified();
    return fromCore(view.dtype).remove(QLatin1String("torch.")) + QStringLiteral("  ") + shapeToText(view.sizes);
}

QString statisticsHtml(const fx::NodeValues& values) {
    QString html;
    if (values.difference) html += differenceHtml(*values.difference);
    else if (!values.noOriginal.empty())
        html += QStringLiteral("<p class='muted'>%1</p>")
                    .arg(ValuesText::tr("Not compared: %1").arg(elidedLines(values.noOriginal, 300).toHtmlEscaped()));
    if (values.value.isTensor()) html += figures(values);
    else if (!values.value.text.empty())
        html += QStringLiteral("<pre>%1</pre>").arg(elidedLines(values.value.text, 4000).toHtmlEscaped());
    else
        html += QStringLiteral("<p class='muted'>%1</p>")
                    .arg(ValuesText::tr("A %1, which cannot be shown as text.")
                             .arg(elided(values.value.type, 100).toHtmlEscaped()));
    return html;
}

} // namespace ui
