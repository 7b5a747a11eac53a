// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/plain_number.h"
#include "core/ops/table.h"
#include "core/quant/backend_config.h"

#include <array>
#include <memory>
#include <mutex>

namespace fx::quant {
namespace {

using ops::TableKey;
using ops::Text;
#include "core/quant/backend_configs.inc"

/// A key is `native/0`. Patterns are `M:class`, `F:function`, `S:method`, `*`, `(head,argument,...)`. A dtype
/// configuration is `input;output;weight;bias;isDynamic`, the first three `dtype,min,max,scale_min,scale,zero_point`. A
/// fusion is `Class|child=path|attribute:=path`, `fold layer norm` in the place of a path, no class for a plain layer,
/// and `!Exception` where torch.ao refuses.
enum Column : std::size_t {
    Key,
    PatternText,
    ObservationType,
    ByTensors,
    DTypes,
    RootModule,
    QatModule,
    ReferenceModule,
    FusedModule,
    Fused,
    FusedForQat,
    WeightIndex,
    BiasIndex,
    Root,
    ExtraInputs,
    kColumns
};

constexpr ops::Table kTable(kBackendConfigText, kBackendConfigCells, kColumns, kBackendConfigKeys);
constexpr std::array<std::string_view, 7> kNames{"native",  "x86",        "onednn",  "fbgemm",
                                                 "qnnpack", "executorch", "tensorrt"};

std::vector<std::string_view> split(std::string_view text, char by) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(by);
        parts.push_back(text.substr(0, end));
        if (end == text.npos) return parts;
        text.remove_prefix(end + 1);
        if (text.empty()) parts.emplace_back();
    }
    return parts;
}

Pattern headOf(std::string_view text) {
    Pattern head;
    if (text.size() < 2) return head;
    head.kind = text[0] == 'M'   ? Pattern::Kind::Module
                : text[0] == 'F' ? Pattern::Kind::Function
                                 : Pattern::Kind::Method;
    head.name = text.substr(2);
    return head;
}

/// Reads a pattern; `open` holds those whose brackets are not closed yet.
Pattern patternOf(std::string_view text) {
    std::vector<std::vector<Pattern>> open(1);
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '(') {
            open.emplace_back(), ++i;
        } else if (text[i] == ')') {
            std::vector<Pattern> parts = std::move(open.back());
            open.pop_back();
            Pattern whole = std::move(parts.front());
            whole.arguments.assign(std::make_move_iterator(parts.begin() + 1), std::make_move_iterator(parts.end()));
            open.back().push_back(std::move(whole));
            ++i;
        } else if (text[i] == ',') {
            ++i;
        } else {
            const std::size_t end = std::min(text.find_first_of("(),", i), text.size());
            open.back().push_back(headOf(text.substr(i, end - i)));
            i = end;
        }
    }
    return std::move(open.back().front());
}

DTypeConstraint constraintOf(std::string_view text) {
    const auto cells = split(text, ',');
    DTypeConstraint constraint;
    if (cells.size() != 6) return constraint;
    constraint.dtype = cells[0];
    constraint.quantMin = plainNumber(cells[1]), constraint.quantMax = plainNumber(cells[2]);
    constraint.scaleMin = plainNumber<double>(cells[3]), constraint.scaleExact = plainNumber<double>(cells[4]);
    constraint.zeroPointExact = plainNumber(cells[5]);
    return constraint;
}

FusedForm formOf(std::string_view text) {
    FusedForm form;
    if (text.starts_with('!')) return form.refusal = text.substr(1), form;
    const auto cells = split(text, '|');
    if (cells.empty()) return form;
    form.type = cells[0];
    for (std::size_t i = 1; i < cells.size(); ++i) {
        FusedForm::Part part;
        const std::size_t equal = cells[i].find('=');
        part.isAttribute = equal > 0 && cells[i][equal - 1] == ':';
        part.name = cells[i].substr(0, part.isAttribute ? equal - 1 : equal);
        const auto words = split(cells[i].substr(equal + 1), ' ');
        const bool folds = words.size() == 3;
        part.layer = words[folds ? 1 : 0];
        if (folds) part.norm = words[2];
        form.parts.push_back(std::move(part));
    }
    return form;
}

PatternConfig entryOf(std::uint32_t row) {
    const auto cell = [&](Column column) { return kTable.cell(row, column); };
    PatternConfig entry;
    entry.pattern = patternOf(cell(PatternText));
    entry.observation = static_cast<Observation>(plainNumber(cell(ObservationType)).value_or(0));
    for (const auto pair : split(cell(ByTensors), ' ')) {
        const std::size_t colon = pair.find(':');
        entry.observationByTensors.emplace_back(
            plainNumber(pair.substr(0, colon)).value_or(0),
            static_cast<Observation>(plainNumber(pair.substr(colon + 1)).value_or(0)));
    }
    for (const auto text : split(cell(DTypes), '|')) {
        const auto parts = split(text, ';');
        entry.dtypes.push_back({constraintOf(parts[0]), constraintOf(parts[1]), constraintOf(parts[2]),
                                std::string(parts[3]), parts[4] == "1"});
    }
    entry.rootModule = cell(RootModule), entry.qatModule = cell(QatModule);
    entry.referenceModule = cell(ReferenceModule), entry.fusedModule = cell(FusedModule);
    entry.isFusion = !cell(Fused).empty();
    entry.fused = formOf(cell(Fused)), entry.fusedForQat = formOf(cell(FusedForQat));
    entry.weightIndex = plainNumber(cell(WeightIndex)), entry.biasIndex = plainNumber(cell(BiasIndex));
    entry.root = cell(Root);
    for (const auto path : split(cell(ExtraInputs), ' ')) entry.extraInputs.emplace_back(path);
    return entry;
}

} // namespace

/// Reads one backend from the table.
class BackendReader {
public:
    static std::unique_ptr<const BackendConfig> read(std::string_view name) {
        auto config = std::make_unique<BackendConfig>();
        config->m_name = name;
        const std::string prefix = std::string(name) + "/";
        const auto first = kTable.find(name);
        for (std::uint32_t row = first.value_or(kTable.rows());
             row < kTable.rows() && kTable.cell(row, Key).starts_with(prefix); ++row)
            config->m_patterns.push_back(entryOf(row));
        config->index();
        return config;
    }
};

const BackendConfig* BackendConfig::find(std::string_view name) {
    static std::mutex mutex;
    static std::array<std::unique_ptr<const BackendConfig>, kNames.size()> known;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] != name) continue;
        const std::lock_guard lock(mutex);
        if (!known[i]) known[i] = BackendReader::read(name);
        return known[i].get();
    }
    return nullptr;
}

std::vector<std::string_view> BackendConfig::names() { return {kNames.begin(), kNames.end()}; }

} // namespace fx::quant
