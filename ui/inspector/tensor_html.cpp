// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/tensor_html.h"

#include "ui/document/node_facts.h"
#include "ui/inspector/html_parts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>

namespace ui {

namespace {

QString number(double value) { return QString::number(value, 'g', 6); }

QString shapeOf(const fx::TensorRef& tensor) {
    if (tensor.sizes.empty()) return InspectorText::tr("scalar");
    QStringList sizes;
    for (const std::int64_t size : tensor.sizes) sizes << QString::number(size);
    return sizes.join(QChar(0x00D7));
}

QString share(std::int64_t count, std::int64_t of) {
    const QString text = QLocale().toString(static_cast<qlonglong>(count));
    if (count == 0 || of == 0) return text;
    return InspectorText::tr("%1 (%2\u00a0%)")
        .arg(text)
        .arg(100.0 * static_cast<double>(count) / static_cast<double>(of), 0, 'f', 1);
}

QString valuesHtml(const fx::TensorStatistics& values, std::size_t index, int width) {
    const auto cells = [](const QString& a, const QString& b, const QString& c, const QString& d) {
        return QStringLiteral("<tr><td class='label'>%1</td><td><code>%2</code></td><td "
                              "class='label'>%3</td><td><code>%4</code></td></tr>")
            .arg(a, b, c, d);
    };
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='2'>");
    if (values.finite > 0) {
        html += cells(InspectorText::tr("min"), number(values.min), InspectorText::tr("max"), number(values.max));
        html += cells(InspectorText::tr("mean"), number(values.mean), InspectorText::tr("std"), number(values.std));
    }
    html += cells(InspectorText::tr("zeros"), share(values.zeros, values.count), InspectorText::tr("NaN"),
                  share(values.nans, values.count));
    if (values.infinities > 0)
        html += cells(InspectorText::tr("infinite"), share(values.infinities, values.count), {}, {});
    html += QStringLiteral("</table>");
    if (values.finite > 1)
        html += QStringLiteral("<p><img src='histogram:%1' width='%2' height='56'></p>").arg(index).arg(width);
    if (values.magnitudes)
        html += QStringLiteral("<p class='muted'>%1</p>").arg(InspectorText::tr("of absolute values"));
    return html;
}

QString stateHtml(const ShownTensor& shown, const TensorState& state, std::size_t index, int width) {
    const QString line = QStringLiteral("<p class='muted'>%1</p>");
    switch (state.kind) {
    case TensorState::Kind::Done: return valuesHtml(*state.values, index, width);
    case TensorState::Kind::Failed: return line.arg(state.why.toHtmlEscaped());
    case TensorState::Kind::Running:
        return line.arg(InspectorText::tr("reading… %1\u00a0% &nbsp; <a href='stop:%2'>stop</a>")
                            .arg(qRound(state.done * 100))
                            .arg(index));
    default: break;
    }
    if (state.kind == TensorState::Kind::Waiting && shown.tensor->byteCount() > kReadUnasked)
        return line.arg(QStringLiteral("<a href='read:%1'>%2</a>")
                            .arg(index)
                            .arg(InspectorText::tr("read the values (%1)").arg(byteText(shown.tensor->byteCount()))));
    return line.arg(InspectorText::tr("waiting"));
}

} // namespace

std::vector<ShownTensor> tensorsOf(const fx::Module& module) {
    std::vector<ShownTensor> tensors;
    for (const fx::Module::Slot& slot : module.parameters)
        if (slot.tensor) tensors.push_back({slot.name, "parameter", slot.tensor});
    for (const fx::Module::Slot& slot : module.buffers)
        if (slot.tensor) tensors.push_back({slot.name, "buffer", slot.tensor});
    for (const auto& [name, value] : module.attributes)
        if (const auto* tensor = std::get_if<fx::TensorPtr>(&value); tensor && *tensor)
            tensors.push_back({name, "tensor", *tensor});
    return tensors;
}

std::vector<ShownTensor> tensorsOf(const fx::GraphModule& module, const fx::Node& node) {
    std::string path = node.op() == fx::Op::GetAttr ? node.target() : std::string();
    if (node.op() == fx::Op::Placeholder)
        for (const fx::LiftedInput& input : module.lifted)
            if (input.node == node.id()) path = input.path;
    if (path.empty()) return {};
    const fx::PathTarget target = fx::resolvePath(*module.root, path);
    if (!target.tensor) return {};
    const char* kind = target.kind == fx::PathTarget::Kind::Parameter ? "parameter"
                       : target.kind == fx::PathTarget::Kind::Buffer  ? "buffer"
                                                                      : "tensor";
    return {{path, kind, target.tensor}};
}

QString tensorHtml(const ShownTensor& shown, const TensorState& state, std::size_t index, int width) {
    const fx::TensorRef& tensor = *shown.tensor;
    const QString dtype =
        tensor.dtypeText.empty() ? fromCore(fx::dtypeName(tensor.dtype)) : elided(tensor.dtypeText, 60);
    QString html =
        QStringLiteral("<p><b>%1</b> <span class='muted'>%2</span><br><code>%3 &nbsp; %4 &nbsp; %5</code></p>")
            .arg(elided(shown.name, 120).toHtmlEscaped(), QString::fromLatin1(shown.kind), shapeOf(tensor),
                 dtype.toHtmlEscaped(), byteText(tensor.byteCount()));
    if (tensor.storage && tensor.storage->isExpression())
        html += QStringLiteral("<p class='muted'>%1 <code>%2</code></p>")
                    .arg(InspectorText::tr("computed on demand:"),
                         elided(tensor.storage->expressionSource(), 300).toHtmlEscaped());
    return html + stateHtml(shown, state, index, width);
}

QImage histogramImage(const fx::TensorStatistics& values, int width, int height, double ratio) {
    const QSize size = QSizeF(width * ratio, height * ratio).toSize();
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    const Theme& colors = theme();
    painter.fillRect(image.rect(), colors.field);
    const auto highest = *std::max_element(values.histogram.begin(), values.histogram.end());
    const double bar = static_cast<double>(size.width()) / static_cast<double>(values.histogram.size());
    for (std::size_t i = 0; i < values.histogram.size() && highest > 0; ++i) {
        const double share = static_cast<double>(values.histogram[i]) / static_cast<double>(highest);
        const double tall = values.histogram[i] > 0 ? std::max(ratio, share * (size.height() - 4 * ratio)) : 0;
        painter.fillRect(QRectF(static_cast<double>(i) * bar, size.height() - tall, std::max(1.0, bar - ratio), tall),
                         colors.accent);
    }
    return image;
}

} // namespace ui
