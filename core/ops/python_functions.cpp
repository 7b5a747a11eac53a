// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/python_functions.h"

#include "core/ops/table.h"

#include <array>
#include <charconv>
#include <utility>

namespace fx::ops {
namespace {

#include "core/ops/python_functions.inc"

enum Column : std::size_t {
    Path,
    KindName,
    Name,
    ModuleName,
    QualName,
    QualifiedName,
    Repr,
    FromTorch,
    BehaviourName,
    Parameters,
    Relevant,
    Target,
    Layout,
    FactoryName,
    ListedForm,
    kColumns
};

constexpr Table kTable(kPythonFunctionText, kPythonFunctionCells, kColumns, kPythonFunctionKeys);

using Kind = PythonFunction::Kind;
using ConstantKind = PythonFunction::ConstantKind;
using Behaviour = PythonFunction::Behaviour;
using Factory = PythonFunction::Factory;

template<class Value, std::size_t size> Value valueOf(const std::array<std::pair<std::string_view, Value>, size>& words,
                                                      std::string_view word, Value otherwise) {
    for (const auto& [text, value] : words)
        if (text == word) return value;
    return otherwise;
}

} // namespace

std::string_view PythonFunction::cell(std::size_t column) const { return kTable.cell(m_row, column); }

std::string_view PythonFunction::path() const { return cell(Path); }
std::string_view PythonFunction::name() const { return cell(Name); }
std::string_view PythonFunction::module() const { return cell(ModuleName); }
std::string_view PythonFunction::qualifiedName() const { return cell(QualifiedName); }
std::string_view PythonFunction::repr() const { return cell(Repr); }
bool PythonFunction::isFromTorch() const { return !cell(FromTorch).empty(); }

Kind PythonFunction::kind() const {
    static constexpr std::array<std::pair<std::string_view, Kind>, 7> kWords{{{"c_function", Kind::CFunction},
                                                                              {"function", Kind::Function},
                                                                              {"class", Kind::Class},
                                                                              {"method", Kind::Method},
                                                                              {"property", Kind::Property},
                                                                              {"operator", Kind::Operator},
                                                                              {"module", Kind::Module}}};
    return valueOf(kWords, cell(KindName), Kind::Constant);
}

ConstantKind PythonFunction::constantKind() const {
    static constexpr std::array<std::pair<std::string_view, ConstantKind>, 9> kWords{
        {{"constant:dtype", ConstantKind::Dtype},
         {"constant:layout", ConstantKind::Layout},
         {"constant:memory_format", ConstantKind::MemoryFormat},
         {"constant:qscheme", ConstantKind::QScheme},
         {"constant:number", ConstantKind::Number},
         {"constant:text", ConstantKind::Text},
         {"constant:bool", ConstantKind::Bool},
         {"constant:none", ConstantKind::NoneType},
         {"constant:ellipsis", ConstantKind::Ellipsis}}};
    return valueOf(kWords, cell(KindName), ConstantKind::None);
}

Behaviour PythonFunction::behaviour() const {
    // Asked for each call of a traced function: the words differ in length or first letter.
    const std::string_view word = cell(BehaviourName);
    switch (word.size() * 256 + (word.empty() ? 0u : static_cast<unsigned char>(word[0]))) {
    case 6 * 256 + 'r': return Behaviour::Record;
    case 7 * 256 + 'r': return Behaviour::Rewrite;
    case 6 * 256 + 's': return Behaviour::Select;
    case 6 * 256 + 'm': return Behaviour::Method;
    case 4 * 256 + 'w': return Behaviour::Wrap;
    case 5 * 256 + 'p': return Behaviour::Plain;
    case 9 * 256 + 'c': return Behaviour::Construct;
    case 3 * 256 + 'r': return Behaviour::Run;
    default: return Behaviour::Unknown;
    }
}

Factory PythonFunction::factory() const {
    static constexpr std::array<std::pair<std::string_view, Factory>, 14> kWords{{{"sizes", Factory::Sizes},
                                                                                  {"full", Factory::Full},
                                                                                  {"arange", Factory::Arange},
                                                                                  {"range", Factory::Range},
                                                                                  {"steps", Factory::Steps},
                                                                                  {"eye", Factory::Eye},
                                                                                  {"tensor", Factory::Tensor},
                                                                                  {"like", Factory::Like},
                                                                                  {"randint", Factory::RandInt},
                                                                                  {"randperm", Factory::RandPerm},
                                                                                  {"strided", Factory::Strided},
                                                                                  {"permuted", Factory::Permuted},
                                                                                  {"window", Factory::Window},
                                                                                  {"indices", Factory::Indices}}};
    return valueOf(kWords, cell(FactoryName), Factory::None);
}

std::vector<Parameter> PythonFunction::parameters() const { return parseParameters(cell(Parameters)); }

std::vector<std::string_view> PythonFunction::relevant() const { return split(cell(Relevant), " "); }

PythonFunction PythonFunction::target() const {
    const bool another = behaviour() == Behaviour::Record || behaviour() == Behaviour::Rewrite;
    const auto row = another && !cell(Target).empty() ? kTable.find(cell(Target)) : std::nullopt;
    return PythonFunction(row.value_or(m_row));
}

std::string_view PythonFunction::methodName() const {
    return behaviour() == Behaviour::Method ? cell(Target) : std::string_view();
}

std::vector<CallArgument> PythonFunction::layout() const {
    const bool isCall = behaviour() == Behaviour::Rewrite || behaviour() == Behaviour::Method;
    return isCall ? parseCallArguments(cell(Layout)) : std::vector<CallArgument>();
}

PythonFunction::Branches PythonFunction::branches() const {
    Branches result{};
    if (behaviour() != Behaviour::Select) return result;
    const auto flag = split(cell(Layout), " ");
    const auto paths = split(cell(Target), " ");
    result.name = flag[0];
    std::from_chars(flag[1].data(), flag[1].data() + flag[1].size(), result.index);
    result.defaultValue = flag[2] == "True";
    result.ifTrue = paths[0];
    result.ifFalse = paths[1];
    return result;
}

std::optional<PythonFunction::Listed> PythonFunction::listed() const {
    if (cell(ListedForm).empty()) return std::nullopt;
    const auto words = split(cell(ListedForm), " ");
    if (words.size() < 2) return std::nullopt;
    Listed result;
    std::from_chars(words[0].data(), words[0].data() + words[0].size(), result.before);
    const bool fails = words[1].starts_with("!");
    const std::size_t used = fails ? 2 : 3;
    (fails ? result.error : result.target) = words[1].substr(fails ? 1 : 0);
    result.expanded = !fails && words.size() > 2 && words[2] == "expanded";
    if (words.size() > used) result.ofNothing = words[used];
    return result;
}

std::vector<PythonFunction::Outcome> PythonFunction::outcomes() const {
    std::vector<Outcome> result;
    if (behaviour() != Behaviour::Plain) return result;
    for (const std::string_view part : split(cell(Layout), " | ")) {
        const std::size_t arrow = part.find(" ->");
        Outcome& outcome = result.emplace_back();
        outcome.form = part.substr(0, arrow);
        std::string_view rest = arrow + 4 <= part.size() ? part.substr(arrow + 4) : std::string_view();
        if (rest.starts_with("!")) outcome.error = rest.substr(1);
        else outcome.recorded = rest;
    }
    return result;
}

std::optional<PythonFunction> findFunction(std::string_view dottedPath) {
    const auto row = kTable.find(dottedPath);
    if (!row) return std::nullopt;
    return PythonFunction(*row);
}

std::uint32_t functionCount() { return kTable.rows(); }

} // namespace fx::ops
