// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/anonymise/names.h"

#include "core/base/one_of.h"
#include "core/diag/error.h"
#include "core/ops/catalogue.h"
#include "core/ops/nn_modules.h"
#include "core/ops/python_functions.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

namespace fx::anonymise {
namespace {

constexpr std::size_t kMostNames = 5'000'000, kMostLacking = 256 << 20; ///< names, and bytes of texts

constexpr const char* prefixOf(NameKind kind) {
    switch (kind) {
    case NameKind::Module: return "module_";
    case NameKind::Tensor: return "tensor_";
    case NameKind::Node: return "node_";
    case NameKind::Input: return "input_";
    case NameKind::Class: return "Class";
    case NameKind::Function: return "function_";
    case NameKind::Library: return "library_";
    case NameKind::Size: return "size_";
    case NameKind::Text: return "text_";
    }
    return "name_";
}

/// Options that functions of PyTorch take as text, and attributes of tensors and modules that no table lists.
constexpr std::string_view kOptions[] = {
    "area",      "backward",  "batchmean", "bicubic",    "bilinear",       "ceil",      "circular",  "constant",
    "cpu",       "cuda",      "floor",     "forward",    "gelu",           "ij",        "linear",    "max",
    "mean",      "meta",      "min",       "nearest",    "nearest-exact",  "none",      "ortho",     "reflect",
    "relu",      "replicate", "same",      "sum",        "tanh",           "trilinear", "trunc",     "valid",
    "xy",        "zeros",     "border",    "reflection", "_packed_params", "_in_spec",  "_out_spec", "H",
    "T",         "mH",        "mT",        "nbytes",     "itemsize",       "shape",     "training",  "weight_ih",
    "weight_hh",
};

void addAtoms(std::unordered_set<std::string_view>& words, std::string_view path) {
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        words.insert(path.substr(0, dot));
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
}

std::unordered_set<std::string_view> makeWords() {
    std::unordered_set<std::string_view> words(std::begin(kOptions), std::end(kOptions));
    for (std::uint32_t i = 0; i < ops::functionCount(); ++i) {
        const ops::PythonFunction function = ops::functionAt(i);
        addAtoms(words, function.path());
        words.insert(function.name());
        for (const ops::Parameter& parameter : function.parameters()) words.insert(parameter.name);
    }
    for (std::uint32_t i = 0; i < ops::moduleCount(); ++i) {
        const ops::NnModule module = ops::moduleAt(i);
        addAtoms(words, module.path());
        for (const auto& attribute : module.attributes()) words.insert(attribute.name);
        for (const auto& setting : module.settings())
            words.insert(setting.parameter), addAtoms(words, setting.attribute);
        for (const ops::Parameter& parameter : module.forwardParameters()) words.insert(parameter.name);
        for (const std::string_view constant : module.constants()) words.insert(constant);
    }
    for (std::size_t i = 0; i < ops::operatorCount(); ++i) {
        const ops::Operator op = ops::operatorAt(i);
        words.insert(op.nameSpace()), words.insert(op.baseName()), words.insert(op.overload());
        for (const auto argument : op.arguments()) words.insert(argument.name());
    }
    words.erase("");
    return words;
}

bool isNameLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Options of sympy's Symbol, in the text of symbolic sizes.
constexpr std::string_view kAssumptions[] = {"even",     "evaluate", "extended_real", "finite",
                                             "integer",  "negative", "nonnegative",   "odd",
                                             "positive", "real",     "zero"};

/// Numbers, "s77", "u0", and the words of sympy: its functions begin with a capital letter.
bool isGeneratedSymbol(std::string_view word) {
    if (std::isupper(static_cast<unsigned char>(word[0])) != 0 || isNumber(word) || isOneOf(word, kAssumptions))
        return true;
    const std::size_t letters = word.starts_with("z") ? 2 : 1; // zf0, zs0: unbacked ones
    return word.size() > letters && isOneOf(word.substr(0, letters), {"s", "u", "f", "i", "zf", "zs"}) &&
           isNumber(word.substr(letters));
}

} // namespace

bool isPublicWord(std::string_view word) {
    static const auto& words = *new std::unordered_set<std::string_view>(makeWords());
    return words.contains(word);
}

bool isNumber(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

std::string Names::of(std::string_view text, NameKind kind) {
    const auto [known, isNew] = m_names.try_emplace(std::string(text));
    if (!isNew) return known->second;
    if (m_table.size() == kMostNames) throw Error(ErrorKind::Refused, Message("anonymise.too_many_names"));
    known->second = prefixOf(kind) + std::to_string(++m_counts[kind]);
    m_table.emplace_back(known->first, known->second);
    return known->second;
}

std::string Names::unlessPublic(std::string_view text, NameKind kind) {
    return text.empty() || isPublicWord(text) ? std::string(text) : of(text, kind);
}

std::string Names::type(std::string_view qualified) {
    for (const std::string_view start : {"torch.", "builtins.", "collections.", "typing."})
        if (qualified.starts_with(start) && qualified.find('<') == qualified.npos) return std::string(qualified);
    if (qualified.empty() || qualified.find('.') == qualified.npos) return unlessPublic(qualified, NameKind::Class);
    for (std::size_t start = 0, dot = qualified.find('.'); dot != qualified.npos;
         start = dot + 1, dot = qualified.find('.', start))
        lacks(qualified.substr(start, dot - start));
    return "classes." + of(qualified.substr(qualified.rfind('.') + 1), NameKind::Class);
}

std::string Names::size(std::string_view expression) {
    std::string out;
    for (std::size_t at = 0; at < expression.size();) {
        std::size_t end = at;
        while (end < expression.size() && isNameLetter(expression[end])) ++end;
        const std::string_view word = expression.substr(at, end - at);
        if (!word.empty()) out += isGeneratedSymbol(word) ? std::string(word) : of(word, NameKind::Size);
        if (end < expression.size()) out += expression[end];
        at = end + 1;
    }
    return out;
}

void Names::lacks(std::string_view text) {
    if (text.empty()) return;
    m_lackingBytes += text.size();
    if (m_lackingBytes <= kMostLacking) m_lacking.emplace_back(text);
}

} // namespace fx::anonymise
