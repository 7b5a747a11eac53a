// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/code_view.h"

#include "core/base/utf8.h"
#include "core/base/visible_text.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/theme.h"

#include <QDragEnterEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QScreen>
#include <QToolTip>

#include <algorithm>

namespace ui {

namespace {

constexpr int kMarkedLine = 1, kMarkedBar = 2, kFaultBar = 4;
constexpr int kFaultIndicator = 9; // behind those of lexers
constexpr int kNumberMargin = 0, kFoldMargin = 2, kBarMargin = 1;
constexpr int kNumberStyle = 60; // free between the lexer's styles and Scintilla's own

/// QsciLexerPython with the keywords of today's Python, and the calls that generated code is full of.
class GeneratedPythonLexer final : public QsciLexerPython {
public:
    using QsciLexerPython::QsciLexerPython;
    const char* keywords(int set) const override {
        if (set == 1)
            return "False None True and as assert async await break class continue def del elif else except finally "
                   "for from "
                   "global if import in is lambda nonlocal not or pass raise return try while with yield";
        if (set == 2) return "getattr wrap";
        return nullptr;
    }
};

/// Scintilla knows sizes in points only.
QFont codeFont() {
    QFont font = monoFont();
    font.setPointSizeF(QFontInfo(font).pixelSize() * 72.0 / QGuiApplication::primaryScreen()->logicalDotsPerInchY());
    return font;
}

} // namespace

/// Characters that hide are drawn as their spelling in a box; the text keeps them. Scintilla does it for control
/// characters itself.
void CodeView::showHiddenCharacters() {
    constexpr char32_t kFirst = 0xa0, kLast = 0xe01ef; // the last that has a meaning
    for (char32_t point = kFirst; point <= kLast; ++point) {
        if (point == 0xd800) point = 0xe000;   // no text has surrogates
        if (point == 0x30000) point = 0xe0000; // no characters are between
        if (!fx::isHiddenCharacter(point)) continue;
        std::string character;
        fx::appendUtf8(character, point);
        SendScintilla(SCI_SETREPRESENTATION, character.c_str(), fx::visibleText(character).c_str());
    }
}

CodeView::CodeView(QWidget* parent) : QsciScintilla(parent), m_lexer(new GeneratedPythonLexer(this)) {
    setUtf8(true);
    showHiddenCharacters();
    setEolMode(EolUnix);
    setLexer(m_lexer);
    setMarginsFont(codeFont());
    setMarginType(kNumberMargin, TextMarginRightJustified);
    setMarginType(kBarMargin, SymbolMargin);
    setMarginWidth(kBarMargin, 3);
    setMarginMarkerMask(kBarMargin, (1 << kMarkedBar) | (1 << kFaultBar));
    setMarginSensitivity(kNumberMargin, false);
    setFolding(PlainFoldStyle, kFoldMargin);
    SendScintilla(SCI_SETIDLESTYLING, SC_IDLESTYLING_ALL);
    SendScintilla(SCI_SETLAYOUTCACHE, SC_CACHE_PAGE);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1);
    SendScintilla(SCI_SETSCROLLWIDTH, 1);
    SendScintilla(SCI_SETEXTRAASCENT, 2);
    SendScintilla(SCI_SETEXTRADESCENT, 2);
    markerDefine(Background, kMarkedLine); // through QScintilla, which colours only markers that it knows of
    markerDefine(FullRectangle, kMarkedBar);
    markerDefine(FullRectangle, kFaultBar);
    indicatorDefine(SquiggleIndicator, kFaultIndicator);
    setIndentationsUseTabs(false);
    setTabWidth(4);
    setAutoIndent(true);
    setBraceMatching(SloppyBraceMatch);
    SendScintilla(SCI_SETMOUSEDWELLTIME, 400);
    setReadOnly(true);
    SendScintilla(SCI_SETCARETSTYLE, CARETSTYLE_LINE);
    setAccessibleName(tr("Generated code"));
    connect(this, &QsciScintilla::textChanged, this, &CodeView::textEdited);
    connect(this, &QsciScintilla::SCN_DWELLSTART, this,
            [this](int position, int x, int y) { tellFault(position, viewport()->mapToGlobal(QPoint(x, y))); });
    connect(this, &QsciScintilla::SCN_DWELLEND, this, [](int, int, int) { QToolTip::hideText(); });
    applyTheme();
}

