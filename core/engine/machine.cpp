// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/machine.h"

#include "core/engine/calls.h"
#include "core/engine/dispatch.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace fx::engine {

std::string messageOf(const std::exception& error) {
    const auto* c10Error = dynamic_cast<const c10::Error*>(&error);
    std::string text = c10Error ? c10Error->what_without_backtrace() : error.what();
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

namespace {
bool saysAny(std::string_view text, std::initializer_list<std::string_view> signs) {
    return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) { return text.find(sign) != text.npos; });
}
bool lacksKernel(std::string_view text) { return saysAny(text, {"Could not run", "not implemented for"}); }
bool namesDtypes(std::string_view text) { return saysAny(text, {"dtype", "scalar type"}); }

/// The class that PyTorch makes of an exception of LibTorch in Python.
std::string_view exceptionOf(const std::exception& error) {
    if (dynamic_cast<const c10::IndexError*>(&error)) return "IndexError";
    if (dynamic_cast<const c10::ValueError*>(&error)) return "ValueError";
    if (dynamic_cast<const c10::TypeError*>(&error)) return "TypeError";
    if (dynamic_cast<const c10::NotImplementedError*>(&error)) return "NotImplementedError";
    if (dynamic_cast<const c10::LinAlgError*>(&error)) return "LinAlgError";
    return "RuntimeError";
}

/// "8.0 GB" of "…you tried to allocate 8000000000 bytes…".
std::string sizeWanted(const std::string& text) {
    constexpr std::string_view kBefore = "tried to allocate ";
    const std::size_t at = text.find(kBefore);
    if (at == text.npos) return "more";
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "%.1f GB", std::strtod(text.c_str() + at + kBefore.size(), nullptr) / 1e9);
    return out.data();
}

/// Of the traceback of a script its last line, without the class of the exception; else empty.
std::string reasonIn(const std::string& text) {
    if (text.find("Traceback of TorchScript") == text.npos) return {};
    const std::string last = text.substr(text.rfind('\n') + 1);
    const std::size_t colon = last.find("Error: ");
    return colon == last.npos ? last : last.substr(colon + 7);
}
} // namespace

bool complainsOfDtypes(std::string_view text) { return namesDtypes(text) || lacksKernel(text); }

Message torchFailure(const std::exception& error) {
    const std::string text = messageOf(error);
    const MessageArgument detail("detail", text), exception("exception", exceptionOf(error));
    const auto told = [&, reason = reasonIn(text)](MessageCode code) {
        return reason.empty() ? Message(code, {detail, exception})
                              : Message(code, {detail, exception, {"reason", reason}});
    };
    if (saysAny(text,
                {"needs the values of a meta tensor", "on meta tensors", "out of meta tensor", "with Meta tensors",
                 "'Meta' backend", "'QuantizedMeta' backend", "data is not allocated", "doesn't have storage"}))
        return told("engine.needs_values");
    if (saysAny(text, {"can't allocate memory"}))
        return Message("engine.allocation", {{"size", sizeWanted(text)}, detail, exception});
    if (lacksKernel(text)) // what follows is for those who register operators
        return Message("engine.no_kernel",
                       {{"detail", text.substr(0, text.find(" This could be because"))}, exception});
    if (namesDtypes(text)) return told("engine.dtypes");
    return told("engine.torch");
}

void seed(std::uint64_t value) { at::manual_seed(value); }

void setThreads(int count) {
    if (count > 0) at::set_num_threads(count);
}

int threads() { return at::get_num_threads(); }

std::string libraryDescription() { return "LibTorch " TORCH_VERSION "\n" + at::show_config(); }

Modes Modes::current() {
    at::autocast::increment_nesting(); // LibTorch tells the depth only when it changes
    return {at::GradMode::is_enabled(), at::autocast::is_autocast_enabled(at::kCPU),
            at::autocast::get_autocast_dtype(at::kCPU), at::autocast::decrement_nesting()};
}

void Modes::apply() const {
    at::GradMode::set_enabled(records);
    at::autocast::set_autocast_enabled(at::kCPU, autocasts);
    at::autocast::set_autocast_dtype(at::kCPU, autocastType);
    int depth = current().autocastDepth;
    const bool leaves = depth > 0 && autocastDepth == 0;
    for (; depth < autocastDepth; ++depth) at::autocast::increment_nesting();
    for (; depth > autocastDepth; --depth) at::autocast::decrement_nesting();
    if (leaves) at::autocast::clear_cache(); // of weights that were cast
}

void enterAutocast(bool enabled, at::ScalarType type) {
    at::autocast::set_autocast_enabled(at::kCPU, enabled);
    at::autocast::set_autocast_dtype(at::kCPU, type);
    at::autocast::increment_nesting();
}

at::Tensor randomInput(const std::vector<std::int64_t>& sizes, at::ScalarType type, std::int64_t high) {
    const Value shape = Value::list(Values(sizes.begin(), sizes.end()));
    if (type == at::kBool) return callMethod("to", {callOperator("aten::randint", {{2, shape}, {}}), type}).tensor();
    if (at::isFloatingType(type) || at::isComplexType(type))
        return callOperator("aten::randn", {{shape}, {{"dtype", type}}}).tensor();
    return callMethod("to", {callOperator("aten::randint", {{high, shape}, {{"dtype", at::kLong}}}), type}).tensor();
}

} // namespace fx::engine
