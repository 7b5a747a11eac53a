// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/shell/exporter.h"
#include "ui/widgets/save_path.h"

namespace ui {

/// Exports the picture of a document to files and to the clipboard, as operations of the document.
class PictureExports final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    void write(Document& document, const QString& path, ExportRequest request); ///< Writes a file.
    void copy(Document& document, ExportRequest request); ///< Copies the picture to the clipboard.

Q_SIGNALS:
    void notified(const QString& what); ///< Emitted with messages for the status bar.
};

/// Asks for the file of a picture, starting in `folder`; empty if the user cancels. Proposes `kind`, but the name
/// decides the kind (`exportKindOf`).
QString askExportPath(QWidget* window, const Document& document, ExportKind kind, const QString& folder);

} // namespace ui
