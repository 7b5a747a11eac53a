// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/operator_libraries.h"

#include "core/diag/error.h"
#include "core/io/zip/zip_archive.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <set>
#include <string_view>

namespace app {
namespace {

constexpr std::uint64_t kMostCode = 64 << 20;

/// The names of missing operators, with the number of their results.
using Calls = std::map<std::string, std::size_t>;

bool isIdentifier(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string_view identifierAt(std::string_view code, std::size_t at) {
    std::size_t end = at;
    while (end < code.size() && isIdentifier(code[end])) ++end;
    return code.substr(at, end - at);
}

/// Results of `boxes, scores, = ops.mine.top(x)`: one name each, with a comma after every one.
std::size_t resultsOf(std::string_view code, std::size_t call) {
    const std::size_t start = code.rfind('\n', call) + 1;
    std::string_view before = code.substr(start, call - start);
    if (!before.ends_with(" = ")) return 1;
    before.remove_suffix(3);
    const auto commas = static_cast<std::size_t>(std::count(before.begin(), before.end(), ','));
    return std::max<std::size_t>(1, commas + (before.ends_with(',') ? 0 : 1));
}

void findMissing(std::string_view code, Calls& out) {
    constexpr std::string_view kPrefix = "ops.";
    for (std::size_t at = code.find(kPrefix); at != code.npos; at = code.find(kPrefix, at + 1)) {
        if (at > 0 && (isIdentifier(code[at - 1]) || code[at - 1] == '.')) continue;
        const std::string_view space = identifierAt(code, at + kPrefix.size());
        const std::size_t dot = at + kPrefix.size() + space.size();
        if (space.empty() || dot >= code.size() || code[dot] != '.') continue;
        const std::string_view name = identifierAt(code, dot + 1);
        if (name.empty()) continue;
        const std::string qualified = std::string(space) + "::" + std::string(name);
        std::size_t& results = out[qualified];
        results = std::max(results, resultsOf(code, at));
    }
    std::erase_if(out, [](const auto& call) {
        return !torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(call.first)).empty();
    });
}

void declare(const std::string& name, std::size_t results) {
    std::string returns;
    for (std::size_t i = 0; i < results; ++i) returns += i > 0 ? ", Tensor" : "Tensor";
    torch::jit::Operation fail = [name](torch::jit::Stack&) {
        TORCH_CHECK(false, "no loaded library has the operator ", name);
    };
    torch::jit::registerOperator(torch::jit::Operator(name + "(...) -> (" + returns + ")", std::move(fail),
                                                      c10::AliasAnalysisKind::CONSERVATIVE));
}

} // namespace

void loadOperatorLibraries(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
        if (!::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL))
            throw fx::Error(fx::ErrorKind::Run,
                            fx::Message("worker.cannot_load_library", {{"path", path}, {"detail", ::dlerror()}}));
}

std::vector<std::string> operatorLibrariesOfEnvironment() {
    const char* listed = std::getenv("LANCET_OPERATOR_LIBRARIES");
    std::vector<std::string> out;
    for (std::string_view rest = listed ? listed : ""; !rest.empty();) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) out.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

std::vector<std::string> declareMissingOperators(const std::string& path) {
    static std::set<std::string> declared;
    const fx::ZipArchive archive = fx::ZipArchive::open(fx::DataFile::open(path));
    std::vector<std::string> out;
    Calls missing;
    for (const fx::ZipMember& member : archive.members()) {
        if (!member.name.ends_with(".py")) continue;
        const std::string code = archive.readText(member, kMostCode);
        for (const std::string& name : declared) {
            const std::string call = "ops." + std::string(name).replace(name.find("::"), 2, ".") + "(";
            if (code.find(call) != code.npos && std::find(out.begin(), out.end(), name) == out.end())
                out.push_back(name);
        }
        findMissing(code, missing);
    }
    for (const auto& [name, results] : missing) declare(name, results), declared.insert(name), out.push_back(name);
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace app
