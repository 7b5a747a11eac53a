// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_choices.h"

#include "ui/document/node_facts.h"

namespace ui {

namespace {
const QString kBackend = QStringLiteral("backend"), kMode = QStringLiteral("mode"), kForm = QStringLiteral("form"),
              kData = QStringLiteral("data");
constexpr auto kForms = {QuantChoices::Form::Prepared, QuantChoices::Form::Converted, QuantChoices::Form::Reference};
} // namespace

QString formName(QuantChoices::Form form) {
    switch (form) {
    case QuantChoices::Form::Prepared: return QStringLiteral("prepared");
    case QuantChoices::Form::Converted: return QStringLiteral("converted");
    case QuantChoices::Form::Reference: return QStringLiteral("reference");
    }
    return {};
}

bool QuantChoices::calibrates() const { return observes() && (form != Form::Prepared || !dataFile.isEmpty()); }

QJsonObject QuantChoices::toJson() const {
    QJsonObject json{{kBackend, QString::fromUtf8(fx::quant::backendName(backend))},
                     {kMode, QString::fromUtf8(fx::quant::modeName(mode))},
                     {kForm, formName(form)}};
    if (!dataFile.isEmpty()) json[kData] = dataFile;
    return json;
}

QuantChoices QuantChoices::fromJson(const QJsonObject& json) {
    QuantChoices choices;
    const auto text = [&](const QString& key) { return json.value(key).toString(); };
    choices.backend = fx::quant::backendFromName(text(kBackend).toStdString()).value_or(choices.backend);
    choices.mode = fx::quant::modeFromName(text(kMode).toStdString()).value_or(choices.mode);
    for (const Form form : kForms)
        if (formName(form) == text(kForm)) choices.form = form;
    choices.dataFile = text(kData);
    return choices;
}

} // namespace ui
