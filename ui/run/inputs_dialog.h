// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_guess.h"

#include <QDialog>

#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace ui {

/// What a model is run with: a row per input with shape, type, generator and its values, prefilled with what was
/// guessed and why; the batch size as one number for all of them, and the seed. What cannot be used is said at once,
/// and disables OK. An input with a default value is left to it unless a generator is chosen.
class InputsDialog final : public QDialog {
    Q_OBJECT
public:
    /// `guesses`: one per input of the model, in its order; `description` may lack some of them.
    InputsDialog(const fx::InputDescription& description, std::vector<fx::InputGuess> guesses,
                 QWidget* parent = nullptr);
    /// What is entered, as far as it can be used.
    fx::InputDescription description() const;
    QString complaint() const { return m_complaint; }

    QTableWidget* table() const { return m_table; }
    QSpinBox* batch() const { return m_batch; }
    QSpinBox* seed() const { return m_seed; }
    QLineEdit* shape(int row) const { return m_rows[static_cast<std::size_t>(row)].shape; }
    QComboBox* type(int row) const { return m_rows[static_cast<std::size_t>(row)].type; }
    QComboBox* generator(int row) const { return m_rows[static_cast<std::size_t>(row)].generator; }
    QLineEdit* values(int row) const { return m_rows[static_cast<std::size_t>(row)].values; }
    QPushButton* accepts() const { return m_accepts; }

public Q_SLOTS:
    /// Takes what was guessed again.
    void reset();

private:
    struct Row {
        fx::InputSpec spec; ///< what has no field: name, batch dimension
        QLineEdit* shape;
        QComboBox *type, *generator;
        QLineEdit* values;
        QPushButton* browse;
    };
    void addRow(const fx::InputGuess& guess);
    void fill(Row& row, const fx::InputSpec& input);
    void show(const fx::InputDescription& description);
    void turnBatch(int size);
    void check();
    void browse(QLineEdit* values);
    /// Reads a row; what is wrong with it, or empty.
    QString read(const Row& row, fx::InputSpec& input) const;
    /// The input is left to its default value.
    static bool isDefault(const Row& row);

    std::vector<fx::InputGuess> m_guesses;
    std::vector<Row> m_rows;
    QTableWidget* m_table;
    QSpinBox *m_batch, *m_seed;
    QLabel* m_message;
    QPushButton* m_accepts = nullptr;
    QString m_complaint;
    bool m_filling = false;
};

} // namespace ui
