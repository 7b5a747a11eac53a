// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/support_draft.h"

#include "core/json/json_writer.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <unordered_map>

namespace ui {

namespace {

constexpr std::string_view kTorchModules = "torch.nn.modules.";

/// `torch.nn.modules.conv.Conv2d` is written `torch.nn.Conv2d`.
std::string typeName(const fx::Module& module) {
    const std::string type = module.qualifiedType();
    return type.starts_with(kTorchModules) ? "torch.nn." + type.substr(type.rfind('.') + 1) : type;
}

MetOperator described(const fx::Node& node, ModuleLookup& modules) {
    MetOperator op;
    switch (node.op()) {
    case fx::Op::CallModule: {
        op.kind = MetOperator::Kind::Module;
        const fx::Module* module = modules.find(node.target());
        op.name = module ? typeName(*module) : node.target();
        break;
    }
    case fx::Op::CallMethod: op.kind = MetOperator::Kind::Method, op.name = node.target(); break;
    case fx::Op::GetAttr: op.kind = MetOperator::Kind::Attribute; break;
    default: op.name = targetText(node);
    }
    return op;
}

} // namespace

QString MetOperator::title() const {
    if (kind == Kind::Attribute) return QCoreApplication::translate("Partition", "get_attr");
    if (kind == Kind::Module && name.starts_with("torch.nn.")) return fromCore(name.substr(9));
    return fromCore(name);
}

std::vector<MetOperator> operatorsOf(const fx::GraphModule& model) {
    std::vector<MetOperator> result;
    std::unordered_map<std::string, std::size_t> places, byTarget;
    ModuleLookup modules(*model.root);
    for (const fx::Node& node : model.graph.nodes()) {
        if (!node.isCall() && node.op() != fx::Op::GetAttr) continue;
        // Found once for each target: paths of modules are looked up only then.
        const auto [target, isNew] =
            byTarget.try_emplace(std::to_string(static_cast<int>(node.op())) +
                                 (node.op() == fx::Op::GetAttr ? std::string() : node.target()));
        if (isNew) {
            MetOperator op = described(node, modules);
            const auto [place, isNewOperator] = places.try_emplace(op.key(), result.size());
            if (isNewOperator) result.push_back(std::move(op));
            target->second = place->second;
        }
        result[target->second].nodes.push_back(node.id());
    }
    std::stable_sort(result.begin(), result.end(), [](const MetOperator& a, const MetOperator& b) {
        if (a.kind != b.kind) return a.kind < b.kind;
        return a.nodes.size() != b.nodes.size() ? a.nodes.size() > b.nodes.size() : a.name < b.name;
    });
    return result;
}

void SupportDraft::setOperator(const MetOperator& op, Support support) {
    if (support == Support::ByRule) m_operators.erase(op.key());
    else m_operators[op.key()] = {op.kind, op.name, support};
}

Support SupportDraft::of(const MetOperator& op) const {
    const auto said = m_operators.find(op.key());
    return said == m_operators.end() ? Support::ByRule : said->second.support;
}

void SupportDraft::setNode(const std::string& name, Support support) {
    if (support == Support::ByRule) m_nodes.erase(name);
    else m_nodes[name] = support;
}

Support SupportDraft::ofNode(const std::string& name) const {
    const auto said = m_nodes.find(name);
    return said == m_nodes.end() ? Support::ByRule : said->second;
}

void SupportDraft::setBase(const QByteArray& rules, const QString& name) {
    m_operators.clear(), m_nodes.clear();
    m_base = rules.trimmed(), m_baseName = name;
}

QJsonObject SupportDraft::remembered() const {
    QJsonArray operators;
    for (const auto& [key, said] : m_operators)
        operators.append(QJsonArray{static_cast<int>(said.kind), QString::fromStdString(said.name),
                                    said.support == Support::Supported});
    QJsonArray nodes;
    for (const auto& [name, support] : m_nodes)
        nodes.append(QJsonArray{QString::fromStdString(name), support == Support::Supported});
    return {{QStringLiteral("operators"), operators},
            {QStringLiteral("nodes"), nodes},
            {QStringLiteral("rules"), QString::fromUtf8(m_base)},
            {QStringLiteral("name"), m_baseName}};
}

void SupportDraft::recall(const QJsonObject& json) {
    setBase(json[QLatin1String("rules")].toString().toUtf8(), json[QLatin1String("name")].toString());
    const QJsonArray operators = json[QLatin1String("operators")].toArray();
    for (const auto& each : operators) {
        const QJsonArray said = each.toArray();
        const int kind = said.at(0).toInt(-1);
        if (kind < 0 || kind > static_cast<int>(MetOperator::Kind::Attribute)) continue;
        setOperator({static_cast<MetOperator::Kind>(kind), said.at(1).toString().toStdString(), {}},
                    said.at(2).toBool() ? Support::Supported : Support::Unsupported);
    }
    for (const auto& each : json[QLatin1String("nodes")].toArray())
        setNode(each.toArray().at(0).toString().toStdString(),
                each.toArray().at(1).toBool() ? Support::Supported : Support::Unsupported);
}

/// From the last word to the first: {"all": [not these nodes, {"any": [these nodes, not these operators, {"any": [these
/// operators, file]}]}]}, and of that only what is needed.
QByteArray SupportDraft::rules() const {
    const auto list = [](const char* key, const std::string& rules) {
        return std::string("{\"") + key + "\": [" + rules + "]}";
    };
    const auto both = [](const char* key, const std::string& a, const std::string& b) {
        return a.empty() ? b : b.empty() ? a : std::string("{\"") + key + "\": [" + a + ", " + b + "]}";
    };
    std::string text[2][2]; // of nodes, of operators; supported, unsupported
    const auto add = [](std::string& to, const std::string& rule) { to += (to.empty() ? "" : ",\n  ") + rule; };
    for (const auto& [name, support] : m_nodes) {
        fx::JsonWriter json;
        json.beginObject().key("name").string(name);
        add(text[0][support == Support::Unsupported], json.endObject().text());
    }
    for (const auto& [key, said] : m_operators) {
        static constexpr const char* kOps[] = {"call_module", "call_function", "call_method", "get_attr"};
        fx::JsonWriter json;
        json.beginObject().key("op").string(kOps[static_cast<std::size_t>(said.kind)]);
        if (!said.name.empty())
            json.key(said.kind == MetOperator::Kind::Module ? "module_type" : "target").string(said.name);
        add(text[1][said.support == Support::Unsupported], json.endObject().text());
    }
    std::string rules = m_base.toStdString();
    for (std::size_t i = 2; i-- > 0;) {
        const std::string &supported = text[i][0], &unsupported = text[i][1];
        if (rules.empty()) { // nothing is supported but what is named
            if (!supported.empty()) rules = list("supported", supported);
            continue;
        }
        if (!unsupported.empty()) rules = both("all", list("unsupported", unsupported), rules);
        if (!supported.empty()) rules = both("any", list("supported", supported), rules);
    }
    return QByteArray::fromStdString(rules.empty() ? "{\"supported\": []}" : rules) + '\n';
}

} // namespace ui
