// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document_source.h"

#include <QFrame>

class QLabel;
class QToolButton;

namespace ui {

/// Bar below the source that shows the result of tracing, or its first error with place, reason and remedy. A click
/// goes to the place.
class SourceMessage final : public QFrame {
    Q_OBJECT
public:
    /// Creates an empty bar.
    explicit SourceMessage(QWidget* parent = nullptr);
    /// Shows the state of `source`. `edited` is the graph if it was edited apart from the source, else null.
    void show(const DocumentSource& source, const fx::GraphModule* edited = nullptr);
    /// The text that is shown.
    QString text() const;

Q_SIGNALS:
    /// Emitted when the user clicks an error.
    void placeRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* m_icon;
    QLabel *m_what, *m_remedy;
};

/// Formats a fault: "line 18: reason (module blocks.0)", with the file's name if the file is not `path`.
QString faultText(const fx::SourceFault& fault, const QString& path);
/// Returns the 1-based line of the fault; 0 if it has none.
int faultLine(const fx::SourceFault& fault);
/// Returns the fault to report first: an error that stopped tracing is often only the result of a syntax error.
const fx::SourceFault* mainFault(const fx::SourceTrace& trace);

} // namespace ui
