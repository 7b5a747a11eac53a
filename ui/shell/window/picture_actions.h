// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/operations/export_dialog.h"
#include "ui/shell/operations/picture_exports.h"

namespace ui {

class CanvasColours;
class DocumentPage;
class DocumentTabs;
class SaveCenter;
class Settings;
class WindowActions;

/// Exports the page in front with its current look.
class PictureActions final : public QObject {
    Q_OBJECT
public:
    /// The arguments must outlive the object; `window` becomes the parent.
    PictureActions(WindowActions& actions, DocumentTabs& tabs, CanvasColours& colours, Settings& settings,
                   const SaveCenter& saves, QWidget* window);

    /// Writes a file off the GUI thread.
    void write(const QString& path, ExportKind kind);

Q_SIGNALS:
    void notified(const QString& what); ///< Emitted with messages for the status bar.

private:
    void ask(ExportKind kind);
    QString askPath(const Document& document, ExportKind kind) const;
    void write(Document& document, const QString& path, ExportRequest how);
    void askHow(DocumentPage& page, ExportKind kind);
    ExportRequest request(DocumentPage& page, ExportKind kind) const;

    WindowActions& m_actions;
    DocumentTabs& m_tabs;
    CanvasColours& m_colours;
    Settings& m_settings;
    const SaveCenter& m_saves;
    QWidget* m_window;
    PictureExports* m_exports;
    ExportChoice m_choice; ///< the last choice
};

} // namespace ui
