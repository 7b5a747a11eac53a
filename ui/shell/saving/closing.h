// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/saving/save_center.h"
#include "ui/shell/saving/unsaved_question.h"

#include <QTimer>

namespace ui {

/// Closes documents without losing anything: asks about unsaved changes, saves what is to be saved, and waits for
/// everything that is being written, with a dialog that shows how far it is and can cancel it. A save that is cancelled
/// or fails stops the whole: nothing is closed, nothing is discarded. It deletes itself.
class Closing final : public QObject {
    Q_OBJECT
public:
    Closing(const QList<Document*>& documents, SaveCenter& saves, QWidget* window);
    ~Closing() override;

    /// When nothing is to be written, it is `finished` before this returns.
    void start();
    /// Shows what is waited for.
    void raise();

Q_SIGNALS:
    /// `closable`: those of the documents that may go now; `all`: none has to stay.
    void finished(const QList<Document*>& closable, bool all);
    /// A question about this document waits for its answer.
    void answerNeeded(Document* document);

private:
    /// What the user gave up: nothing that was done since.
    struct Discarded {
        std::shared_ptr<const fx::GraphModule> version;
        QByteArray draft;
    };
    static Discarded stateOf(const Document& document);
    bool isUnsaved(const Document& document) const;
    bool settle();
    void save(Document& document);
    void proceed();
    void waitFor(bool asks);
    void makeDialog();
    bool mayGo(Document& document) const;
    void finish(bool cancelled);

    QList<QPointer<Document>> m_documents;
    QHash<const Document*, Discarded> m_discarded;
    QHash<const Document*, QByteArray> m_leftOut; ///< unapplied code that was there when saving began
    QList<const Document*> m_chosen, m_saved;
    SaveCenter& m_saves;
    QWidget* m_window;
    QPointer<QDialog> m_dialog;
    QPointer<Document> m_asking;
    QTimer m_patience;
    bool m_cancelled = false; ///< a save was
    bool m_stopped = false;   ///< a save was cancelled or failed: nothing is closed
    bool m_done = false;
};

using Reopen = std::function<void(const QString& path)>;
/// Reads a document again, or another model of its file; asks first when there are unsaved changes. With `reopen`,
/// another program has changed the file: saving would overwrite what is to be read, so the changes go to another file,
/// which the document is then, and `reopen` is called with the path of the first.
void reloadAsking(Document& document, const QString& modelName, const Reopen& reopen, SaveCenter& saves,
                  QWidget* window);

} // namespace ui
