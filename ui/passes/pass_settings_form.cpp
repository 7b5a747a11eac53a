// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/pass_settings_form.h"

#include "core/passes/pass_list.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace ui {

namespace {

/// Undefined if it is not JSON.
QJsonValue valueOf(std::string_view json) {
    const QByteArray list = "[" + QByteArray(json.data(), static_cast<qsizetype>(json.size())) + "]";
    return QJsonDocument::fromJson(list).array().at(0);
}

QString jsonOf(const QJsonValue& value) {
    if (value.isString()) return value.toString(); // what was typed and is not JSON
    const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return QString::fromUtf8(list.sliced(1, list.size() - 2));
}

/// "measure" as a label: "Measure"; "fuse_conv" as "Fuse conv"; "as_torch_fx" as "As torch.fx".
QString titleOf(std::string_view name) {
    QString title = fromCore(name).replace(QLatin1String("torch_fx"), QLatin1String("torch.fx")).replace(u'_', u' ');
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    return title;
}

QString wordsOf(const QJsonArray& list) {
    QStringList words;
    for (const QJsonValue& each : list) words << each.toString();
    return words.join(QStringLiteral(", "));
}

QJsonArray listOf(const QString& words) {
    QJsonArray list;
    for (const QString& word : words.split(u',', Qt::SkipEmptyParts))
        if (!word.trimmed().isEmpty()) list.append(word.trimmed());
    return list;
}

} // namespace

PassSettingsForm::PassSettingsForm(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    hide();
}

void PassSettingsForm::show(const PassChoice* pass) {
    const bool same = pass && m_pass && m_pass->isText() == pass->isText() && m_pass->label() == pass->label() &&
                      m_pass->settings == pass->settings && m_pass->untilUnchanged == pass->untilUnchanged;
    if (same) return;
    m_pass = pass ? std::optional(*pass) : std::nullopt;
    delete m_page;
    m_page = nullptr;
    setVisible(pass != nullptr);
    if (!pass) return;
    m_page = new QWidget(this);
    auto* column = new QVBoxLayout(m_page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    const fx::Pass* known = pass->isText() ? nullptr : fx::findPass(pass->name.toStdString());
    auto* about = new WrappedLabel(m_page, known            ? linesFromCore(known->about)
                                           : pass->isText() ? tr("A pass in Python text. Double-click to edit it.")
                                                            : tr("There is no pass of this name."));
    about->setProperty("role", "muted");
    column->addWidget(about);
    for (const fx::PassSetting& setting : known ? known->settings : std::vector<fx::PassSetting>()) {
        const QString name = fromCore(setting.name);
        const QJsonValue byDefault = valueOf(setting.byDefault);
        const QJsonValue now = m_pass->settings.contains(name) ? m_pass->settings[name] : byDefault;
        const auto take = [this, name, byDefault](const QJsonValue& value) {
            if (value == byDefault) m_pass->settings.remove(name);
            else m_pass->settings[name] = value;
            tell();
        };
        if (byDefault.isBool()) {
            auto* box = new QCheckBox(titleOf(setting.name), m_page);
            box->setObjectName(name);
            box->setChecked(now.toBool());
            box->setToolTip(linesFromCore(setting.about));
            connect(box, &QCheckBox::toggled, this, [take](bool on) { take(on); });
            column->addWidget(box);
            continue;
        }
        auto* label = new QLabel(titleOf(setting.name), m_page);
        const bool isList = byDefault.isArray();
        auto* field = new QLineEdit(isList ? wordsOf(now.toArray()) : jsonOf(now), m_page);
        field->setObjectName(name);
        field->setPlaceholderText(isList ? tr("all, or names separated by commas") : jsonOf(byDefault));
        for (QWidget* each : {static_cast<QWidget*>(label), static_cast<QWidget*>(field)})
            each->setToolTip(linesFromCore(setting.about));
        label->setBuddy(field);
        connect(field, &QLineEdit::textEdited, this, [take, byDefault, isList](const QString& words) {
            // What is not JSON yet stands for itself, so that the pass says what is wrong with it.
            const QJsonValue value = isList ? QJsonValue(listOf(words)) : valueOf(words.trimmed().toStdString());
            const bool isEmpty = isList ? value.toArray().isEmpty() : words.trimmed().isEmpty();
            take(isEmpty ? byDefault : value.isUndefined() ? QJsonValue(words) : value);
        });
        column->addWidget(label);
        column->addWidget(field);
    }
    auto* until = new QCheckBox(tr("Run until nothing changes"), m_page);
    until->setObjectName(QStringLiteral("until_unchanged"));
    until->setChecked(m_pass->untilUnchanged);
    until->setToolTip(tr("Run this pass again and again until it changes nothing more (torch.fx loop_pass)"));
    connect(until, &QCheckBox::toggled, this, [this](bool on) {
        m_pass->untilUnchanged = on;
        tell();
    });
    column->addWidget(until);
    layout()->addWidget(m_page);
}

void PassSettingsForm::tell() { Q_EMIT edited(m_pass->settings, m_pass->untilUnchanged); }

} // namespace ui
