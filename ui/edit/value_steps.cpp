// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/value_steps.h"

#include "core/codegen/graph_json.h"
#include "core/edit/argument_text.h"
#include "core/json/json_writer.h"
#include "core/ops/nn_modules.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {

/// The translation context of what is refused here.
class ValueText {
    Q_DECLARE_TR_FUNCTIONS(ui::ValueText)
};

fx::Error refused(const fx::Message& what) { return fx::Error(fx::ErrorKind::Refused, what); }

QByteArray done(fx::JsonWriter& json) { return QByteArray::fromStdString(json.endObject().endArray().text()); }

QByteArray setArgs(const fx::Graph& graph, const fx::Node& node, const std::vector<fx::Argument>& args,
                   const fx::Kwargs& kwargs) {
    fx::JsonWriter json;
    json.beginArray()
        .beginObject()
        .key("step")
        .string("set_args")
        .key("node")
        .string(node.name())
        .key("args")
        .beginArray();
    for (const fx::Argument& argument : args) fx::writeArgument(json, graph, argument);
    json.endArray().key("kwargs").beginObject();
    for (const auto& [key, argument] : kwargs) {
        json.key(key);
        fx::writeArgument(json, graph, argument);
    }
    json.endObject();
    return done(json);
}

} // namespace

QByteArray renameSteps(const std::string& node, const std::string& name) {
    fx::JsonWriter json;
    json.beginArray().beginObject().key("step").string("rename").key("node").string(node).key("name").string(name);
    return done(json);
}

QByteArray argumentSteps(const fx::Graph& graph, const fx::Node& node, const QString& place, const QString& text) {
    std::vector<fx::Argument> args(node.args().begin(), node.args().end());
    fx::Kwargs kwargs(node.kwargs().begin(), node.kwargs().end());
    const bool removes = text.trimmed().isEmpty();
    const fx::Argument value = removes ? fx::Argument() : fx::argumentFromText(text.toStdString(), graph);
    bool isNumber = false;
    const std::size_t index = place.toUInt(&isNumber);
    const auto named =
        std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& each) { return each.first == place.toStdString(); });
    if (isNumber ? index >= args.size() : named == kwargs.end())
        throw refused(fx::Message("window.argument_gone", {{"argument", place.toStdString()}}));
    if (!isNumber && removes) kwargs.erase(named);
    else if (!isNumber) named->second = value;
    else if (!removes) args[index] = value;
    else if (index + 1 == args.size()) args.pop_back();
    else throw refused(fx::Message("window.omitted_argument"));
    return setArgs(graph, node, args, kwargs);
}

QByteArray callSteps(const fx::Graph& graph, const fx::Node& node, const std::optional<QString>& args,
                     const std::optional<QString>& kwargs) {
    std::vector<fx::Argument> positional(node.args().begin(), node.args().end());
    fx::Kwargs named(node.kwargs().begin(), node.kwargs().end());
    if (args) {
        const fx::Argument value = fx::argumentFromText(args->trimmed().toStdString(), graph);
        const fx::Sequence* items = value.asTuple();
        if (!items) throw refused(fx::Message("window.expected_arguments"));
        positional = items->items;
    }
    if (kwargs) {
        const fx::Argument value = fx::argumentFromText(kwargs->trimmed().toStdString(), graph);
        const auto* dict = value.as<fx::Dict>();
        if (!dict) throw refused(fx::Message("window.expected_keywords"));
        named.clear();
        for (const auto& [key, each] : dict->items) {
            const auto* text = key.as<std::string>();
            if (!text) throw refused(fx::Message("window.expected_keyword"));
            named.emplace_back(*text, each);
        }
    }
    return setArgs(graph, node, positional, named);
}

QByteArray settingSteps(const fx::GraphModule& model, const std::string& path, const QString& name,
                        const QString& text) {
    const fx::PathTarget target = fx::resolvePath(*model.root, path);
    if (!target.module) throw refused(fx::Message("window.module_gone", {{"path", path}}));
    const auto known = fx::ops::findModule(target.module->qualifiedType());
    const fx::Argument value = fx::argumentFromText(text.trimmed().toStdString(), fx::Graph());
    fx::JsonWriter json;
    json.beginArray()
        .beginObject()
        .key("step")
        .string("replace_module")
        .key("path")
        .string(path)
        .key("module")
        .beginObject();
    json.key("type")
        .string(known ? std::string(known->publicPath()) : target.module->qualifiedType())
        .key("settings")
        .beginObject()
        .key(name.toStdString());
    fx::writeArgument(json, model.graph, value);
    json.endObject().endObject().key("keep").boolean(true);
    return done(json);
}

} // namespace ui
