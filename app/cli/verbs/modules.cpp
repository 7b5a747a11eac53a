// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/base/visible_text.h"
#include "core/codegen/graph_json.h"
#include "core/ir/print.h"
#include "core/json/json_writer.h"
#include "core/module/constructor_settings.h"

#include <algorithm>

namespace app {
namespace {

std::string_view dtypeText(const fx::TensorRef& tensor) {
    std::string_view name =
        tensor.dtype == fx::DType::Other ? std::string_view(tensor.dtypeText) : fx::dtypeName(tensor.dtype);
    if (name.starts_with("torch.")) name.remove_prefix(6);
    return name;
}

void writeSlots(fx::JsonWriter& json, const char* key, const std::vector<fx::Module::Slot>& slots) {
    json.key(key).beginArray();
    for (const fx::Module::Slot& slot : slots) {
        if (!slot.tensor) continue;
        json.beginObject()
            .key("name")
            .string(slot.name)
            .key("shape")
            .integers(slot.tensor->sizes)
            .key("dtype")
            .string(dtypeText(*slot.tensor));
        json.key("requires_grad").boolean(slot.tensor->requiresGrad).endObject();
    }
    json.endArray();
}

/// The graph only names the nodes that an argument may hold; settings hold none.
std::string modulesJson(const fx::GraphModule& module) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("modules").beginArray(fx::JsonWriter::Layout::Lines);
    fx::forEachModule(*module.root, [&](const std::string& path, const fx::Module& one) {
        json.beginObject()
            .key("path")
            .string(path)
            .key("type")
            .string(one.qualifiedType())
            .key("settings")
            .beginObject();
        for (const fx::Setting& setting : fx::constructorSettings(one)) {
            json.key(setting.name);
            fx::writeArgument(json, module.graph, setting.value);
        }
        json.endObject();
        writeSlots(json, "parameters", one.parameters);
        writeSlots(json, "buffers", one.buffers);
        json.key("training").boolean(one.training).endObject();
    });
    json.endArray().endObject();
    return json.text();
}

/// "Conv2d(3, 8, kernel_size=(3, 3))": required settings first, then what differs from the defaults.
std::string callText(const fx::GraphModule& module, const fx::Module& one) {
    std::string arguments;
    for (const fx::Setting& setting : fx::constructorSettings(one)) {
        if (setting.isDefault) continue;
        if (!arguments.empty()) arguments += ", ";
        arguments += setting.name + "=" + fx::reprOf(module.graph, setting.value);
    }
    return one.className + "(" + arguments + ")";
}

std::string slotText(const fx::Module::Slot& slot) {
    std::string sizes;
    for (const std::int64_t size : slot.tensor->sizes) sizes += (sizes.empty() ? "" : "×") + std::to_string(size);
    return slot.name + " " + (sizes.empty() ? "scalar" : sizes) +
           (dtypeText(*slot.tensor) == "float32" ? "" : " " + std::string(dtypeText(*slot.tensor)));
}

std::string tensorsText(const fx::Module& one) {
    std::string text;
    for (const auto* slots : {&one.parameters, &one.buffers})
        for (const fx::Module::Slot& slot : *slots)
            if (slot.tensor) text += (text.empty() ? "" : ", ") + slotText(slot);
    return text;
}

/// A line per module, indented by its depth.
std::string modulesText(const fx::GraphModule& module) {
    std::string out;
    fx::forEachModule(*module.root, [&](const std::string& path, const fx::Module& one) {
        const auto depth = path.empty() ? 0 : 1 + std::count(path.begin(), path.end(), '.');
        std::string line(static_cast<std::size_t>(std::min<std::ptrdiff_t>(depth, 40)) * 2, ' ');
        if (!path.empty()) line += path.substr(path.rfind('.') + 1) + ": ";
        line += callText(module, one);
        if (const std::string tensors = tensorsText(one); !tensors.empty()) line += "  [" + tensors + "]";
        out += fx::visibleName(line) + "\n";
    });
    out.pop_back();
    return out;
}

Action declareModules(CLI::App& cli) { return declareTextVerb(cli, modulesText, modulesJson); }

} // namespace

const Verb kModulesVerb = {"modules", "print the module tree with types, settings and parameters",
                           "lancet modules resources/samples/resnet.pt", declareModules};

} // namespace app
