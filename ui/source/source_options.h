// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document_source.h"

#include <QWidget>

class QCheckBox;
class QLineEdit;
class QSpinBox;

namespace ui {

/// How source is traced, beside the class and its arguments: fixed inputs, seed, weights, folders of imports.
class SourceOptions final : public QWidget {
    Q_OBJECT
public:
    explicit SourceOptions(QWidget* parent = nullptr);
    void show(const fx::SourceTrace& trace, const SourceChoices& choices);

Q_SIGNALS:
    void chosen(const SourceChoices& choices);

private:
    QLineEdit* field(const QString& name, const QString& tip);
    void changed();
    void browseWeights();
    void addFolder();

    SourceChoices m_choices;
    QLineEdit *m_fixed, *m_weights, *m_folders;
    QSpinBox* m_seed;
    QCheckBox* m_buffers;
    bool m_showing = false;
};

} // namespace ui
