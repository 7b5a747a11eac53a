// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_view.h"
#include "ui/code/code_window.h"
#include "ui/document/document.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace ui {

class CodeEditBar;
class CodeEditing;

/// Panel with the generated code of the document, `GraphModule.code`. Lines and selected nodes mark each other. The
/// code can be edited: a bar below shows the state of CodeEditing.
class CodePanel final : public QWidget {
    Q_OBJECT
public:
    explicit CodePanel(QWidget* parent = nullptr); ///< Creates a panel without a document.

    /// Shows the code of `document`; null clears the panel.
    void setDocument(Document* document);
    void copyCode() const;                             ///< Copies the whole code, or the draft, to the clipboard.
    void focusFind();                                  ///< Moves the keyboard focus to the search field.
    CodeView* view() const { return m_view; }          ///< The view of the code.
    CodeEditing* editing() const { return m_editing; } ///< The draft of the document.

private:
    void showState();
    void showCode();
    void showDraft();
    void showWindow(const CodeWindow& window);
    std::pair<std::size_t, std::size_t> shownBytes() const;
    void takeText();
    void showFaults();
    bool isDrafting() const { return m_document && m_document->draft().has_value(); }
    void followSelection(QObject* source);
    void pickLines(const std::vector<int>& lines);
    void find(CodeView::Search direction);
    void describe();

    QPointer<Document> m_document;
    std::shared_ptr<const fx::PythonCode> m_code;     ///< the displayed code, or the base of the draft
    std::shared_ptr<const fx::GraphModule> m_version; ///< the version with this code
    std::vector<std::size_t> m_lineStarts;
    CodeWindow m_window;
    CodeView* m_view;
    CodeEditing* m_editing;
    CodeEditBar* m_bar;
    QLabel* m_about;
    QLineEdit* m_find;
    QToolButton *m_copy, *m_earlier, *m_later;
};

} // namespace ui
