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

/// Dialog for the inputs of a model: one row per input with shape, type, generator and its parameters, prefilled with
/// the guess and its reason; one batch size for all inputs, and the seed. It reports invalid inputs immediately and
/// disables OK. An input with a default value keeps it unless a generator is chosen.
class InputsDialog final : public QDialog {
    Q_OBJECT
public:
    /// `guesses` has one entry per input of the model, in its order; `description` may lack some inputs.
    InputsDialog(const fx::InputDescription& description, std::vector<fx::InputGuess> guesses,
                 QWidget* parent = nullptr);
    /// Returns the valid part of the entries.
    fx::InputDescription description() const;
    QString complaint() const { return m_complaint; } ///< The reason why the entries are invalid, or empty.

    QTableWidget* table() const { return m_table; } ///< One row per input.
    QSpinBox* batch() const { return m_batch; }     ///< The batch size.
    QSpinBox* seed() const { return m_seed; }       ///< The seed of the generators.
    QComboBox* mode() const { return m_mode; }      ///< The mode in which models run.
    /// The field of an input's shape.
    QLineEdit* shape(int row) const { return m_rows[static_cast<std::size_t>(row)].shape; }
    /// The choice of an input's type.
    QComboBox* type(int row) const { return m_rows[static_cast<std::size_t>(row)].type; }
    /// The choice of an input's generator.
    QComboBox* generator(int row) const { return m_rows[static_cast<std::size_t>(row)].generator; }
    /// The field of the generator's parameters.
    QLineEdit* values(int row) const { return m_rows[static_cast<std::size_t>(row)].values; }
    QPushButton* accepts() const { return m_accepts; } ///< The OK button.

public Q_SLOTS:
    /// Restores the guesses.
    void reset();

private:
    struct Row {
        fx::InputSpec spec; ///< parts without a field: name, batch dimension
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
    /// Parses a row. Returns the error, or empty.
    QString read(const Row& row, fx::InputSpec& input) const;
    /// True if the input keeps its default value.
    static bool isDefault(const Row& row);

    std::vector<fx::InputGuess> m_guesses;
    std::vector<Row> m_rows;
    QTableWidget* m_table;
    QSpinBox *m_batch, *m_seed;
    QComboBox* m_mode;
    QLabel* m_message;
    QPushButton* m_accepts = nullptr;
    QString m_complaint;
    bool m_filling = false;
};

} // namespace ui