void CodeView::applyTheme() {
    const Theme& colors = theme();
    const QFont font = codeFont();
    m_lexer->setDefaultFont(font);
    m_lexer->setDefaultPaper(colors.panel);
    m_lexer->setDefaultColor(colors.text);
    m_lexer->setFont(font);
    m_lexer->setPaper(colors.panel);
    m_lexer->setColor(colors.text);
    const std::pair<int, QColor> styles[] = {
        {QsciLexerPython::Keyword, colors.codeKeyword},
        {QsciLexerPython::HighlightedIdentifier, colors.codeName},
        {QsciLexerPython::FunctionMethodName, colors.codeName},
        {QsciLexerPython::ClassName, colors.codeName},
        {QsciLexerPython::Decorator, colors.codeName},
        {QsciLexerPython::Number, colors.codeNumber},
        {QsciLexerPython::SingleQuotedString, colors.codeString},
        {QsciLexerPython::DoubleQuotedString, colors.codeString},
        {QsciLexerPython::TripleSingleQuotedString, colors.codeString},
        {QsciLexerPython::TripleDoubleQuotedString, colors.codeString},
        {QsciLexerPython::UnclosedString, colors.error.line},
        {QsciLexerPython::Comment, colors.codeComment},
        {QsciLexerPython::CommentBlock, colors.codeComment},
    };
    for (const auto& [style, color] : styles) m_lexer->setColor(color, style);
    setMarginsBackgroundColor(colors.panel);
    setMarginsForegroundColor(colors.muted);
    setFoldMarginColors(colors.panel, colors.panel);
    setCaretForegroundColor(colors.text);
    setSelectionBackgroundColor(colors.accent);
    setSelectionForegroundColor(colors.onAccent);
    setMarkerBackgroundColor(colors.accentBackground, kMarkedLine);
    setMarkerBackgroundColor(colors.accent, kMarkedBar);
    setMarkerBackgroundColor(colors.error.line, kFaultBar);
    SendScintilla(SCI_INDICSETFORE, static_cast<unsigned long>(kFaultIndicator), colors.error.line);
    setMatchedBraceBackgroundColor(colors.accentBackground);
    setMatchedBraceForegroundColor(colors.accent);
    setUnmatchedBraceBackgroundColor(colors.error.fill);
    setUnmatchedBraceForegroundColor(colors.error.line);
    for (int marker = SC_MARKNUM_FOLDEREND; marker <= static_cast<int>(SC_MARKNUM_FOLDEROPEN); ++marker) {
        // Not through QScintilla, which leaves markers that it has not given out as they are: a white box in the dark.
        SendScintilla(SCI_MARKERSETFORE, static_cast<unsigned long>(marker), colors.muted);
        SendScintilla(SCI_MARKERSETBACK, static_cast<unsigned long>(marker), colors.muted);
    }
    SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(kNumberStyle), colors.muted);
    SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(kNumberStyle), colors.panel);
    SendScintilla(SCI_STYLESETFONT, static_cast<unsigned long>(kNumberStyle), font.family().toUtf8().constData());
    SendScintilla(SCI_STYLESETSIZEFRACTIONAL, static_cast<unsigned long>(kNumberStyle),
                  static_cast<long>(font.pointSizeF() * 100));
}

void CodeView::setLines(const QByteArray& text, int firstLine) {
    const bool same = text == bytes();
    if (!same) {
        replaceText(text);
        SendScintilla(SCI_SETSCROLLWIDTH, 1); // else as wide as the longest line that ever was
    }
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    if (same && firstLine == m_firstLine) return;
    m_firstLine = firstLine;
    m_picked.clear();
    numberLines(firstLine);
    SendScintilla(SCI_MARKERDELETEALL, -1);
}

void CodeView::typeText(const QByteArray& text) {
    // Replacing lines puts the cursor at the first of them, and scrolls to where the text is short meanwhile.
    const auto lineOf = [this](long position) {
        return SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(position));
    };
    const auto startOf = [this](long line) {
        return SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
    };
    const long cursor = SendScintilla(SCI_GETCURRENTPOS), line = lineOf(cursor), column = cursor - startOf(line);
    const long top = SendScintilla(SCI_DOCLINEFROMVISIBLE, static_cast<unsigned long>(firstVisibleLine()));
    replaceText(text);
    const long last = lineOf(SendScintilla(SCI_GETLENGTH)), there = std::min(line, last);
    SendScintilla(
        SCI_SETEMPTYSELECTION,
        static_cast<unsigned long>(std::min(startOf(there) + column,
                                            SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(there)))));
    setFirstVisibleLine(
        static_cast<int>(SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(std::min(top, last)))));
}

void CodeView::replaceText(const QByteArray& text) {
    m_setting = true;
    setReadOnly(false);
    markFaults({});
    replaceChanged(text);
    setReadOnly(!m_editable);
    m_setting = false;
}

void CodeView::setEditable(bool editable) {
    m_editable = editable;
    setReadOnly(!editable);
}

QByteArray CodeView::bytes() const {
    const auto size = static_cast<qsizetype>(SendScintilla(SCI_GETLENGTH));
    return {static_cast<const char*>(SendScintillaPtrResult(SCI_GETCHARACTERPOINTER)), size};
}

