// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/inspector/tensor_html.h"

#include <QPointer>
#include <QTextBrowser>

#include <map>

namespace ui {

/// Panel with the details of the selection: a node with its module and tensors, a module, a summary of several nodes,
/// or the model.
///
/// The values of tensors are read one by one off the GUI thread: small tensors immediately, large ones on demand.
class InspectorPanel final : public QTextBrowser {
    Q_OBJECT
public:
    explicit InspectorPanel(QWidget* parent = nullptr); ///< Creates a panel without a document.

    /// Shows the selection of `document`; null clears the panel.
    void setDocument(Document* document);

Q_SIGNALS:
    /// Emitted when an argument was edited in place; `place` is its index or name.
    void argumentEdited(Document* document, fx::NodeId node, const QString& place, const QString& text);
    /// Emitted when a constructor setting of a module was edited in place.
    void settingEdited(Document* document, const QString& modulePath, const QString& name, const QString& text);

protected:
    QVariant loadResource(int type, const QUrl& name) override;
    QMimeData* createMimeDataFromSelection() const override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void inspect();
    void describeNode(const fx::Node& node);
    void describeModule(const QString& path);
    void render();
    void follow(const QUrl& link);
    void readNext();
    void read(std::size_t index);
    int histogramWidth() const;
    void editInPlace(const QUrl& link);
    QRect placeOf(const QUrl& link) const;

    QPointer<Document> m_document;
    QString m_description;
    std::vector<ShownTensor> m_tensors;
    std::vector<TensorState> m_states;
    int m_drawnWidth = 0; ///< width of the displayed histograms
    std::map<const fx::TensorRef*, fx::TensorStatistics>
        m_known; ///< by tensor of the document, which lives as long as the document
    TaskSlot<fx::TensorStatistics> m_reading{"inspector.tensor"};
};

} // namespace ui
