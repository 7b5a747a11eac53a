// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/changes/diff_view.h"

#include "ui/widgets/theme.h"

#include <QEvent>

namespace ui {

namespace {
constexpr int kCreated = 4, kErased = 5, kSignMargin = 0, kNumberStyle = 60;
}

DiffView::DiffView(QWidget* parent) : CodeView(parent) {
    setFolding(NoFoldStyle, 2);
    setMarginMarkerMask(2, 0);
    setMarginWidth(2, 6);
    markerDefine(Background, kCreated);
    markerDefine(Background, kErased);
    setAccessibleName(tr("Code differences"));
    colour();
}

void DiffView::colour() {
    setMarkerBackgroundColor(theme().ok.fill, kCreated);
    setMarkerBackgroundColor(theme().error.fill, kErased);
}

void DiffView::setDifference(std::vector<VersionDifference::Line> lines) {
    m_lines = std::move(lines);
    QByteArray text;
    for (const auto& line : m_lines) text += line.text + '\n';
    if (!text.isEmpty()) text.chop(1);
    setLines(text, 0);
    SendScintilla(SCI_MARKERDELETEALL, -1);
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const auto kind = m_lines[i].kind;
        const char* sign = kind == VersionDifference::Kind::Created  ? "+"
                           : kind == VersionDifference::Kind::Erased ? "\xe2\x88\x92"
                                                                     : " ";
        SendScintilla(SCI_MARGINSETTEXT, static_cast<unsigned long>(i), sign);
        SendScintilla(SCI_MARGINSETSTYLE, static_cast<unsigned long>(i), static_cast<long>(kNumberStyle));
        if (kind == VersionDifference::Kind::Created) markerAdd(static_cast<int>(i), kCreated);
        if (kind == VersionDifference::Kind::Erased) markerAdd(static_cast<int>(i), kErased);
    }
    setMarginWidth(kSignMargin, QStringLiteral("00"));
}

fx::NodeId DiffView::nodeAt(int line) const {
    return line >= 0 && line < static_cast<int>(m_lines.size()) ? m_lines[static_cast<std::size_t>(line)].node
                                                                : fx::kNoNode;
}

void DiffView::showNode(fx::NodeId node) {
    std::vector<int> lines;
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        if (m_lines[i].node == node) lines.push_back(static_cast<int>(i));
    markLines(lines);
    if (!lines.empty()) scrollToLine(lines.front());
}

void DiffView::changeEvent(QEvent* event) {
    CodeView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) colour();
}

} // namespace ui
