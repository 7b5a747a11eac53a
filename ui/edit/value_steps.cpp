// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/value_steps.h"

#include "core/edit/argument_text.h"
#include "core/ops/nn_modules.h"

#include <algorithm>

namespace ui {

namespace {

/// The translation context of what is refused here.
fx::Error refused(const fx::Message& what) { return fx::Error(fx::ErrorKind::Refused, what); }

} // namespace

fx::StepList renameSteps(const std::string& node, const std::string& name) { return fx::StepList().rename(node, name); }

fx::StepList argumentSteps(const fx::Graph& graph, const fx::Node& node, const QString& place, const QString& text,
                           const fx::Readers& readers) {
    std::vector<fx::Argument> args(node.args().begin(), node.args().end());
    fx::Kwargs kwargs(node.kwargs().begin(), node.kwargs().end());
    const bool removes = text.trimmed().isEmpty();
    const fx::Argument value = removes ? fx::Argument() : fx::argumentFromText(text.toStdString(), graph, readers);
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
    return fx::StepList().setArgs(node.name(), {graph, args, kwargs});
}

fx::StepList callSteps(const fx::Graph& graph, const fx::Node& node, const std::optional<QString>& args,
                       const std::optional<QString>& kwargs, const fx::Readers& readers) {
    std::vector<fx::Argument> positional(node.args().begin(), node.args().end());
    fx::Kwargs named(node.kwargs().begin(), node.kwargs().end());
    if (args) {
        const fx::Argument value = fx::argumentFromText(args->trimmed().toStdString(), graph, readers);
        const fx::Sequence* items = value.asTuple();
        if (!items) throw refused(fx::Message("window.expected_arguments"));
        positional = items->items;
    }
    if (kwargs) {
        const fx::Argument value = fx::argumentFromText(kwargs->trimmed().toStdString(), graph, readers);
        const auto* dict = value.as<fx::Dict>();
        if (!dict) throw refused(fx::Message("window.expected_keywords"));
        named.clear();
        for (const auto& [key, each] : dict->items) {
            const auto* text = key.as<std::string>();
            if (!text) throw refused(fx::Message("window.expected_keyword"));
            named.emplace_back(*text, each);
        }
    }
    return fx::StepList().setArgs(node.name(), {graph, positional, named});
}

fx::StepList settingSteps(const fx::GraphModule& model, const std::string& path, const QString& name,
                          const QString& text, const fx::Readers& readers) {
    const fx::PathTarget target = fx::resolvePath(*model.root, path);
    if (!target.module) throw refused(fx::Message("window.module_gone", {{"path", path}}));
    const auto known = fx::ops::findModule(target.module->qualifiedType());
    const fx::Argument value = fx::argumentFromText(text.trimmed().toStdString(), fx::Graph(), readers);
    const std::string type = known ? std::string(known->publicPath()) : target.module->qualifiedType();
    return fx::StepList().replaceModule(path, {type, {{name.toStdString(), value}}}, true);
}

} // namespace ui
