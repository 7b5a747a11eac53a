// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document_source.h"

#include <QFrame>

class QLabel;
class QToolButton;

namespace ui {

/// The bar below source: what tracing made of it, or its first error with place, reason and remedy. A click goes there.
class SourceMessage final : public QFrame {
    Q_OBJECT
public:
    explicit SourceMessage(QWidget* parent = nullptr);
    /// `edited`: the graph, where it does not follow the source; else null.
    void show(const DocumentSource& source, const fx::GraphModule* edited = nullptr);
    QString text() const;

Q_SIGNALS:
    void placeRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* m_icon;
    QLabel *m_what, *m_remedy;
};

/// "line 18: reason (module blocks.0)", with the file's name if it is not `path`.
QString faultText(const fx::SourceFault& fault, const QString& path);
/// The 1-based line that the fault names; 0 if it names none.
int faultLine(const fx::SourceFault& fault);
/// The fault to report first: what stopped tracing is often only the result of a syntax error.
const fx::SourceFault* mainFault(const fx::SourceTrace& trace);

} // namespace ui
