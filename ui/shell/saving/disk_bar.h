// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFileSystemWatcher>
#include <QFrame>
#include <QTimer>

class QLabel;
class QPushButton;

namespace ui {

/// Notices that another program has changed, replaced or deleted the file of a document, and offers to reload it: a bar
/// in the document's page. What the document itself writes does not count.
class DiskBar final : public QFrame {
    Q_OBJECT
public:
    explicit DiskBar(Document& document, QWidget* parent = nullptr);

    /// Looks at the file now, off the GUI thread.
    void check();
    QPushButton* reloadButton() const { return m_reload; }
    QPushButton* keepButton() const { return m_keep; }
    QString text() const;
    /// Another program has changed the file since it was read, whether the user keeps the old model or not.
    bool isOutdated() const { return m_isOutdated; }

Q_SIGNALS:
    void reloadRequested();

private:
    using Identity = std::optional<fx::ModelIdentity>;
    struct Seen {
        Identity now;
        bool isReadable = true; ///< the weights of the model that is open
    };
    void watch();
    void take(const Seen& seen);
    void compare();

    Document& m_document;
    QFileSystemWatcher m_watcher;
    QTimer m_settled;         ///< runs while somebody writes
    Identity m_known, m_seen; ///< what the document has, and what was on disk last; nothing: no model
    bool m_isReadable = true, m_isOutdated = false;
    std::optional<Identity> m_kept; ///< what the user wants to hear no more about
    QLabel* m_text;
    QPushButton *m_reload, *m_keep;
    TaskSlot<Seen> m_checking{"disk.check"};
};

} // namespace ui
