// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/tasks/task_slot.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace ui {

class CodeView;
class SourceLink;

/// Shows the source lines of a model whose nodes have stack traces (exported, scripted or compiled models). It shows
/// the file itself if it can be read and matches, else the lines quoted in the stack traces. Lines and nodes select
/// each other.
class SourceViewer final : public QWidget {
    Q_OBJECT
public:
    /// `document` must outlive the viewer.
    explicit SourceViewer(Document& document, QWidget* parent = nullptr);

    CodeView* view() const { return m_view; }    ///< The view of the text.
    QComboBox* files() const { return m_files; } ///< The source files.
    /// Returns the note about the text, or the explanation that replaces it.
    QString about() const;

private:
    void showMap();
    void showFile(int file);
    void showText(int file, const QByteArray& text, bool whole);

    Document& m_document;
    QStackedWidget* m_pages; ///< no source known, text
    QComboBox* m_files;
    QLabel *m_about, *m_empty;
    CodeView* m_view;
    SourceLink* m_link;
    int m_shown = -1;
    TaskSlot<QByteArray> m_reading{"source.read"};
};

} // namespace ui
