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

/// The editor of a document that is Python source: the class that is traced with its arguments, the text, and what
/// tracing found. The graph beside it follows as one types.
class SourcePane final : public QWidget {
    Q_OBJECT
public:
    explicit SourcePane(Document& document, QWidget* parent = nullptr);

    SourceEditor* editor() const { return m_editor; }
    SourceMessage* message() const { return m_message; }
    QComboBox* classes() const { return m_classes; }
    QLineEdit* arguments() const { return m_arguments; }
    LeafMenu* leafMenu() const { return m_leafs; }
    SourceOptions* options() const { return m_options; }
    /// Goes to the first error, if there is one.
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
