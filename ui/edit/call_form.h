// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "ui/edit/callables.h"

#include <QWidget>

class QFormLayout;
class QLineEdit;

namespace ui {

/// A line of text for each argument of a call, with its type and default. Empty lines are omitted.
class CallForm final : public QWidget {
    Q_OBJECT
public:
    explicit CallForm(QWidget* parent = nullptr);

    /// Sets the rows and fills them with `values` by name. Values without a parameter get additional rows.
    void setRows(const std::vector<ParameterRow>& rows, const std::vector<std::pair<QString, QString>>& values);
    /// The texts as arguments, positional until one is missing. Throws fx::Error{Refused} with the name of the
    /// argument.
    struct Call {
        std::vector<fx::Argument> args;
        fx::Kwargs kwargs;
    };
    Call call(const fx::Graph& graph) const;
    /// The same, all by name, as settings of a module.
    fx::Kwargs settings(const fx::Graph& graph) const;
    /// Goes to the first required argument that is empty. False if there is none.
    bool focusMissing();
    /// The fields in their order.
    std::vector<QWidget*> fields() const;
    /// Marks the field of the argument whose text is no value; empty: none.
    void markInvalid(const QString& name);

Q_SIGNALS:
    void edited();

private:
    struct Row {
        ParameterRow parameter;
        QLineEdit* field;
    };
    fx::Argument valueOf(const Row& row, const fx::Graph& graph) const;
    void addRow(const ParameterRow& parameter, const QString& value);

    QFormLayout* m_layout;
    std::vector<Row> m_rows;
};

} // namespace ui
