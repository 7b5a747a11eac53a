// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/node_qconfigs.h"

#include "core/base/joined_path.h"
#include "core/diag/error.h"
#include "core/module/module_paths.h"
#include "core/quant/module_values.h"

namespace fx::quant {
namespace {

const QConfigPtr* find(const std::unordered_map<std::string, QConfigPtr>& rules, std::string_view key) {
    const auto found = rules.find(std::string(key));
    return found == rules.end() ? nullptr : &found->second;
}

bool isFusedModule(const Module& module) {
    return module.classModule == "torch.ao.nn.intrinsic.modules.fused" ||
           module.classModule.starts_with("torch.ao.nn.intrinsic.qat.modules");
}

[[noreturn]] void refuseRegex(const std::string& pattern) {
    throw Error(ErrorKind::Refused, Message("quant.regex", {{"regex", pattern}}));
}

} // namespace

ModuleRegex::ModuleRegex(const std::string& pattern) try
    : m_pattern(pattern), m_regex(pattern, std::regex::ECMAScript) {
} catch (const std::regex_error&) { refuseRegex(pattern); }

bool ModuleRegex::matches(std::string_view text) const {
    try {
        return std::regex_search(text.begin(), text.end(), m_regex, std::regex_constants::match_continuous);
    } catch (const std::regex_error&) { refuseRegex(m_pattern); }
}

std::string orderKey(const QConfigMapping::Order& order) {
    return order.module + ", " + order.objectType + ", " + std::to_string(order.index);
}

std::string_view ruleName(RuleKind kind) {
    switch (kind) {
    case RuleKind::Global: return "global";
    case RuleKind::ObjectType: return "object_type";
    case RuleKind::Regex: return "module_name_regex";
    case RuleKind::ModuleName: return "module_name";
    case RuleKind::Order: return "module_name_object_type_order";
    case RuleKind::None: break;
    }
    return "none";
}

NodeQConfigs::NodeQConfigs(const NodeHeads& heads, const GraphModule& model, const QConfigMapping& mapping,
                           const std::unordered_map<std::string, Scope>& scopes)
    : m_heads(heads), m_model(model), m_paths(*model.root), m_mapping(mapping), m_scopes(scopes),
      m_types(mapping.objectTypes().begin(), mapping.objectTypes().end()),
      m_names(mapping.names().begin(), mapping.names().end()) {}

NodeQConfig NodeQConfigs::ofType(std::string_view type, NodeQConfig fallback) const {
    if (const QConfigPtr* known = find(m_types, type)) return {*known, RuleKind::ObjectType, std::string(type)};
    return fallback;
}

const NodeQConfig* NodeQConfigs::regexRule(std::string_view path) {
    auto [known, isNew] = m_regexRules.try_emplace(std::string(path));
    if (!isNew) return known->second ? &*known->second : nullptr;
    const QConfigMapping::Rules& rules = m_mapping.regexes();
    for (std::size_t i = 0; i < rules.size() && !known->second; ++i) {
        if (i == m_regexes.size())
            m_regexes.emplace_back(rules[i].first); // as in Python, those not reached may be invalid
        if (m_regexes[i].matches(path)) known->second = NodeQConfig{rules[i].second, RuleKind::Regex, rules[i].first};
    }
    return known->second ? &*known->second : nullptr;
}

/// torch.ao `_maybe_adjust_qconfig_for_module_type_or_name`.
NodeQConfig NodeQConfigs::ofModule(std::string_view type, std::string_view path, NodeQConfig fallback) {
    NodeQConfig result = ofType(type, std::move(fallback));
    if (!m_mapping.regexes().empty())
        if (const NodeQConfig* rule = regexRule(path)) result = *rule;
    if (m_names.empty()) return result;
    for (std::string_view name = path; !name.empty(); name = parentPath(name))
        if (const QConfigPtr* known = find(m_names, name)) return {*known, RuleKind::ModuleName, std::string(name)};
    return result;
}

NodeQConfig NodeQConfigs::ofOrder(std::string_view path, std::string_view type, std::int64_t index,
                                  NodeQConfig fallback) const {
    for (const auto& order : m_mapping.orders())
        if (order.module == path && order.objectType == type && order.index == index)
            return {order.qconfig, RuleKind::Order, orderKey(order)};
    return fallback;
}

std::int64_t NodeQConfigs::count(std::string_view path, std::string_view type) {
    if (m_mapping.orders().empty()) return 0;
    return m_counts[std::string(path) + '\n' + std::string(type)]++;
}

NodeQConfig NodeQConfigs::ofNode(const Node& node) {
    const NodeQConfig global{m_mapping.global(), RuleKind::Global, ""};
    const auto known = m_scopes.find(node.name());
    const Scope scope = known == m_scopes.end() ? Scope() : known->second;
    switch (node.op()) {
    case Op::GetAttr: {
        const std::string holder(parentPath(node.target()));
        const PathTarget target = m_paths.resolve(holder);
        return ofModule(target.module ? target.module->qualifiedType() : "", holder, global);
    }
    case Op::CallFunction: {
        const NodeQConfig byModule = ofModule(scope.type, scope.path, ofType(node.target(), global));
        return ofOrder(scope.path, node.target(), count(scope.path, node.target()), byModule);
    }
    case Op::CallMethod: return ofModule(scope.type, scope.path, ofModule(node.target(), scope.path, global));
    case Op::CallModule: {
        const NodeQConfig own = ofModule(m_heads.type(node.id()), node.target(), global);
        const std::string_view parent = parentPath(scope.path);
        return ofOrder(parent, scope.type, count(parent, scope.type), own);
    }
    default: return {};
    }
}

std::unordered_map<std::string, NodeQConfig> NodeQConfigs::all() {
    std::unordered_map<std::string, NodeQConfig> result;
    for (const Node& node : m_model.graph.nodes()) {
        if (node.op() == Op::CallModule && isObserver(*m_heads.module(node.id()))) continue;
        result.emplace(node.name(), ofNode(node));
    }
    return result;
}

void updateForFusion(const NodeHeads& heads, QConfigMapping& mapping) {
    if (mapping.objectTypes().empty()) return;
    const auto typeRule = [&](const std::string& type) -> const QConfigPtr* {
        for (const auto& [key, qconfig] : mapping.objectTypes())
            if (key == type) return &qconfig;
        return nullptr;
    };
    std::unordered_set<std::string> seen;
    for (const Node& node : heads.graph().nodes()) {
        const Module* module = heads.module(node.id());
        if (!module || !isFusedModule(*module) || module->children.empty()) continue;
        const std::string& type = heads.type(node.id());
        if (!seen.insert(type).second) continue; // one class has the same parts everywhere
        const QConfigPtr* first = typeRule(module->children.front().module->qualifiedType());
        const QConfigPtr own = first ? *first : nullptr;
        for (std::size_t i = 1; i < module->children.size(); ++i) {
            const std::string part = module->children[i].module ? module->children[i].module->qualifiedType() : "";
            const QConfigPtr* other = typeRule(part);
            if (!equalQConfigs(other ? *other : nullptr, own))
                throw Error(ErrorKind::Refused, Message("quant.fused_rules", {{"module", type}, {"part", part}}))
                    .onNode(node.name())
                    .onModule(node.target());
        }
        if (own) mapping.setObjectType(type, own);
    }
}

void updateForQat(const BackendConfig& backend, QConfigMapping& mapping) {
    const QConfigMapping::Rules rules = mapping.objectTypes();
    for (const auto& [type, qconfig] : rules)
        if (const std::string_view qat = backend.qatOf(type); !qat.empty()) mapping.setObjectType(qat, qconfig);
}

namespace {

/// torch.ao `_assert_valid_qconfig`.
void checkForModule(const QConfigPtr& qconfig, const Module& module, const std::string& path) {
    if (!qconfig || !qconfig->weight || module.classModule != "torch.nn.modules.conv" ||
        !module.className.starts_with("ConvTranspose"))
        return;
    const ObserverKind kind = traitsOf(*qconfig->weight).kind;
    if (kind == ObserverKind::PerChannelMinMax || kind == ObserverKind::MovingAveragePerChannelMinMax)
        throw Error(ErrorKind::Refused, Message("quant.transposed_per_channel", {{"module", module.className}}))
            .onModule(path);
}

} // namespace

std::unordered_map<std::string, QConfigPtr> propagated(const Module& root, const QConfigMapping& mapping,
                                                       const CustomConfig& custom) {
    requireFewPaths(root);
    const auto& untraced = custom.untracedNames;
    const auto isLeftOut = [&](const Module::Child& child) {
        return std::find(untraced.begin(), untraced.end(), child.name) != untraced.end() ||
               namesClass(custom.untracedClasses, child.module->qualifiedType());
    };
    const std::unordered_map<std::string, QConfigPtr> types(mapping.objectTypes().begin(), mapping.objectTypes().end()),
        names(mapping.names().begin(), mapping.names().end());
    struct Place {
        const Module* module;
        std::string path;
        QConfigPtr parent;
    };
    std::unordered_map<std::string, QConfigPtr> result;
    std::unordered_map<const Module*, QConfigPtr> given; // a module keeps the QConfig that it got first
    std::vector<Place> open{{&root, "", mapping.global()}};
    while (!open.empty()) {
        Place place = std::move(open.back());
        open.pop_back();
        QConfigPtr qconfig = place.parent;
        if (const QConfigPtr* byType = find(types, place.module->qualifiedType())) qconfig = *byType;
        if (const QConfigPtr* byName = place.path.empty() ? nullptr : find(names, place.path)) qconfig = *byName;
        if (place.path.empty()) qconfig = mapping.global(); // the empty name is the global rule
        const auto [known, isNew] = given.try_emplace(place.module, qconfig);
        if (!isNew) qconfig = known->second;
        checkForModule(qconfig, *place.module, place.path);
        result.emplace(place.path, qconfig);
        for (auto child = place.module->children.rbegin(); child != place.module->children.rend(); ++child)
            if (child->module && (!place.path.empty() || !isLeftOut(*child)))
                open.push_back({child->module.get(), joinedPath(place.path, child->name), qconfig});
    }
    return result;
}

} // namespace fx::quant
