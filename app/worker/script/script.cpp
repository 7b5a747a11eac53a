// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/script/script.h"

#include "app/worker/model_inputs.h"
#include "app/worker/operator_libraries.h"
#include "core/engine/ivalues.h"
#include "core/engine/machine.h"
#include "core/engine/outside.h"
#include "core/engine/value_conversion.h"
#include "core/torchscript/loading_cost.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <chrono>

namespace app {
namespace {

using fx::Error;
using fx::ErrorKind;

fx::engine::Value drawn(const fx::remote::RandomInput& input) {
    const auto type = fx::engine::scalarType(input.dtype);
    const bool draws =
        input.generator == fx::Generator::Normal || (input.generator == fx::Generator::Integers && input.low == 0);
    if (!draws || !type || (at::isIntegralType(*type, false) && input.high <= 0))
        throw Error(ErrorKind::Usage, fx::Message("worker.cannot_draw", {{"name", input.name}}));
    return fx::engine::randomInput(input.sizes, *type, input.high);
}

/// Each name that a request gives is one of the arguments.
void checkNames(const c10::FunctionSchema& schema, const fx::engine::RunInputs& given,
                const fx::remote::RunRequest& request) {
    std::vector<std::string> names;
    for (const auto& [name, value] : given.named) names.push_back(name);
    for (const auto& input : request.random) names.push_back(input.name);
    std::string known;
    for (std::size_t i = 1; i < schema.arguments().size(); ++i)
        known += (i > 1 ? ", " : "") + schema.arguments()[i].name();
    for (const std::string& name : names)
        if (schema.argumentIndexWithName(name).value_or(0) < 1) throw unknownInput(name, known);
}

/// The arguments of forward, in its order; those with defaults may be left out.
std::vector<c10::IValue> arguments(const c10::FunctionSchema& schema, const fx::remote::RunRequest& request,
                                   fx::engine::TensorStore& tensors) {
    const fx::engine::RunInputs given =
        request.inputs ? givenInputs(*request.inputs, tensors) : fx::engine::RunInputs();
    checkNames(schema, given, request);
    std::vector<c10::IValue> out;
    for (std::size_t i = 1; i < schema.arguments().size(); ++i) { // the first is self
        const c10::Argument& argument = schema.arguments()[i];
        const auto named = std::find_if(given.named.begin(), given.named.end(),
                                        [&](const auto& input) { return input.first == argument.name(); });
        const auto random = std::find_if(request.random.begin(), request.random.end(),
                                         [&](const auto& input) { return input.name == argument.name(); });
        if (i - 1 < given.positional.size()) out.push_back(fx::engine::toIValue(given.positional[i - 1], argument));
        else if (named != given.named.end()) out.push_back(fx::engine::toIValue(named->second, argument));
        else if (!request.inputs && random != request.random.end())
            out.push_back(fx::engine::toIValue(drawn(*random), argument));
        else if (argument.default_value()) out.push_back(*argument.default_value());
        else throw Error(ErrorKind::Usage, fx::Message("worker.script_no_value", {{"name", argument.name()}}));
    }
    return out;
}

} // namespace

/// LibTorch's texts begin with the reason; a C++ backtrace follows.
std::string scriptReason(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, std::min(text.find("\nException raised from"), std::size_t{2000}));
}

namespace {

/// Why LibTorch cannot load a file. A missing entry it takes for an error of its own.
fx::Message loadingFailure(const std::exception& error) {
    const std::string text = scriptReason(error);
    constexpr std::string_view kMissing = "failed locating file ", kEnd = ": file not found";
    const std::size_t missing = text.find(kMissing), end = text.find(kEnd);
    if (missing != text.npos && end != text.npos && end > missing + kMissing.size())
        return fx::Message("worker.script_lacks_entry",
                           {{"name", text.substr(missing + kMissing.size(), end - missing - kMissing.size())}});
    return fx::Message("worker.cannot_load_script",
                       {{"detail", text.substr(0, text.find(" This is an internal miniz error"))}});
}

} // namespace

torch::jit::Module loadScript(const std::string& path, std::vector<std::string>* missing) {
    fx::script::requireModestCost(fx::ZipArchive::open(fx::DataFile::open(path)));
    const std::vector<std::string> declared = declareMissingOperators(path);
    if (missing) *missing = declared;
    try {
        return fx::engine::withRefusals([&] { return torch::jit::load(path, c10::Device(c10::kCPU)); });
    } catch (fx::Error& refused) { throw refused.in(path); } catch (const std::exception& error) {
        throw Error(ErrorKind::File, loadingFailure(error)).in(path);
    }
}

fx::remote::RunResult runScript(const fx::remote::RunRequest& request) {
    torch::jit::Module module = loadScript(request.model.path);
    if (request.model.mode != fx::RunMode::AsSaved) module.train(request.model.mode == fx::RunMode::Train);
    const auto forward = module.find_method("forward");
    if (!forward) throw Error(ErrorKind::Run, fx::Message("worker.no_forward")).in(request.model.path);
    fx::engine::setThreads(request.threads);
    fx::engine::seed(request.seed);
    fx::engine::TensorStore tensors;
    std::vector<c10::IValue> inputs = arguments(forward->function().getSchema(), request, tensors);
    const c10::InferenceMode inference;
    try {
        const auto start = std::chrono::steady_clock::now();
        c10::IValue output = fx::engine::withRefusals([&] { return (*forward)(std::move(inputs)); });
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        return {
            fx::engine::toTree(fx::engine::fromIValue(std::move(output), fx::engine::ResultStyle::Overload, nullptr)),
            time.count(),
            {}};
    } catch (const Error&) { throw; } catch (const std::exception& error) { // of LibTorch, or raised in the script
        throw Error(ErrorKind::Run, fx::Message("engine.torch", {{"detail", scriptReason(error)}}))
            .in(request.model.path);
    }
}

} // namespace app
