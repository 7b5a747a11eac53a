// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/input_options.h"

#include "app/cli/file_options.h"
#include "core/base/plain_number.h"
#include "core/io/values/value_file.h"
#include "core/tensor/tensor_ref.h"

#include <algorithm>

namespace app {
namespace {

[[noreturn]] void refuse(const std::string& text, const fx::Message& why) {
    throw fx::Error(fx::ErrorKind::Usage,
                    fx::Message("cli.input", {{"text", text}, {"reason", why.text()}, {"cause", why.code()}}));
}

std::int64_t number(std::string_view digits, const std::string& whole) {
    const auto out = fx::plainNumber(digits);
    if (!out || *out < 0) refuse(whole, fx::Message("cli.input_size", {{"text", digits}}));
    return *out;
}

/// A Python number that is no size: -1, 0.5, true. The model decides what 16000 is.
bool isNumber(std::string_view text, fx::remote::RandomInput& out) {
    const bool isTrue = text == "true" || text == "True", isFalse = text == "false" || text == "False";
    const auto integer = fx::plainNumber(text);
    const auto real = fx::plainNumber<double>(text);
    if (isTrue || isFalse) out.dtype = "bool", out.value = isTrue ? 1 : 0;
    else if (integer && *integer < 0) out.dtype = "int", out.value = static_cast<double>(*integer);
    else if (!integer && real) out.dtype = "float", out.value = *real;
    else return false;
    out.generator = fx::Generator::Constant;
    return true;
}

} // namespace

std::optional<std::string> dtypeSpelled(std::string_view text) {
    std::string name(text);
    if (!name.starts_with("torch.")) name.insert(0, "torch.");
    const auto dtype = fx::dtypeFromName(name);
    if (!dtype) return std::nullopt;
    return std::string(fx::dtypeName(*dtype));
}

fx::remote::RandomInput parseInput(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) refuse(text, fx::Message("cli.input_name"));
    fx::remote::RandomInput out;
    out.name = text.substr(0, equals);
    std::string_view rest = std::string_view(text).substr(equals + 1);
    if (isNumber(rest, out)) return out;
    std::string_view shape = rest.substr(0, rest.find(':'));
    if (shape.size() < rest.size()) {
        std::string_view type = rest.substr(shape.size() + 1);
        if (const std::size_t open = type.find('<'); open != type.npos) {
            if (!type.ends_with('>')) refuse(text, fx::Message("cli.input_range"));
            out.high = number(type.substr(open + 1, type.size() - open - 2), text);
            type = type.substr(0, open);
        }
        const auto dtype = dtypeSpelled(type);
        if (!dtype) refuse(text, fx::Message("cli.input_dtype", {{"dtype", type}}));
        out.dtype = *dtype;
    }
    if (shape.ends_with('x')) refuse(text, fx::Message("cli.input_shape"));
    while (!shape.empty()) {
        const std::string_view size = shape.substr(0, shape.find('x'));
        out.sizes.push_back(number(size, text));
        shape.remove_prefix(std::min(shape.size(), size.size() + 1));
    }
    return out;
}

void RunOptions::declare(CLI::App& cli) {
    reads(cli.add_option("--inputs", inputsFile,
                         "inputs saved by torch.save: a tensor, a tuple or list by position, or a dict by name"));
    cli.add_option(
        "--input", inputs,
        "random input NAME=SHAPE[:DTYPE], e.g. x=1x3x224x224 or ids=1x128:int64<30000>, or a number NAME=VALUE, e.g. "
        "rate=16000; repeatable");
    cli.add_flag("--guess", guess, "guess missing inputs even if a size must be assumed");
    cli.add_option("--timeout", timeout, "stop after this many seconds (exit 6)")->check(CLI::NonNegativeNumber);
}

void RunOptions::requireOneKind() const {
    if (!inputsFile.empty() && !inputs.empty()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.inputs_twice"));
}

fx::remote::RunRequest RunOptions::request(const Session& session, fx::remote::ModelRef model) const {
    requireOneKind();
    if (session.options().device != "cpu")
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.device", {{"device", session.options().device}}));
    fx::remote::RunRequest out;
    out.model = std::move(model);
    out.seed = session.options().seed;
    out.threads = session.options().threads;
    out.anyGuess = guess;
    for (const std::string& text : inputs) out.random.push_back(parseInput(text));
    if (!inputsFile.empty()) out.inputs = fx::readValueFile(inputsFile, session.progress());
    return out;
}

void tellGuesses(const Session& session, const std::vector<std::string>& guessed) {
    for (const std::string& input : guessed) session.warn({fx::Message("cli.guessed", {{"input", input}}), {}, {}, {}});
}

} // namespace app
