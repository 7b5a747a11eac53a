// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/document/document_source.h"

#include <QPointer>
#include <QWidget>

class QComboBox;
class QLineEdit;
class QToolButton;

namespace ui {

class LeafMenu;
class SourceEditor;
class SourceLink;
class SourceMessage;
class SourceOptions;

/// Editor of a document that is Python source: the traced class with its arguments, the text, and the result of
/// tracing. The graph beside it follows the text as the user types.
class SourcePane final : public QWidget {
    Q_OBJECT
public:
    /// `document` must outlive the pane.
    explicit SourcePane(Document& document, QWidget* parent = nullptr);

    SourceEditor* editor() const { return m_editor; }    ///< The editor of the text.
    SourceMessage* message() const { return m_message; } ///< The bar with the result of tracing.
    QComboBox* classes() const { return m_classes; }     ///< The classes that can be traced.
    QLineEdit* arguments() const { return m_arguments; } ///< The constructor arguments of the class.
    LeafMenu* leafMenu() const { return m_leafs; }       ///< The menu of leaf modules.
    SourceOptions* options() const { return m_options; } ///< The other tracing options.
    /// Moves the cursor to the first error, if there is one.
    void goToFault();

private:
    void takeSource();
    void showText();
    void showState();
    void showClasses(const fx::SourceTrace& trace, const SourceChoices& choices);
    void showFaults();
    void chooseClass(int index);
    void choose(const SourceChoices& choices);

    Document& m_document;
    QPointer<DocumentSource> m_source;
    QComboBox* m_classes;
    QLineEdit* m_arguments;
    LeafMenu* m_leafs;
    QToolButton* m_more;
    SourceOptions* m_options;
    SourceEditor* m_editor;
    SourceLink* m_link;
    SourceMessage* m_message;
};

} // namespace ui
