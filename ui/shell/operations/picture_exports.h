// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/shell/exporter.h"
#include "ui/shell/saving/save_path.h"

namespace ui {

/// Writes what a document shows to files and to the clipboard, as operations of the document.
class PictureExports final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    void write(Document& document, const QString& path, ExportRequest request);
    void copy(Document& document, ExportRequest request);

Q_SIGNALS:
    void notified(const QString& what);
};

/// Asks where a picture of the document is to go, beginning in `folder`; empty: nowhere. `kind` is proposed; what is
/// written is what the name says (`exportKindOf`).
QString askExportPath(QWidget* window, const Document& document, ExportKind kind, const QString& folder,
                      const PathRefusal& refusal);

} // namespace ui
