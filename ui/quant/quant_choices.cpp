// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_choices.h"

#include "core/quant/measure/fitting_qconfigs.h"

#include <QJsonArray>

#include <algorithm>

namespace ui {

namespace {
const QString kBackend = QStringLiteral("backend"), kMode = QStringLiteral("mode"), kForm = QStringLiteral("form"),
              kData = QStringLiteral("data");
const QString kRules = QStringLiteral("rules"), kKind = QStringLiteral("kind"), kModule = QStringLiteral("module"),
              kType = QStringLiteral("type"), kIndex = QStringLiteral("index"), kQConfig = QStringLiteral("qconfig"),
              kBudget = QStringLiteral("least_sqnr");
constexpr auto kForms = {QuantChoices::Form::Prepared, QuantChoices::Form::Converted, QuantChoices::Form::Reference};
QJsonObject ruleJson(const QuantRule& rule) {
    QJsonObject json{{kKind, static_cast<int>(rule.where.kind)}, {kQConfig, QString::fromStdString(rule.qconfig)}};
    if (!rule.where.module.empty()) json[kModule] = QString::fromStdString(rule.where.module);
    if (!rule.where.objectType.empty()) json[kType] = QString::fromStdString(rule.where.objectType);
    if (rule.where.index != 0) json[kIndex] = static_cast<qint64>(rule.where.index);
    return json;
}

/// Nothing for what is no rule, and for QConfigs that torch.ao does not have.
std::optional<QuantRule> ruleOf(const QJsonObject& json) {
    QuantRule rule;
    const int kind = json.value(kKind).toInt(-1);
    if (kind <= 0 || kind > static_cast<int>(fx::quant::RuleKind::Order)) return {};
    rule.where.kind = static_cast<fx::quant::RuleKind>(kind);
    rule.where.module = json.value(kModule).toString().toStdString();
    rule.where.objectType = json.value(kType).toString().toStdString();
    rule.where.index = json.value(kIndex).toInteger();
    rule.qconfig = json.value(kQConfig).toString().toStdString();
    if (!rule.qconfig.empty() && !fx::quant::namedQConfig(rule.qconfig)) return {};
    return rule;
}

} // namespace

std::vector<std::string_view> qconfigsOf(fx::quant::Mode mode) {
    std::vector<std::string_view> names;
    for (const std::string_view name : fx::quant::qconfigNames())
        if (fx::quant::isForMode(*fx::quant::namedQConfig(name), mode)) names.push_back(name);
    return names;
}

QString formName(QuantChoices::Form form) {
    switch (form) {
    case QuantChoices::Form::Prepared: return QStringLiteral("prepared");
    case QuantChoices::Form::Converted: return QStringLiteral("converted");
    case QuantChoices::Form::Reference: return QStringLiteral("reference");
    }
    return {};
}

bool QuantChoices::calibrates() const { return observes() && (form != Form::Prepared || !dataFile.isEmpty()); }

void QuantChoices::setRule(const fx::quant::NodeRule& where, std::optional<std::string> qconfig) {
    const auto known = std::find_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule.where == where; });
    if (!qconfig) {
        if (known != rules.end()) rules.erase(known);
    } else if (known != rules.end()) {
        known->qconfig = std::move(*qconfig);
    } else {
        rules.push_back({where, std::move(*qconfig)});
    }
}

fx::quant::QConfigMapping QuantChoices::mapping() const {
    fx::quant::QConfigMapping mapping = fx::quant::mappingFor(backend, mode, {});
    for (const QuantRule& rule : rules) rule.where.set(mapping, rule.value());
    return mapping;
}

QJsonObject QuantChoices::toJson() const {
    QJsonObject json{{kBackend, QString::fromUtf8(fx::quant::backendName(backend))},
                     {kMode, QString::fromUtf8(fx::quant::modeName(mode))},
                     {kForm, formName(form)}};
    if (!dataFile.isEmpty()) json[kData] = dataFile;
    QJsonArray own;
    for (const QuantRule& rule : rules) own.append(ruleJson(rule));
    if (!own.isEmpty()) json[kRules] = own;
    if (leastSqnr != QuantChoices().leastSqnr) json[kBudget] = leastSqnr;
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
    for (const QJsonValue& each : json.value(kRules).toArray())
        if (const auto rule = ruleOf(each.toObject())) choices.rules.push_back(*rule);
    choices.leastSqnr = json.value(kBudget).toDouble(choices.leastSqnr);
    return choices;
}

} // namespace ui
