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

/// An editor for the text of a pass: it is run on a copy of the model while one types, and what is wrong is underlined,
/// with the reason. Completes the API of torch.fx. The text belongs to the list of passes of the document, which keeps
/// it with the view, so that it is not lost when it was not saved to its file.
class PassTextPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PassTextPanel(RunCenter& run, QWidget* parent = nullptr);

    /// Null for none.
    void setDocument(Document* document);
    /// Shows the text of a pass; reads its file unless it was changed.
    void edit(const PassChoice& pass);
    /// Begins a pass from a template by its name; empty: an empty pass.
    void editNew(const QString& templateName);
    /// Underlines what is wrong, if it is in the text that is shown.
    void showError(const QString& file, const fx::Error& error);
    /// Keeps what was typed just now.
    void keep();

    CodeView* editor() const { return m_editor; }
    QLabel* status() const { return m_status; }
    QPushButton* runButton() const { return m_run; }
    const std::optional<PassChoice>& pass() const { return m_pass; }
    void saveTo(const QString& path);

Q_SIGNALS:
    /// The text of a pass of the document is another one now.
    void textChanged(const PassChoice& pass);
    void shown();
    void notified(const QString& what);
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
    std::optional<PassChoice> m_pass;    ///< that is shown
    QHash<QString, QByteArray> m_onDisk; ///< files as they were read or written here
    CodeView* m_editor;
    QLabel *m_title, *m_status, *m_hint;
    QToolButton *m_save, *m_onSelection;
    QPushButton* m_run;
    QTimer m_pause;
    struct Tried {
        std::optional<fx::Error> problem;
        std::size_t rewrites = 0;
        bool changed = false;
    };
    TaskSlot<Tried> m_checking{"passes.text"};
};

} // namespace ui
