// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/picture_exports.h"

#include "ui/widgets/core_text.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace ui {

void PictureExports::write(Document& document, const QString& path, ExportRequest request) {
    const QString name = visible(QFileInfo(path).fileName());
    document.operations().start<bool>(
        DocumentOperations::Kind::Export, {tr("Exporting %1").arg(name), tr("Could not export %1").arg(name)},
        [path, request = std::move(request)](const fx::Progress& progress) {
            exportTo(path, request, progress);
            return true;
        },
        [this, path](bool) { Q_EMIT notified(tr("Exported %1.").arg(path)); });
}

void PictureExports::copy(Document& document, ExportRequest request) {
    document.operations().cancel(DocumentOperations::Kind::Picture); // the clipboard holds one
    const QString title = document.file().title();
    document.operations().start<QImage>(
        DocumentOperations::Kind::Picture,
        {tr("Copying the picture of %1").arg(title), tr("Could not copy the picture of %1").arg(title)},
        [request = std::move(request)](const fx::Progress&) { return exportImage(request); },
        [this, title](const QImage& image) {
            QApplication::clipboard()->setImage(image);
            Q_EMIT notified(tr("Copied the picture of %1.").arg(title));
        });
}

QString askExportPath(QWidget* window, const Document& document, ExportKind kind, const QString& folder) {
    std::vector<SaveFormat> formats{
        {QStringLiteral(".png"), PictureExports::tr("PNG picture (*.png)")},
        {QStringLiteral(".svg"), PictureExports::tr("SVG picture (*.svg)")},
        {QStringLiteral(".pdf"), PictureExports::tr("PDF document (*.pdf)")},
        {QStringLiteral(".dot"), PictureExports::tr("Graphviz DOT (*.dot)")},
        {QStringLiteral(".py"), PictureExports::tr("Python source (*.py)")},
    };
    const auto chosen = formats.begin() + static_cast<std::ptrdiff_t>(kind);
    std::rotate(formats.begin(), chosen, chosen + 1);
    const QString base = QFileInfo(document.file().title()).completeBaseName();
    return askSavePath(window, PictureExports::tr("Export"),
                       QFileInfo(folder, base + formats.front().ending).filePath(), formats);
}

} // namespace ui
