// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/saving/save_center.h"
#include "ui/shell/saving/unsaved_question.h"

#include <QTimer>

namespace ui {

/// Closes documents without losing anything: asks about unsaved changes, saves the chosen documents, and waits for
/// everything that is being written. A dialog shows the progress and can cancel it. If a save fails or is cancelled,
/// nothing is closed or discarded. The object deletes itself.
class Closing final : public QObject {
    Q_OBJECT
public:
    /// `window` becomes the parent. Documents may be destroyed meanwhile.
    Closing(const QList<Document*>& documents, SaveCenter& saves, QWidget* window);
    ~Closing() override;

    /// Asks and saves. Emits `finished` before it returns if nothing has to be written.
    void start();
    /// Brings the open question or the progress dialog to the front.
    void raise();

Q_SIGNALS:
    /// Emitted at the end. `closable` are the documents that may be closed now; `all` is false if a document has to
    /// stay.
    void finished(const QList<Document*>& closable, bool all);
    /// Emitted when a question about `document` waits for its answer.
    void answerNeeded(Document* document);

private:
    /// The changes that the user discarded; later changes are not included.
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
    QHash<const Document*, QByteArray> m_leftOut; ///< unapplied code that existed when saving began
    QList<const Document*> m_chosen, m_saved;
    SaveCenter& m_saves;
    QWidget* m_window;
    QPointer<QDialog> m_dialog;
    QPointer<Document> m_asking;
    QTimer m_patience{this};
    bool m_cancelled = false; ///< a save was cancelled
    bool m_stopped = false;   ///< a save was cancelled or failed: nothing is closed
    bool m_done = false;
};

using Reopen = std::function<void(const QString& path)>; ///< opens the file at `path`
/// Reads a document again, or another model of its file. Asks first if there are unsaved changes. With `reopen`,
/// another program has changed the file, and saving would overwrite the content to be read: the changes are saved to
/// another file, which becomes the document's file, and `reopen` gets the path of the original.
void reloadAsking(Document& document, const QString& modelName, const Reopen& reopen, SaveCenter& saves,
                  QWidget* window);

} // namespace ui
