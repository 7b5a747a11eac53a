// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/picture_actions.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/shell/saving/save_center.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/canvas_colours.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window_actions.h"

namespace ui {

PictureActions::PictureActions(WindowActions& actions, DocumentTabs& tabs, CanvasColours& colours, Settings& settings,
                               const SaveCenter& saves, QWidget* window)
    : QObject(window), m_actions(actions), m_tabs(tabs), m_colours(colours), m_settings(settings), m_saves(saves),
      m_window(window), m_exports(new PictureExports(this)) {
    const std::pair<QAction*, ExportKind> kinds[] = {{actions.exportPng, ExportKind::Png},
                                                     {actions.exportSvg, ExportKind::Svg},
                                                     {actions.exportPdf, ExportKind::Pdf},
                                                     {actions.exportDot, ExportKind::Dot},
                                                     {actions.exportCode, ExportKind::Code}};
    for (const auto& [action, kind] : kinds)
        connect(action, &QAction::triggered, this, [this, asked = kind] { ask(asked); });
    connect(actions.copyPicture, &QAction::triggered, this, [this] {
        DocumentPage& page = *m_tabs.page();
        m_exports->copy(page.document(), request(page, ExportKind::Png));
    });
    connect(m_exports, &PictureExports::notified, this, &PictureActions::notified);
}

void PictureActions::ask(ExportKind kind) {
    DocumentPage* page = m_tabs.page();
    if (!page) return;
    if (kind == ExportKind::Png || kind == ExportKind::Svg || kind == ExportKind::Pdf) return askHow(*page, kind);
    const QString path = askPath(page->document(), kind);
    if (!path.isEmpty() && m_tabs.page() == page) write(path, exportKindOf(path));
}

QString PictureActions::askPath(const Document& document, ExportKind kind) const {
    return askExportPath(m_window, document, kind, m_settings.lastFolder());
}

/// Asks how, then where to.
void PictureActions::askHow(DocumentPage& page, ExportKind kind) {
    Document& document = page.document();
    ExportChoice initial = m_choice;
    if (m_actions.exportSelection->isChecked()) initial.content = ExportChoice::Content::Selection;
    ExportDialog dialog(kind, initial, !document.selection().nodes().empty(), m_window);
    const auto requestAs = [this, &page](ExportKind as, const ExportChoice& choice) {
        ExportRequest how = request(page, as);
        how.only.clear();
        applyChoice(choice, page.document().picture().options(), page.document().selection().nodes(), how);
        return how;
    };
    dialog.setRequests([requestAs, kind](const ExportChoice& choice) { return requestAs(kind, choice); });
    if (dialog.exec() != QDialog::Accepted || m_tabs.page() != &page) return;
    m_choice = dialog.choice();
    const QString path = askPath(document, kind);
    if (path.isEmpty() || m_tabs.page() != &page) return;
    write(document, path, requestAs(exportKindOf(path), m_choice));
}

void PictureActions::write(const QString& path, ExportKind kind) {
    DocumentPage& page = *m_tabs.page();
    write(page.document(), path, request(page, kind));
}

void PictureActions::write(Document& document, const QString& path, ExportRequest how) {
    if (const auto error = m_saves.refusal(path))
        return Q_EMIT document.operations().failed(tr("Could not export %1").arg(nameOfPath(path)), *error);
    m_exports->write(document, path, std::move(how));
}

ExportRequest PictureActions::request(DocumentPage& page, ExportKind kind) const {
    Document& document = page.document();
    ExportRequest request;
    request.kind = kind;
    request.module = kind == ExportKind::Code ? document.module() : document.shapes().shown();
    request.scene = document.picture().scene();
    request.layout = document.picture().options();
    request.layout->fullNames = true;
    if (m_actions.exportSelection->isChecked()) request.only = document.selection().nodes();
    request.look = page.canvas().look();
    request.legend = m_colours.legend();
    request.theme = theme();
    request.title = document.file().title();
    return request;
}

} // namespace ui
