// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document_source.h"

#include <QWidget>

class QCheckBox;
class QLineEdit;
class QSpinBox;

namespace ui {

/// Form of the tracing options besides the class and its arguments: fixed inputs, seed, weights, import folders.
class SourceOptions final : public QWidget {
    Q_OBJECT
public:
    /// Creates an empty form.
    explicit SourceOptions(QWidget* parent = nullptr);
    /// Shows `choices`. The fields suggest the inputs of `trace`.
    void show(const fx::SourceTrace& trace, const SourceChoices& choices);

Q_SIGNALS:
    /// Emitted when the user changes an option.
    void chosen(const SourceChoices& choices);

private:
    QLineEdit* field(const QString& name, const QString& tip);
    void changed();
    void browseWeights();
    void addFolder();

    SourceChoices m_choices;
    QLineEdit *m_fixed, *m_weights, *m_folders;
    QSpinBox* m_seed;
    QCheckBox *m_strict, *m_buffers;
    bool m_showing = false;
};

} // namespace ui
