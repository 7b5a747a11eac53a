// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

class QLabel;
class QStatusBar;

namespace ui {

class CurrentDocument;

/// The part of the status bar about the document in front: its name, counts, and what is drawn.
class StatusLine final : public QObject {
    Q_OBJECT
public:
    /// `bar` becomes the parent; `document` must outlive it.
    StatusLine(QStatusBar& bar, const CurrentDocument& document);
    void update(); ///< Shows the current state.

private:
    const CurrentDocument& m_document;
    QLabel *m_file, *m_counts, *m_picture;
};

} // namespace ui
