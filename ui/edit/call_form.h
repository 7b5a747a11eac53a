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

    /// An argument that the form starts with.
    struct Value {
        QString name;
        QString text;
        bool byKeyword = false; ///< stays so
    };
    /// Sets the rows and fills them with `values` by name. Values without a parameter get additional rows.
    void setRows(const std::vector<ParameterRow>& rows, const std::vector<Value>& values);
    /// The texts as arguments: those that were given by keyword stay so, in their order; the others are positional
    /// until one is missing. Throws fx::Error{Refused} with the name of the argument.
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
        std::size_t keyword; ///< its place among the keywords that the form started with; kNoKeyword: it was none
    };
    fx::Argument valueOf(const Row& row, const fx::Graph& graph) const;
    static constexpr std::size_t kNoKeyword = static_cast<std::size_t>(-1);
    void addRow(const ParameterRow& parameter, const std::vector<Value>& values);

    QFormLayout* m_layout;
    std::vector<Row> m_rows;
};

} // namespace ui
