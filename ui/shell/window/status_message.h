// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

class QStatusBar;

namespace ui {

/// The message in the status bar, shown for a few seconds, and its subject: later events replace or clear messages
/// about some subjects.
class StatusMessage final : public QObject {
    Q_OBJECT
public:
    /// The subject of a message. Other: anything else, or no message.
    enum class Subject : std::uint8_t { Other, LastEdit, Saving };

    explicit StatusMessage(QStatusBar& bar); ///< `bar` becomes the parent.

    void show(const QString& text, Subject subject = Subject::Other); ///< Replaces the message.
    /// True while a message about this subject is shown.
    bool isAbout(Subject subject) const { return m_subject == subject; }
    void clear(); ///< Removes the message.

private:
    QStatusBar& m_bar;
    Subject m_subject = Subject::Other;
};

} // namespace ui