void CodeView::textEdited() {
    if (const int count = lines(); m_numbered >= 0 && count != m_numbered) numberLines(m_firstLine);
    if (!m_setting) Q_EMIT typed();
}

/// Replaces what lies between the common first and the common last lines.
void CodeView::replaceChanged(const QByteArray& text) {
    const QByteArray old = bytes();
    const auto mismatch = std::mismatch(old.begin(), old.end(), text.begin(), text.end());
    qsizetype same = mismatch.first - old.begin();
    while (same > 0 && text[same - 1] != '\n') --same;
    const qsizetype limit = std::min(old.size(), text.size()) - same;
    qsizetype tail = 0;
    while (tail < limit && old[old.size() - 1 - tail] == text[text.size() - 1 - tail]) ++tail;
    while (tail > 0 && text[text.size() - tail] != '\n') --tail;
    SendScintilla(SCI_SETTARGETRANGE, static_cast<unsigned long>(same), static_cast<long>(old.size() - tail));
    SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(text.size() - tail - same), text.constData() + same);
}

void CodeView::markFaults(std::vector<Fault> faults) {
    if (faults.empty() && m_faults.empty()) return;
    SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(kFaultIndicator));
    SendScintilla(SCI_INDICATORCLEARRANGE, 0ul, SendScintilla(SCI_GETLENGTH));
    SendScintilla(SCI_MARKERDELETEALL, static_cast<long>(kFaultBar));
    for (const Fault& fault : faults) {
        SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(fault.offset),
                      static_cast<long>(fault.length));
        const long line = SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(fault.offset));
        SendScintilla(SCI_MARKERADD, static_cast<unsigned long>(line), static_cast<long>(kFaultBar));
    }
    m_faults = std::move(faults);
}

/// What is wrong where the pointer rests.
void CodeView::tellFault(int position, const QPoint& globalPosition) {
    const auto fault = std::find_if(m_faults.begin(), m_faults.end(), [position](const Fault& each) {
        return position >= each.offset && position < each.offset + each.length;
    });
    if (fault != m_faults.end()) QToolTip::showText(globalPosition, plainToolTip(fault->message), this);
}

void CodeView::goTo(qsizetype offset) {
    SendScintilla(SCI_GOTOPOS, static_cast<unsigned long>(offset));
    scrollToLine(static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(offset))));
    ensureCursorVisible();
    setFocus(Qt::OtherFocusReason);
}

/// Scintilla numbers lines from 1 by itself; only a part of a text needs numbers that are set one by one.
void CodeView::numberLines(int firstLine) {
    if (!m_hasNumbers) return;
    const int count = lines();
    if (firstLine == 0) {
        if (marginType(kNumberMargin) != NumberMargin) {
            SendScintilla(SCI_MARGINTEXTCLEARALL);
            setMarginType(kNumberMargin, NumberMargin);
        }
        setMarginWidth(kNumberMargin, QStringLiteral(" 0") + QString::number(count));
        m_numbered = count;
        return;
    }
    setMarginType(kNumberMargin, TextMarginRightJustified);
    SendScintilla(SCI_MARGINTEXTCLEARALL);
    for (int line = 0; line < count; ++line) {
        const QByteArray number = QByteArray::number(firstLine + line + 1);
        SendScintilla(SCI_MARGINSETTEXT, static_cast<unsigned long>(line), number.constData());
        SendScintilla(SCI_MARGINSETSTYLE, static_cast<unsigned long>(line), static_cast<long>(kNumberStyle));
    }
    setMarginWidth(kNumberMargin, QStringLiteral(" 0") + QString::number(firstLine + count));
    m_numbered = count;
}

void CodeView::markLines(const std::vector<int>& marked) {
    SendScintilla(SCI_MARKERDELETEALL, static_cast<long>(kMarkedLine));
    SendScintilla(SCI_MARKERDELETEALL, static_cast<long>(kMarkedBar));
    const int mask = (1 << kMarkedLine) | (1 << kMarkedBar);
    for (const int line : marked)
        SendScintilla(SCI_MARKERADDSET, static_cast<unsigned long>(line), static_cast<long>(mask));
}

void CodeView::scrollToLine(int line) {
    SendScintilla(SCI_ENSUREVISIBLE, static_cast<unsigned long>(line));
    const int height = static_cast<int>(SendScintilla(SCI_LINESONSCREEN));
    const int first = firstVisibleLine();
    const int shown = static_cast<int>(SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line)));
    if (shown <= first || shown >= first + height - 1) setFirstVisibleLine(std::max(0, shown - height / 3));
}

int CodeView::cursorLine() const {
    int line = 0, column = 0;
    getCursorPosition(&line, &column);
    return line;
}

