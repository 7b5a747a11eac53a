// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/passes/passes_session.h"

#include <QHash>
#include <QTimer>
#include <QWidget>

class QLabel;
class QToolButton;
class QPushButton;

namespace ui {

class CodeView;

/// Editor for the text of a pass. It runs the pass on a copy of the model as the user types, underlines errors with
/// their reason, and completes the API of torch.fx. The text belongs to the list of passes of the document, which
/// stores it in its view, so that unsaved text is not lost.
class PassTextPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PassTextPanel(RunCenter& run, QWidget* parent = nullptr); ///< `run` must outlive the panel.

    /// Turns to another document; null: none.
    void setDocument(Document* document);
    /// Shows the text of a pass; reads its file unless the text was changed.
    void edit(const PassChoice& pass);
    /// Creates a pass from a template; empty: an empty pass.
    void editNew(const QString& templateName);
    /// Underlines an error if it is in the displayed text.
    void showError(const QString& file, const fx::Error& error);
    /// Stores the latest text in the document.
    void keep();

    CodeView* editor() const { return m_editor; }    ///< The editor of the text.
    QLabel* status() const { return m_status; }      ///< The result of the last check.
    QPushButton* runButton() const { return m_run; } ///< Runs the pass on the document.
    /// The displayed pass; nullopt if none exists.
    const std::optional<PassChoice>& pass() const { return m_pass; }
    void saveTo(const QString& path); ///< Writes the text to a file, which becomes the file of the pass.

Q_SIGNALS:
    /// Emitted when the text of a pass of the document changes.
    void textChanged(const PassChoice& pass);
    void shown();                       ///< Emitted when another pass is displayed.
    void notified(const QString& what); ///< Emitted with messages for the status bar.
    /// Emitted when a file could not be read or written.
    void failed(const QString& what, const fx::Error& error);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeHead();
    void show(PassChoice pass, const QByteArray& text);
    void typed();
    void check();
    void complete();
    void setStatus(const char* role, const QString& text);
    void showTitle();
    void save();
    void saveAs();
    void noteFile(const QString& path);
    bool mayOverwrite(const QString& path);

    RunCenter& m_runs;
    QPointer<Document> m_document;
    QPointer<PassesSession> m_session;
    std::optional<PassChoice> m_pass;    ///< the displayed pass
    QHash<QString, QByteArray> m_onDisk; ///< content of files as last read or written
    CodeView* m_editor;
    QLabel *m_title, *m_status, *m_hint;
    QToolButton *m_save, *m_onSelection;
    QPushButton* m_run;
    QTimer m_pause{this};
    struct Tried {
        std::optional<fx::Error> problem;
        std::size_t rewrites = 0;
        bool changed = false;
    };
    TaskSlot<Tried> m_checking{"passes.text"};
};

} // namespace ui
