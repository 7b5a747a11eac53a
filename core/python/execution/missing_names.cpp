// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/execution/missing_names.h"

#include "core/ops/call_check.h"

#include <algorithm>

namespace fx::python {
namespace {

/// A text among the attributes of an exception; empty if it has none of that name.
std::string textAt(const Instance& exception, std::string_view attribute) {
    const Value* value = exception.attributes.find(attribute);
    const auto* text = value ? value->as<Str>() : nullptr;
    return text ? text->text : std::string();
}

/// The nearest name of PyTorch; empty if nothing of PyTorch was missing, or none is near.
std::string nearestTo(const Instance& exception) {
    std::string module = textAt(exception, "name"), name = textAt(exception, "name_from");
    if (name.empty()) {
        name = std::move(module);
        const Value* object = exception.attributes.find("obj");
        const auto* space = object ? object->as<Space>() : nullptr;
        module = space ? space->path : std::string();
    }
    const bool isOfTorch = module == "torch" || module.starts_with("torch.");
    return isOfTorch && !name.empty() ? ops::nearestFunction(module + "." + name) : std::string();
}

} // namespace

void raiseMissing(Interpreter& in, std::string_view type, const Value& module, std::string_view name,
                  const std::string& message) {
    const Value exception = in.instantiate(in.builtinClass(type), {in.text(message)}, {});
    Names& attributes = exception.get<Instance>().attributes;
    const bool isImport = type == "ImportError";
    attributes.set(isImport ? "name_from" : "name", in.text(std::string(name)));
    if (!isImport) attributes.set("obj", module);
    else if (const auto* space = module.as<Space>()) attributes.set("name", in.text(space->path));
    in.exceptions().raiseObject(exception);
}

Message messageOf(Interpreter& in, const Raised& raised) {
    const std::string text = in.exceptions().describe(raised);
    const auto* exception = raised.exception.as<Instance>();
    const std::string near = exception ? nearestTo(*exception) : std::string();
    return near.empty() ? Message("python.raised", {{"text", text}})
                        : Message("python.raised", {{"text", text}, {"near", near}});
}

bool isOfLibrary(const Message& why, const std::vector<Place>& places) {
    if (places.empty() || !places.back().file || !places.back().file->path.empty()) return false;
    const std::string& text = places.back().file->text;
    const std::size_t at = std::min(places.back().offset, text.size()), start = text.rfind('\n', at) + 1;
    const std::string_view line = std::string_view(text).substr(start, text.find('\n', at) - start);
    static constexpr std::string_view kTypes[] = {"AttributeError", "TypeError", "NameError"};
    const std::string reason = why.text();
    return line.find("raise ") == line.npos &&
           std::any_of(std::begin(kTypes), std::end(kTypes), [&](auto type) { return reason.starts_with(type); });
}

} // namespace fx::python
