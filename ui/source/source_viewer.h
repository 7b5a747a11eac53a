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

/// The source lines of a model that knows them (exported, scripted or compiled ones): the file itself where it can be
/// read and fits, else the lines that the nodes tell. Lines and nodes select each other.
class SourceViewer final : public QWidget {
    Q_OBJECT
public:
    explicit SourceViewer(Document& document, QWidget* parent = nullptr);

    CodeView* view() const { return m_view; }
    QComboBox* files() const { return m_files; }
    /// What is said about the text, or instead of it.
    QString about() const;

private:
    void showMap();
    void showFile(int file);
    void showText(int file, const QByteArray& text, bool whole);

    Document& m_document;
    QStackedWidget* m_pages; ///< nothing known, text
    QComboBox* m_files;
    QLabel *m_about, *m_empty;
    CodeView* m_view;
    SourceLink* m_link;
    int m_shown = -1;
    TaskSlot<QByteArray> m_reading{"source.read"};
};

} // namespace ui
