// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/legend.h"

#include "ui/widgets/theme.h"

#include <QFontInfo>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QtMath>

#include <algorithm>

namespace ui {

namespace {
constexpr int kRow = 22, kMargin = 14;
constexpr fx::Op kOps[] = {fx::Op::Placeholder, fx::Op::CallModule, fx::Op::CallFunction,
                           fx::Op::CallMethod,  fx::Op::GetAttr,    fx::Op::Output};
} // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    describe();
}

void Legend::describe() {
    if (m_colours.empty())
        return setAccessibleName(tr("Legend: green placeholder, blue call_module, amber call_function, violet "
                                    "call_method, teal get_attr, red output"));
    QStringList words{m_colours.title};
    for (const auto& entry : m_colours.entries) words << entry.text;
    words << m_colours.ramp << m_colours.note;
    words.removeAll(QString());
    setAccessibleName(tr("Legend: %1").arg(words.join(QStringLiteral(", "))));
}

void Legend::setColours(const ColourLegend& colours) {
    constexpr std::size_t kMost = 8; // the map below it needs room too
    m_colours = colours.shortened(kMost);
    describe();
    updateGeometry();
    update();
}

QString Legend::explanation(fx::Op op) {
    const auto text = [&](const QString& what, const QString& fields, const QString& call) {
        const auto name = fx::opName(op);
        return QStringLiteral("<p><b>%1</b></p><p>%2<br>%3</p><p><code>%4</code></p>")
            .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), what, fields,
                 call.toHtmlEscaped());
    };
    switch (op) {
    case fx::Op::Placeholder:
        return text(tr("An input of the graph: a parameter of forward."),
                    tr("target is the name of the parameter; args holds its default, if it has one."),
                    QStringLiteral("x = graph.placeholder(\"x\")"));
    case fx::Op::CallModule:
        return text(tr("Calls the forward of a module: self.conv1(x)."),
                    tr("target is the path of the module in the tree; args and kwargs are those of forward."),
                    QStringLiteral("graph.call_module(\"conv1\", (x,))"));
    case fx::Op::CallFunction:
        return text(tr("Calls a free function: torch.relu(x), x + 1."),
                    tr("target is the function itself; args and kwargs are its arguments."),
                    QStringLiteral("graph.call_function(torch.relu, (x,))"));
    case fx::Op::CallMethod:
        return text(tr("Calls a method of its first argument: x.view(4, -1)."),
                    tr("target is the method's name, a string; args[0] is the object."),
                    QStringLiteral("graph.call_method(\"view\", (x, 4, -1))"));
    case fx::Op::GetAttr:
        return text(tr("Reads a parameter, buffer or other attribute of a module: self.fc.weight."),
                    tr("target is the path of the attribute; there are no arguments."),
                    QStringLiteral("graph.get_attr(\"fc.weight\")"));
    case fx::Op::Output:
        return text(tr("What forward returns; the last node of the graph."),
                    tr("args[0] is the returned value, which may be a tuple, list or dict of nodes."),
                    QStringLiteral("graph.output((y,))"));
    }
    return {};
}

QFont Legend::entryFont() const {
    QFont font = monoFont();
    font.setPixelSize(QFontInfo(font).pixelSize() - 1);
    return font;
}

/// Two columns of three; the second one starts where the longest name of the first one ends.
QRect Legend::cell(std::size_t entry) const {
    const int half = std::max(
        width() / 2, kMargin + 24 + QFontMetrics(entryFont()).horizontalAdvance(QStringLiteral("call_function")) + 6);
    const int row = static_cast<int>(entry % 3);
    return entry < 3 ? QRect(kMargin, 5 + row * kRow, half - kMargin, kRow)
                     : QRect(half + 4, 5 + row * kRow, width() - half - 4, kRow);
}

bool Legend::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !m_colours.empty()) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t i = 0; i < std::size(kOps); ++i)
        if (cell(i).contains(help->pos())) {
            QToolTip::showText(help->globalPos(), explanation(kOps[i]), this, cell(i));
            return true;
        }
    QToolTip::hideText();
    return true;
}

QSize Legend::sizeHint() const {
    constexpr int kNarrow = 220;
    return {200, 10 + (m_colours.empty()
                           ? 3 * kRow
                           : qCeil(legendHeight(m_colours, std::max(kNarrow, width()) - 2 * kMargin, font())))};
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_colours.empty())
        return paintLegend(painter, QRectF(rect()).adjusted(kMargin, 5, -kMargin, -5), m_colours, theme(),
                           this->font());
    painter.setFont(entryFont());
    for (std::size_t i = 0; i < std::size(kOps); ++i) {
        const Theme::Role& role = theme().op(kOps[i]);
        const QRect cell = this->cell(i);
        painter.setPen(role.line);
        painter.setBrush(role.fill);
        painter.drawRoundedRect(QRectF(cell.left() + 0.5, cell.top() + 4.5, 16, 13), 3, 3);
        painter.setPen(theme().muted);
        const auto name = fx::opName(kOps[i]);
        painter.drawText(
            cell.adjusted(24, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
            painter.fontMetrics().elidedText(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
                                             Qt::ElideRight, cell.width() - 24));
    }
}

} // namespace ui
