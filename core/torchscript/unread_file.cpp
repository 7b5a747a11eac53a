// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/unread_file.h"

#include "core/base/plain_number.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/torchscript/script_facts.h"
#include "core/torchscript/torchscript.h"

#include <optional>

namespace fx::script {
namespace {

struct Declared {
    std::string name;
    std::vector<Argument> otherwise; ///< the default, if there is one
};

std::optional<Argument> literal(std::string_view text) {
    if (text == "None") return Argument();
    if (text == "True" || text == "False") return Argument(text == "True");
    if (const auto number = plainNumber(text)) return *number;
    return plainNumber<double>(text);
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
    return first == text.npos ? std::string_view() : text.substr(first, last + 1 - first);
}

/// `x: Optional[int]=None`
std::optional<Declared> parameter(std::string_view text) {
    const std::size_t colon = text.find(':'), equals = text.find('=');
    Declared out{std::string(trimmed(text.substr(0, std::min(colon, equals)))), {}};
    if (equals == text.npos) return out;
    const auto value = literal(trimmed(text.substr(equals + 1)));
    if (!value) return std::nullopt;
    out.otherwise.push_back(*value);
    return out;
}

/// The parameters behind `self` in `  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:`.
std::optional<std::vector<Declared>> parameters(std::string_view code) {
    std::vector<Declared> out;
    int depth = 0;
    std::size_t start = 0;
    bool isSelf = true;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (c == '"' || c == '\'') return std::nullopt; // the default is a text
        if (c == '(' || c == '[') ++depth;
        const bool isEnd = depth == 0 && c == ')';
        if (isEnd || (depth == 0 && c == ',')) {
            auto declared = parameter(code.substr(start, i - start));
            if (!declared) return std::nullopt;
            if (!isSelf && !declared->name.empty()) out.push_back(std::move(*declared));
            isSelf = false, start = i + 1;
        }
        if (isEnd) return out;
        if (c == ')' || c == ']') --depth;
    }
    return std::nullopt;
}

std::optional<std::vector<Declared>> forwardOf(const ZipArchive& archive, const TorchFile& file) {
    const std::string code = classCode(archive, classNameOf(file));
    constexpr std::string_view kStart = "\n  def forward(";
    const std::size_t at = code.find(kStart);
    return at == code.npos ? std::nullopt : parameters(std::string_view(code).substr(at + kStart.size()));
}

} // namespace

std::shared_ptr<GraphModule> unreadFile(const ZipArchive& archive, const Progress& progress) {
    const auto file = TorchFile::open(archive, progress);
    const auto declared = forwardOf(archive, *file);
    const Message reason("script.code_on_loading");
    if (!declared) throw Error(ErrorKind::Refused, reason).in(archive.file()->path());
    const auto origin = std::make_shared<ScriptOrigin>(archive);
    GraphModule inputs;
    inputs.path = archive.file()->path();
    inputs.origin = origin;
    for (const Declared& each : *declared) inputs.graph.placeholder(each.name, each.otherwise);
    auto module = fileItself(inputs);
    module->modelName = kForward, module->modelNames = {kForward};
    module->warnings = std::move(file->warnings);
    module->warnings.push_back(
        {Message("script.whole_file", {{"reason", reason.text()}, {"cause", reason.code()}}), {}, {}, {}});
    origin->methods = {kForward};
    origin->report.whole = reason;
    origin->imported = std::make_shared<GraphModule>(*module);
    module->origin = origin;
    return module;
}

} // namespace fx::script