bool CodeView::findText(const QString& text, Search direction) {
    if (text.isEmpty()) return true;
    const QByteArray bytes = text.toUtf8();
    const long length = SendScintilla(SCI_GETLENGTH);
    const long start = SendScintilla(SCI_GETSELECTIONSTART), end = SendScintilla(SCI_GETSELECTIONEND);
    SendScintilla(SCI_SETSEARCHFLAGS, 0L);
    const auto search = [&](long from, long to) {
        SendScintilla(SCI_SETTARGETRANGE, static_cast<unsigned long>(from), to);
        return SendScintilla(SCI_SEARCHINTARGET, static_cast<unsigned long>(bytes.size()), bytes.constData());
    };
    const bool back = direction == Search::Previous;
    long at = back ? search(start, 0) : search(direction == Search::Here ? start : end, length);
    if (at < 0) at = back ? search(length, 0) : search(0, length);
    if (at < 0) return false;
    SendScintilla(SCI_SETSEL, static_cast<unsigned long>(SendScintilla(SCI_GETTARGETSTART)),
                  SendScintilla(SCI_GETTARGETEND));
    ensureCursorVisible();
    return true;
}

/// The lines under the cursor or the selected text; with `toggles` a line is added to those picked before, or taken
/// away. (QScintilla reports no second selection for a click with Ctrl.)
void CodeView::pick(bool toggles) {
    const auto lineAt = [&](long position) {
        return static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(position)));
    };
    const int first = lineAt(SendScintilla(SCI_GETSELECTIONSTART)), last = lineAt(SendScintilla(SCI_GETSELECTIONEND));
    std::vector<int> picks;
    if (toggles) picks = m_picked;
    const bool takesAway = toggles && first == last && std::erase(picks, first) > 0;
    if (!takesAway)
        for (int line = first; line <= last; ++line) picks.push_back(line);
    std::sort(picks.begin(), picks.end());
    picks.erase(std::unique(picks.begin(), picks.end()), picks.end());
    if (picks == m_picked) return;
    m_picked = picks;
    Q_EMIT linesPicked(picks);
}

/// Scintilla would take every key that it knows, also Ctrl+L or Ctrl+Shift+P, which belong to the window.
bool CodeView::wantsKey(const QKeyEvent& key) const {
    if ((key.key() >= Qt::Key_F1 && key.key() <= Qt::Key_F35) || key.key() == Qt::Key_Escape) return false;
    if (key.matches(QKeySequence::Copy) ||
        !(key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)))
        return true;
    if (!m_editable) return false;
    // What was typed is undone here, and everything before that is undone in the model.
    if (key.matches(QKeySequence::Undo)) return SendScintilla(SCI_CANUNDO) != 0;
    if (key.matches(QKeySequence::Redo)) return SendScintilla(SCI_CANREDO) != 0;
    for (const auto standard :
         {QKeySequence::Cut, QKeySequence::Paste, QKeySequence::SelectAll, QKeySequence::MoveToNextWord,
          QKeySequence::MoveToPreviousWord, QKeySequence::SelectNextWord, QKeySequence::SelectPreviousWord,
          QKeySequence::DeleteStartOfWord, QKeySequence::DeleteEndOfWord, QKeySequence::MoveToStartOfDocument,
          QKeySequence::MoveToEndOfDocument})
        if (key.matches(standard)) return true;
    return key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter;
}

bool CodeView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && !wantsKey(*static_cast<QKeyEvent*>(event))) {
        event->ignore();
        return false;
    }
    return QsciScintilla::event(event);
}

void CodeView::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (m_editable && enter && event->modifiers() & Qt::ControlModifier) {
        Q_EMIT applyRequested();
        return;
    }
    if (m_editable && event->matches(QKeySequence::Undo)) return undo();
    if (m_editable && event->matches(QKeySequence::Redo)) return redo();
    QsciScintilla::keyPressEvent(event);
}

/// Scintilla would take files and do nothing with them; the window opens them.
void CodeView::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->ignore();
    else QsciScintilla::dragEnterEvent(event);
}

void CodeView::changeEvent(QEvent* event) {
    QsciScintilla::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) applyTheme();
}

void CodeView::mouseReleaseEvent(QMouseEvent* event) {
    QsciScintilla::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton) {
        const bool toggles = event->modifiers() & Qt::ControlModifier;
        if (!toggles) m_picked.clear(); // clicking the same line again selects its node again
        pick(toggles);
    }
}

void CodeView::keyReleaseEvent(QKeyEvent* event) {
    QsciScintilla::keyReleaseEvent(event);
    const bool moves = event->key() >= Qt::Key_Home && event->key() <= Qt::Key_PageDown;
    if (moves) pick();
}

} // namespace ui
