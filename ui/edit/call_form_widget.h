// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/module/graph_module.h"
#include "ui/edit/callable_search.h"

#include <QWidget>

class QFormLayout;
class QLineEdit;

namespace ui {

/// A form with one text field for each argument of a call, with its type and default. Empty fields are omitted.
class CallForm final : public QWidget {
    Q_OBJECT
public:
    /// Creates a form without rows. `readers` are as in `fx::argumentFromText`.
    explicit CallForm(fx::Readers readers, QWidget* parent = nullptr);

    /// The initial text of an argument.
    struct Value {
        QString name;           ///< the name of its parameter, or of a keyword without a parameter
        QString text;           ///< as `fx::argumentFromText` reads it
        bool byKeyword = false; ///< passed by keyword, and stays so
    };
    /// Sets the rows and fills them with `values` by name. Values without a parameter get additional rows.
    void setRows(const std::vector<ParameterRow>& rows, const std::vector<Value>& values);
    /// Arguments of a call, in the order in which it passes them.
    struct Call {
        std::vector<fx::Argument> args;
        fx::Kwargs kwargs;
    };
    /// Parses the fields. Arguments that started as keywords stay keywords, in their order. The others are positional
    /// up to the first omitted or keyword argument. Throws fx::Error{Refused} with the name of the argument.
    Call call(const fx::Graph& graph) const;
    /// Parses all fields as keyword arguments, for the constructor of a module. Throws like `call`.
    fx::Kwargs settings(const fx::Graph& graph) const;
    /// Focuses the first required argument that is empty. Returns false if none exists.
    bool focusMissing();
    /// The fields in the order of the rows.
    std::vector<QWidget*> fields() const;
    /// Marks the field of argument `name` as invalid and unmarks the others. An empty name unmarks all.
    void markInvalid(const QString& name);

Q_SIGNALS:
    /// Emitted when the text of a field changes.
    void edited();

private:
    struct Row {
        ParameterRow parameter;
        QLineEdit* field;
        std::size_t keyword; ///< index among the keywords that the form started with, or kNoKeyword
    };
    fx::Argument valueOf(const Row& row, const fx::Graph& graph) const;
    static constexpr std::size_t kNoKeyword = static_cast<std::size_t>(-1);
    void addRow(const ParameterRow& parameter, const std::vector<Value>& values);

    fx::Readers m_readers;
    QFormLayout* m_layout;
    std::vector<Row> m_rows;
};

} // namespace ui
