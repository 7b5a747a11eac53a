// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/nn_modules.h"

#include "core/ops/table.h"

#include <map>

namespace fx::ops {
namespace {

#include "core/ops/nn_modules.inc"

enum Column : std::size_t {
    Path,
    PublicPath,
    Constants,
    Parameters,
    Annotations,
    Attributes,
    Settings,
    ExtraRepr,
    ReprName,
    Forward,
    Bases,
    Signature,
    ForwardText,
    kColumns
};

constexpr Table kTable(kNnModuleText, kNnModuleCells, kColumns, kNnModuleKeys);

NnModule::Attribute::Kind kindOf(std::string_view word) {
    using Kind = NnModule::Attribute::Kind;
    return word == "parameter" ? Kind::Parameter
           : word == "buffer"  ? Kind::Buffer
           : word == "module"  ? Kind::Module
                               : Kind::Setting;
}

/// Whether a tuple's text is `(digit, digit, ...)`, any number of them.
bool repeats(std::string_view tuple, char digit) {
    for (const char c : tuple)
        if (c != digit && c != '(' && c != ')' && c != ',' && c != ' ') return false;
    return tuple.starts_with("(");
}

/// `padding != zeros`, `bias is None`, `inplace`: on one attribute, false when it is not there.
bool holds(std::string_view condition, const NnModule::Lookup& lookup) {
    const std::size_t blank = condition.find(' ');
    const auto value = lookup(condition.substr(0, blank));
    if (!value) return false;
    if (blank == condition.npos) return value->isTrue;
    const std::size_t last = condition.rfind(' ');
    const std::string_view literal = condition.substr(last + 1);
    const std::string_view relation = condition.substr(blank + 1, last - blank - 1);
    const bool wantsEqual = relation == "is" || relation == "==";
    bool equal = value->repr == literal;
    if (literal == "None") equal = value->isNone;
    if (literal == "zeros") equal = repeats(value->repr, '0');
    if (literal == "ones") equal = repeats(value->repr, '1');
    // 2 == 2.0 in Python, and an integer setting may hold a float.
    if (!equal && (relation == "!=" || relation == "==")) equal = value->repr == std::string(literal) + ".0";
    return equal == wantsEqual;
}

void appendField(std::string& text, std::string_view field, const NnModule::Lookup& lookup) {
    if (field.find(' ') != field.npos) {
        text += holds(field, lookup) ? "True" : "False";
        return;
    }
    const bool asRepr = field.ends_with("!r");
    if (asRepr) field.remove_suffix(2);
    const auto value = lookup(field);
    text += value ? (asRepr ? value->repr : value->text) : "?";
}

} // namespace

std::string_view NnModule::cell(std::size_t column) const { return kTable.cell(m_row, column); }

std::string_view NnModule::path() const { return cell(Path); }
std::string_view NnModule::publicPath() const { return cell(PublicPath); }
std::vector<std::string_view> NnModule::constants() const { return split(cell(Constants), " "); }
/// Read once per thread and kept: modules are made by the thousand, and the table never changes.
std::vector<Parameter> NnModule::parameters() const {
    thread_local std::vector<std::optional<std::vector<Parameter>>> known(moduleCount());
    auto& own = known[m_row];
    if (!own) own = parseParameters(cell(Parameters));
    return *own;
}

std::vector<Parameter> NnModule::forwardParameters() const { return parseParameters(cell(Forward)); }
std::string_view NnModule::forwardText() const { return cell(ForwardText); }
std::vector<Parameter> NnModule::signature() const { return parseParameters(cell(Signature)); }
std::vector<std::string_view> NnModule::bases() const { return split(cell(Bases), " "); }

std::vector<std::string_view> NnModule::annotations() const {
    std::vector<std::string_view> result = split(cell(Annotations), "; ");
    result.resize(parameters().size());
    return result;
}

std::vector<NnModule::Attribute> NnModule::attributes() const {
    std::vector<Attribute> result;
    for (const std::string_view part : split(cell(Attributes), " ")) {
        const std::size_t colon = part.rfind(':');
        result.push_back({part.substr(0, colon), kindOf(part.substr(colon + 1))});
    }
    return result;
}

std::vector<NnModule::Setting> NnModule::settings() const {
    std::vector<Setting> result;
    for (const std::string_view part : split(cell(Settings), " ")) {
        const std::size_t equals = part.find('=');
        std::string_view attribute = part.substr(equals + 1);
        const bool isPresence = attribute.starts_with("?");
        if (isPresence) attribute.remove_prefix(1);
        result.push_back({part.substr(0, equals), attribute, isPresence});
    }
    return result;
}

std::optional<std::string> NnModule::extraRepr(const Lookup& lookup) const {
    if (cell(ExtraRepr).empty()) return std::nullopt;
    std::string text;
    for (const std::string_view piece : split(cell(ExtraRepr), "\n")) {
        const std::size_t mark = piece.find('?');
        if (mark != 0 && !holds(piece.substr(0, mark), lookup)) continue;
        std::string_view rest = piece.substr(mark + 1);
        for (std::size_t open; (open = rest.find('{')) != rest.npos;) {
            const std::size_t close = rest.find('}', open);
            text += rest.substr(0, open);
            appendField(text, rest.substr(open + 1, close - open - 1), lookup);
            rest.remove_prefix(close + 1);
        }
        text += rest;
    }
    return text;
}

std::optional<NnModule> findModuleNamed(std::string_view name) {
    static const std::map<std::string_view, NnModule> named = [] {
        std::map<std::string_view, NnModule> out;
        for (std::uint32_t i = 0; i < moduleCount(); ++i)
            if (moduleAt(i).path().starts_with("torch.nn.modules.")) out.emplace(moduleAt(i).name(), moduleAt(i));
        return out;
    }();
    const auto found = named.find(name);
    return found == named.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NnModule> findModule(std::string_view dottedPath) {
    const auto row = kTable.find(dottedPath);
    if (!row) return std::nullopt;
    return NnModule(*row);
}

std::uint32_t moduleCount() { return kTable.rows(); }

} // namespace fx::ops
