// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/code_field.h"

#include "ui/widgets/theme.h"

#include <QKeyEvent>

#include <algorithm>

namespace ui {

namespace {
constexpr int kErrorLine = 3;
constexpr int kFoldMargin = 2;
} // namespace

CodeField::CodeField(QWidget* parent) : CodeView(parent) {
    setReadOnly(false);
    setFolding(NoFoldStyle, kFoldMargin);
    setMarginMarkerMask(kFoldMargin, 0);
    setMarginWidth(kFoldMargin, 4);
    setProperty("look", "field");
    setMarginLineNumbers(0, true);
    setMarginWidth(0, QStringLiteral("00"));
    SendScintilla(SCI_SETUNDOCOLLECTION, 1);
    setIndentationsUseTabs(false);
    setTabWidth(4);
    setAutoIndent(true);
    setTabIndents(true);
    setBraceMatching(SloppyBraceMatch);
    setFrameShape(StyledPanel);
    markerDefine(Background, kErrorLine);
    colourError();
    connect(this, &QsciScintilla::textChanged, this, &CodeField::fitScrollWidth);
    connect(this, &QsciScintilla::textChanged, this, &CodeField::edited);
}

void CodeField::setSource(const QByteArray& source) {
    if (source == this->source()) return;
    SendScintilla(SCI_BEGINUNDOACTION);
    SendScintilla(SCI_SETTARGETRANGE, 0ul, SendScintilla(SCI_GETLENGTH));
    SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(source.size()), source.constData());
    SendScintilla(SCI_ENDUNDOACTION);
}

/// Scintilla's width grows with long lines but does not shrink: no scroll bar for what was typed before.
void CodeField::fitScrollWidth() {
    constexpr int kMeasured = 200; // lines of a long text cost too much at each key
    if (lines() > kMeasured) return;
    const auto across = [this](long position) { return SendScintilla(SCI_POINTXFROMPOSITION, 0ul, position); };
    long widest = 1;
    for (unsigned long line = 0; line < static_cast<unsigned long>(lines()); ++line)
        widest = std::max(widest, across(SendScintilla(SCI_GETLINEENDPOSITION, line)) -
                                      across(SendScintilla(SCI_POSITIONFROMLINE, line)));
    constexpr long kCaret = 4;
    if (widest + kCaret < SendScintilla(SCI_GETSCROLLWIDTH))
        SendScintilla(SCI_SETSCROLLWIDTH, static_cast<unsigned long>(widest + kCaret));
}

void CodeField::showSource(const QByteArray& source) {
    setSource(source);
    SendScintilla(SCI_EMPTYUNDOBUFFER);
}

void CodeField::markError(int line) {
    markerDeleteAll(kErrorLine);
    if (line >= 0) markerAdd(line, kErrorLine);
}

void CodeField::colourError() {
    setMarkerBackgroundColor(theme().error.fill, kErrorLine);
    setMarginsForegroundColor(theme().muted);
}

bool CodeField::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool undoes = (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) &&
                            (isUndoAvailable() || isRedoAvailable()); // else the window does
        const QKeySequence::StandardKey own[] = {QKeySequence::Cut, QKeySequence::Copy, QKeySequence::Paste,
                                                 QKeySequence::SelectAll, QKeySequence::Delete};
        if (undoes || std::any_of(std::begin(own), std::end(own), [&](auto each) { return key->matches(each); })) {
            event->accept();
            return true;
        }
    }
    return CodeView::event(event);
}

void CodeField::changeEvent(QEvent* event) {
    CodeView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) colourError();
}

} // namespace ui
