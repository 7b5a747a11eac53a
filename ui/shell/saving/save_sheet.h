// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/foresee.h"

#include <QDialog>

class QCheckBox;
class QPushButton;

namespace ui {

/// What PyTorch will make of a file that is about to be written: each point with its reason, what to do instead, and
/// links to the nodes. Accepted: save all the same. Not modal, so that one can go and look at the nodes.
class SaveSheet final : public QDialog {
    Q_OBJECT
public:
    SaveSheet(const QString& path, const std::vector<fx::Foreseen>& points, QWidget* parent);
    /// Null when the file cannot be written so.
    QPushButton* saveAnyway() const { return m_save; }
    /// For this document, no more warnings about names alone. Null when there is more to tell.
    QCheckBox* silence() const { return m_silence; }

Q_SIGNALS:
    void nodeRequested(const QString& name);

private:
    QWidget* makeCard(const fx::Foreseen& point);

    QPushButton* m_save = nullptr;
    QCheckBox* m_silence = nullptr;
};

} // namespace ui
