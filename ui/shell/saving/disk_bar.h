// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFileSystemWatcher>
#include <QFrame>
#include <QTimer>

class QLabel;
class QPushButton;

namespace ui {

/// Bar in a document's page that appears when another program has changed, replaced or deleted the document's file, and
/// offers to reload it. It ignores what the document itself writes.
class DiskBar final : public QFrame {
    Q_OBJECT
public:
    explicit DiskBar(Document& document, QWidget* parent = nullptr); ///< `document` must outlive the bar.

    /// Checks the file now, off the GUI thread.
    void check();
    QPushButton* reloadButton() const { return m_reload; } ///< The button that reloads the file.
    QPushButton* keepButton() const { return m_keep; }     ///< The button that keeps the open model.
    QString text() const;                                  ///< The text of the bar.
    /// True if another program has changed the file since it was read, even if the user keeps the open model.
    bool isOutdated() const { return m_isOutdated; }

Q_SIGNALS:
    void reloadRequested(); ///< Emitted when the user clicks Reload.

private:
    using Identity = std::optional<fx::ModelIdentity>;
    struct Seen {
        Identity now;
        bool isReadable = true; ///< the weights of the open model can be read
    };
    void watch();
    void take(const Seen& seen);
    void compare();

    Document& m_document;
    QFileSystemWatcher m_watcher;
    QTimer m_settled{this};   ///< delay until the file is no longer being written
    Identity m_known, m_seen; ///< content of the open model, and of the disk at the last check; nullopt: no model
    bool m_isReadable = true, m_isOutdated = false;
    std::optional<Identity> m_kept; ///< the content on disk that the user chose to ignore
    QLabel* m_text;
    QPushButton *m_reload, *m_keep;
    TaskSlot<Seen> m_checking{"disk.check"};
};

} // namespace ui
