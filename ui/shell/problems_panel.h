// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QPointer>
#include <QTableView>

namespace ui {

/// Warnings and errors of the document, in as many lines as each takes; choosing one goes to its node.
class ProblemsPanel final : public QTableView {
    Q_OBJECT
public:
    explicit ProblemsPanel(QWidget* parent = nullptr);
    void setDocument(Document* document);
    ProblemsModel* problems() const { return m_model; }

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
