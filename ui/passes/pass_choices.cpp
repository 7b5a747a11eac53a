// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/pass_choices.h"

#include "core/edit/recipe.h"
#include "core/files/file_identity.h"
#include "core/files/read_text.h"
#include "core/passes/manager/pass_pipeline.h"
#include "core/textpasses/text_pass.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace ui {

namespace {

const QString kName = QStringLiteral("name"), kFile = QStringLiteral("file"), kText = QStringLiteral("text"),
              kSettings = QStringLiteral("settings"), kUntil = QStringLiteral("until_unchanged"),
              kTicked = QStringLiteral("ticked"), kPasses = QStringLiteral("passes"), kTimes = QStringLiteral("times");
constexpr std::uint64_t kMaxPassText = std::uint64_t{4} << 20; // bytes

PassChoice choiceOf(const QJsonValue& json) {
    PassChoice choice;
    if (json.isString()) {
        choice.name = json.toString();
        return choice;
    }
    const QJsonObject object = json.toObject();
    choice.name = object[kName].toString();
    choice.file = object[kFile].toString();
    if (object[kText].isString()) choice.text = object[kText].toString().toUtf8();
    choice.settings = object[kSettings].toObject();
    choice.untilUnchanged = object[kUntil].toBool() || object[kTimes].toInt(1) > 1;
    choice.ticked = object[kTicked].toBool(true);
    return choice;
}

/// "p.py:Name" is a file and a name.
void splitName(PassChoice& choice) {
    const qsizetype colon = choice.file.lastIndexOf(QLatin1String(".py:"));
    if (colon < 0) return;
    choice.name = choice.file.mid(colon + 4);
    choice.file.truncate(colon + 3);
}

/// Constraints sort the passes; the list shows them as they run.
void sortAsRun(std::vector<PassChoice>& passes, const std::vector<fx::PassRequest>& order) {
    std::vector<PassChoice> sorted;
    for (const fx::PassRequest& request : order) {
        const auto at = std::find_if(passes.begin(), passes.end(), [&](const PassChoice& choice) {
            const QString name = choice.isText() && choice.name.isEmpty() ? choice.file : choice.name;
            return name == QString::fromStdString(request.name);
        });
        if (at == passes.end()) continue;
        sorted.push_back(*at);
        passes.erase(at);
    }
    sorted.insert(sorted.end(), passes.begin(), passes.end());
    passes = std::move(sorted);
}

} // namespace

QString PassChoice::label() const {
    if (!isText()) return name;
    const QString base = QFileInfo(file).fileName();
    return name.isEmpty() ? base : base + u':' + name;
}

QJsonObject PassChoice::toPipeline() const {
    QJsonObject out;
    if (isText()) {
        out[kFile] = name.isEmpty() ? file : file + u':' + name;
        if (text) out[kText] = QString::fromUtf8(*text);
    } else {
        out[kName] = name;
        if (!settings.isEmpty()) out[kSettings] = settings;
    }
    if (untilUnchanged) out[kUntil] = true;
    return out;
}

QJsonObject PassChoices::toJson() const {
    QJsonArray list;
    for (const PassChoice& pass : passes) {
        QJsonObject each = pass.toPipeline();
        if (pass.isText()) each[kFile] = pass.file, each[kName] = pass.name;
        if (!pass.ticked) each[kTicked] = false;
        list.append(each);
    }
    return {{kPasses, list},
            {QStringLiteral("rest"), rest},
            {QStringLiteral("on_selection"), onSelection},
            {QStringLiteral("verifies"), verifies}};
}

PassChoices PassChoices::fromJson(const QJsonObject& json) {
    PassChoices choices;
    const QJsonArray list = json[kPasses].toArray();
    for (const QJsonValue& each : list)
        if (PassChoice choice = choiceOf(each); choice.isText() || !choice.name.isEmpty())
            choices.passes.push_back(std::move(choice));
    choices.rest = json[QLatin1String("rest")].toObject();
    choices.onSelection = json[QLatin1String("on_selection")].toBool();
    choices.verifies = json[QLatin1String("verifies")].toBool();
    return choices;
}

QJsonObject PassChoices::pipeline(const std::optional<QStringList>& nodes) const {
    QJsonObject out = rest;
    QJsonArray list;
    for (const PassChoice& pass : passes)
        if (pass.ticked) list.append(pass.toPipeline());
    out[kPasses] = list;
    if (nodes) out[QStringLiteral("nodes")] = QJsonArray::fromStringList(*nodes);
    return out;
}

QJsonObject PassChoices::pipelineAt(const QString& path) const {
    const QString folder = QFileInfo(path).absolutePath();
    PassChoices carried = *this;
    for (PassChoice& pass : carried.passes) {
        if (!pass.isText() || pass.text) continue;
        const std::string file = pass.file.toStdString();
        if (fx::resolvedInside(folder.toStdString(), file).empty())
            pass.text = QByteArray::fromStdString(fx::readTextFile(file, kMaxPassText));
        else pass.file = QDir(folder).relativeFilePath(pass.file);
    }
    return carried.pipeline();
}

PassChoices PassChoices::fromPipeline(const QByteArray& json, const QString& path) {
    const auto document = fx::JsonDocument::parse(json.toStdString(), {}, fx::JsonDocument::Positions::Keep);
    fx::PassManager manager = fx::readPipeline(document->root(), fx::textPasses());
    manager.solveConstraints();
    QJsonObject object = QJsonDocument::fromJson(json).object();
    PassChoices choices;
    const QJsonArray list = object.take(kPasses).toArray();
    for (const QJsonValue& each : list) {
        PassChoice choice = choiceOf(each);
        splitName(choice);
        choices.passes.push_back(std::move(choice));
    }
    sortAsRun(choices.passes, manager.passes());
    for (PassChoice& choice : choices.passes)
        if (choice.isText())
            choice.file = QString::fromStdString(
                (choice.text ? fx::textBeside : fx::sourceBeside)(path.toStdString(), choice.file.toStdString()));
    for (const char* key : {"constraints", "steps"})
        if (object.contains(QLatin1String(key))) choices.rest[QLatin1String(key)] = object[QLatin1String(key)];
    return choices;
}

std::vector<std::size_t> PassChoices::ticked() const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < passes.size(); ++i)
        if (passes[i].ticked) rows.push_back(i);
    return rows;
}

} // namespace ui
