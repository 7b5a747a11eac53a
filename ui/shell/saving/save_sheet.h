// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/foresee.h"

#include <QDialog>

class QCheckBox;
class QPushButton;

namespace ui {

/// Dialog that shows how PyTorch will read a file before it is written: each point with its reason, a remedy, and links
/// to the nodes. Accepting saves nevertheless. It is not modal, so that the user can look at the nodes.
class SaveSheet final : public QDialog {
    Q_OBJECT
public:
    /// `points` must not be empty.
    SaveSheet(const QString& path, const std::vector<fx::Foreseen>& points, QWidget* parent);
    /// The button that accepts; null if the file cannot be written in this way.
    QPushButton* saveAnyway() const { return m_save; }
    /// The check box that turns off warnings about names for this document; null if there are other points.
    QCheckBox* silence() const { return m_silence; }

Q_SIGNALS:
    void nodeRequested(const QString& name); ///< Emitted when the user clicks the name of a node.

private:
    QWidget* makeCard(const fx::Foreseen& point);

    QPushButton* m_save = nullptr;
    QCheckBox* m_silence = nullptr;
};

} // namespace ui
