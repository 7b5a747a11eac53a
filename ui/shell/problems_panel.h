// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QPointer>
#include <QTableView>

namespace ui {

/// Panel with the warnings and errors of the document. Rows are as high as their text. Choosing a row goes to its node.
class ProblemsPanel final : public QTableView {
    Q_OBJECT
public:
    explicit ProblemsPanel(QWidget* parent = nullptr);  ///< Creates a panel without a document.
    void setDocument(Document* document);               ///< Shows the problems of `document`; null clears the panel.
    ProblemsModel* problems() const { return m_model; } ///< The model of the rows.

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showProblems();
    void lead(const QModelIndex& index);
    void fitRows();

    QPointer<Document> m_document;
    ProblemsModel* m_model;
};

} // namespace ui
