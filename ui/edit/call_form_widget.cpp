// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/call_form_widget.h"

#include "core/edit/argument_text.h"
#include "ui/widgets/theme.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

#include <algorithm>

namespace ui {
namespace {

fx::Error missing(const ParameterRow& parameter) {
    return {fx::ErrorKind::Refused, fx::Message("window.missing_argument", {{"name", parameter.name.toStdString()}})};
}

} // namespace

CallForm::CallForm(fx::Readers readers, QWidget* parent)
    : QWidget(parent), m_readers(std::move(readers)), m_layout(new QFormLayout(this)) {
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_layout->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_layout->setVerticalSpacing(6);
    m_layout->setHorizontalSpacing(12);
}

void CallForm::setRows(const std::vector<ParameterRow>& rows, const std::vector<Value>& values) {
    while (m_layout->rowCount() > 0) m_layout->removeRow(0);
    m_rows.clear();
    for (const ParameterRow& row : rows) addRow(row, values);
    for (const Value& value : values)
        if (std::none_of(rows.begin(), rows.end(), [&](const ParameterRow& row) { return row.name == value.name; })) {
            const bool positional = !value.name.isEmpty() && value.name[0].isDigit();
            addRow({value.name, {}, {}, positional, !positional, false}, values);
        }
}

void CallForm::addRow(const ParameterRow& parameter, const std::vector<Value>& values) {
    const auto value =
        std::find_if(values.begin(), values.end(), [&](const Value& each) { return each.name == parameter.name; });
    auto* field = new QLineEdit(value == values.end() ? QString() : value->text, this);
    field->setFont(monoFont());
    field->setPlaceholderText(parameter.required                ? tr("required")
                              : parameter.defaultText.isEmpty() ? tr("omitted")
                                                                : parameter.defaultText);
    field->setToolTip((parameter.type.isEmpty() ? QString() : parameter.type + u'\n') +
                      tr("Node names, numbers, strings, lists, tuples, torch.float32, None"));
    QString name = parameter.name.toHtmlEscaped();
    constexpr int kShortType = 14; // longer ones stand in the tool tip
    if (!parameter.type.isEmpty() && parameter.type.size() <= kShortType)
        name += QStringLiteral(" <span style='color:%1'>%2</span>")
                    .arg(theme().muted.name(), parameter.type.toHtmlEscaped());
    auto* label = new QLabel(name, this);
    label->setMaximumWidth(240);
    label->setToolTip(parameter.type);
    field->setAccessibleName(parameter.name);
    m_layout->addRow(label, field);
    if (isVisible()) label->show(), field->show(); // now, since the keyboard may go there next
    connect(field, &QLineEdit::textChanged, this, &CallForm::edited);
    const bool byKeyword = value != values.end() && value->byKeyword;
    m_rows.push_back({parameter, field, byKeyword ? static_cast<std::size_t>(value - values.begin()) : kNoKeyword});
}

fx::Argument CallForm::valueOf(const Row& row, const fx::Graph& graph) const {
    try {
        return fx::argumentFromText(row.field->text().toStdString(), graph, m_readers);
    } catch (const fx::Error& error) {
        throw fx::Error(fx::ErrorKind::Refused,
                        fx::Message("window.argument", {{"name", row.parameter.name.toStdString()},
                                                        {"reason", error.what()},
                                                        {"cause", error.message().code()}}));
    }
}

CallForm::Call CallForm::call(const fx::Graph& graph) const {
    Call call;
    bool gap = false; // nothing can be positional after an argument that is left out or has its keyword
    std::vector<const Row*> named;
    for (const Row& row : m_rows) {
        const bool omitted = row.field->text().trimmed().isEmpty();
        if (omitted && row.parameter.required) throw missing(row.parameter);
        const bool byKeyword = gap || row.parameter.keywordOnly || row.keyword != kNoKeyword;
        if (!omitted && byKeyword) named.push_back(&row);
        else if (!omitted) call.args.push_back(valueOf(row, graph));
        gap = gap || (!row.parameter.keywordOnly && (omitted || byKeyword));
    }
    std::stable_sort(named.begin(), named.end(), [](const Row* a, const Row* b) { return a->keyword < b->keyword; });
    for (const Row* row : named) call.kwargs.emplace_back(row->parameter.name.toStdString(), valueOf(*row, graph));
    return call;
}

fx::Kwargs CallForm::settings(const fx::Graph& graph) const {
    fx::Kwargs settings;
    for (const Row& row : m_rows) {
        if (!row.field->text().trimmed().isEmpty())
            settings.emplace_back(row.parameter.name.toStdString(), valueOf(row, graph));
        else if (row.parameter.required) throw missing(row.parameter);
    }
    return settings;
}

bool CallForm::focusMissing() {
    for (const Row& row : m_rows)
        if (row.parameter.required && row.field->text().trimmed().isEmpty())
            return row.field->setFocus(Qt::OtherFocusReason), true;
    return false;
}

std::vector<QWidget*> CallForm::fields() const {
    std::vector<QWidget*> fields;
    for (const Row& row : m_rows) fields.push_back(row.field);
    return fields;
}

void CallForm::markInvalid(const QString& name) {
    for (const Row& row : m_rows) {
        const bool invalid = !name.isEmpty() && row.parameter.name == name;
        if (row.field->property("invalid").toBool() == invalid) continue;
        row.field->setProperty("invalid", invalid);
        row.field->setStyle(row.field->style()); // takes up the changed property
    }
}

} // namespace ui
