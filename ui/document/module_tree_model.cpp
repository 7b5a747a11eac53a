// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/module_tree_model.h"

#include "core/base/joined_path.h"
#include "core/module/brief_settings.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/counted_text.h"

#include <QLocale>
#include <QMimeData>

#include <algorithm>
#include <unordered_map>

namespace ui {

namespace {

using Slots = std::vector<fx::Module::Slot>;

/// The tensors of the module that an entry stands for; none where another entry stands for it.
template<class Entry> const Slots& slotsOf(const Entry& entry, Slots fx::Module::*slots) {
    static const Slots kNone;
    return entry.module && entry.sharedWith < 0 ? entry.module->*slots : kNone;
}

/// Mostly none: sorting is much quicker than a set of each module.
template<class Entries>
std::unordered_set<const fx::TensorRef*> tensorsOfSeveral(const Entries& entries, Slots fx::Module::*slots) {
    std::vector<const fx::TensorRef*> all;
    for (const auto& entry : entries)
        for (const fx::Module::Slot& slot : slotsOf(entry, slots))
            if (slot.tensor) all.push_back(slot.tensor.get());
    std::sort(all.begin(), all.end());
    std::unordered_set<const fx::TensorRef*> several;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i] == all[i - 1]) several.insert(all[i]);
    return several;
}

} // namespace

void ModuleTreeModel::setModule(std::shared_ptr<const fx::GraphModule> module) {
    const bool isSameTree =
        m_module && module && m_module->root == module->root && m_module->className == module->className;
    m_module.swap(module);
    if (isSameTree) return; // as after most edits
    beginResetModel();
    build();
    countValues(&fx::Module::parameters, &Entry::parameters);
    countValues(&fx::Module::buffers, &Entry::buffers);
    findRepeats();
    applyFilter();
    endResetModel();
}

void ModuleTreeModel::setFilter(const QString& text) {
    if (text == m_filter) return;
    beginResetModel();
    m_filter = text;
    applyFilter();
    endResetModel();
}

void ModuleTreeModel::build() {
    m_entries.clear();
    m_byPath.clear();
    if (!m_module || !m_module->root) return;
    std::unordered_map<const fx::Module*, int> firstPlace;
    m_entries.push_back({m_module->root.get(), m_module->className, ""});
    for (std::size_t at = 0; at < m_entries.size(); ++at) {
        m_byPath.emplace(m_entries[at].path, static_cast<int>(at));
        const fx::Module* module = m_entries[at].module;
        if (!module) continue;
        const auto [first, isNew] = firstPlace.emplace(module, static_cast<int>(at));
        if (!isNew) {
            m_entries[at].sharedWith = first->second;
            continue;
        }
        for (const fx::Module::Child& child : module->children) {
            const std::string& path = m_entries[at].path;
            Entry entry{child.module.get(), child.name, fx::joinedPath(path, child.name)};
            entry.parent = static_cast<int>(at);
            m_entries[at].children.push_back(static_cast<int>(m_entries.size()));
            m_entries.push_back(std::move(entry));
        }
    }
}

/// Tensors that one module alone has are summed up; of the few that several have the children's sets are merged into
/// the parent's, small into large.
void ModuleTreeModel::countValues(std::vector<fx::Module::Slot> fx::Module::*slots, Entry::Values Entry::*total) {
    const auto add = [](Entry::Values& sum, const fx::TensorRef& tensor) {
        sum.elements += tensor.elementCount(), sum.bytes += tensor.byteCount();
    };
    const auto sharedTensors = tensorsOfSeveral(m_entries, slots);
    std::vector<Entry::Values> single(m_entries.size()), shared(m_entries.size());
    std::vector<std::unordered_set<const fx::TensorRef*>> sets(m_entries.size());
    for (std::size_t at = m_entries.size(); at-- > 0;) {
        Entry& entry = m_entries[at];
        for (const fx::Module::Slot& slot : slotsOf(entry, slots)) {
            if (!slot.tensor) continue;
            if (!sharedTensors.contains(slot.tensor.get())) add(single[at], *slot.tensor);
            else if (sets[at].insert(slot.tensor.get()).second) add(shared[at], *slot.tensor);
        }
        (entry.*total).elements = single[at].elements + shared[at].elements;
        (entry.*total).bytes = single[at].bytes + shared[at].bytes;
        if (entry.parent < 0) continue;
        const auto parent = static_cast<std::size_t>(entry.parent);
        single[parent].elements += single[at].elements, single[parent].bytes += single[at].bytes;
        if (sets[at].size() > sets[parent].size()) {
            std::swap(sets[at], sets[parent]);
            std::swap(shared[at], shared[parent]);
        }
        for (const fx::TensorRef* tensor : sets[at])
            if (sets[parent].insert(tensor).second) add(shared[parent], *tensor);
        sets[at].clear();
    }
}

/// Numbers structures bottom-up (class, number of values, children's names and structures) and marks later siblings of
/// one structure. Quantised modules have no values of their own to tell them apart: of these, the sizes count.
void ModuleTreeModel::findRepeats() {
    std::unordered_map<std::string, int> known;
    std::vector<int> structure(m_entries.size(), -1);
    std::string key;
    const auto add = [&key](std::string_view part) { key.append(part) += '\0'; };
    for (std::size_t at = m_entries.size(); at-- > 0;) {
        const Entry& entry = m_entries[at];
        key.clear();
        add(entry.module ? std::string_view(entry.module->classModule) : std::string_view());
        add(entry.module ? std::string_view(entry.module->className) : std::string_view());
        add(std::to_string(entry.parameters.elements));
        add(std::to_string(entry.buffers.elements));
        if (entry.module && entry.module->classModule.starts_with("torch.ao.nn."))
            add(fx::briefSettings(*entry.module));
        for (const int child : entry.children) {
            add(m_entries[static_cast<std::size_t>(child)].name);
            add(std::to_string(structure[static_cast<std::size_t>(child)]));
        }
        structure[at] = known.try_emplace(key, static_cast<int>(known.size())).first->second;
    }
    std::unordered_map<int, int> firstOf;
    for (const Entry& parent : m_entries) {
        firstOf.clear();
        for (const int child : parent.children) {
            Entry& entry = m_entries[static_cast<std::size_t>(child)];
            if (entry.children.empty()) continue;
            const auto [first, isNew] = firstOf.emplace(structure[static_cast<std::size_t>(child)], child);
            if (!isNew) entry.sameAs = first->second;
        }
    }
}

void ModuleTreeModel::applyFilter() {
    std::vector<char> keep(m_entries.size(), m_filter.isEmpty());
    if (!m_filter.isEmpty())
        for (std::size_t at = m_entries.size(); at-- > 0;) {
            const Entry& entry = m_entries[at];
            if (!keep[at])
                keep[at] = QString::fromStdString(entry.path).contains(m_filter, Qt::CaseInsensitive) ||
                           (entry.module &&
                            QString::fromStdString(entry.module->className).contains(m_filter, Qt::CaseInsensitive));
            if (keep[at] && entry.parent >= 0) keep[static_cast<std::size_t>(entry.parent)] = 1;
        }
    if (!keep.empty()) keep[0] = 1;
    for (Entry& entry : m_entries) {
        entry.shown.clear();
        for (const int child : entry.children) {
            Entry& below = m_entries[static_cast<std::size_t>(child)];
            below.row = keep[static_cast<std::size_t>(child)] ? static_cast<int>(entry.shown.size()) : -1;
            if (below.row >= 0) entry.shown.push_back(child);
        }
    }
}

QModelIndex ModuleTreeModel::indexOf(const QString& path) const {
    const auto found = m_byPath.find(path.toStdString());
    if (found == m_byPath.end()) return {};
    const Entry& entry = m_entries[static_cast<std::size_t>(found->second)];
    if (entry.row < 0) return {};
    return createIndex(entry.row, 0, static_cast<quintptr>(found->second));
}

QModelIndex ModuleTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    if (!parent.isValid()) return createIndex(0, 0, quintptr{0});
    return createIndex(row, 0, static_cast<quintptr>(entry(parent).shown[static_cast<std::size_t>(row)]));
}

QModelIndex ModuleTreeModel::parent(const QModelIndex& child) const {
    if (!child.isValid()) return {};
    const int above = entry(child).parent;
    if (above < 0) return {};
    return createIndex(m_entries[static_cast<std::size_t>(above)].row, 0, static_cast<quintptr>(above));
}

int ModuleTreeModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return m_entries.empty() ? 0 : 1;
    return static_cast<int>(entry(parent).shown.size());
}

/// What stands at the right of a row.
QString ModuleTreeModel::detail(const Entry& entry) const {
    if (!entry.module) return tr("None");
    const auto nameOf = [this](int at) { return elided(m_entries[static_cast<std::size_t>(at)].path, 60); };
    if (entry.sharedWith >= 0)
        return tr("shared with %1")
            .arg(entry.sharedWith == 0 ? elided(m_entries[0].name, 60) : nameOf(entry.sharedWith));
    if (entry.sameAs >= 0) return tr("like %1").arg(elided(m_entries[static_cast<std::size_t>(entry.sameAs)].name, 60));
    if (entry.children.empty() && entry.parent >= 0) return elided(entry.module->className, 60);
    return valuesOf(entry);
}

/// The greater of both: statistics of a normalisation are few beside its parameters; packed modules keep their weights
/// as buffers. The tool tip has both.
QString ModuleTreeModel::valuesOf(const Entry& entry) {
    const std::int64_t parameters = entry.parameters.elements, buffers = entry.buffers.elements;
    if (buffers > parameters) return tr("%1 in buffers").arg(countText(buffers));
    return parameters > 0 ? countText(parameters) : QString();
}

QString ModuleTreeModel::toolTip(const Entry& entry, const QString& type) const {
    QString text = elided(entry.path) + u'\n' + type;
    const auto [parameters, bytes] = entry.parameters;
    if (parameters > 0)
        text += u'\n' + counted(qint64(parameters), tr("1 parameter"), tr("%1 parameters")) + QStringLiteral(", ") +
                byteText(bytes);
    if (entry.buffers.elements > 0)
        text += u'\n' + counted(qint64(entry.buffers.elements), tr("1 value in buffers"), tr("%1 values in buffers")) +
                QStringLiteral(", ") + byteText(entry.buffers.bytes);
    if (entry.sameAs >= 0)
        text += tr("\nThe structure is that of %1; the weights may differ.")
                    .arg(elided(m_entries[static_cast<std::size_t>(entry.sameAs)].path));
    return text;
}

Qt::ItemFlags ModuleTreeModel::flags(const QModelIndex& index) const {
    const bool isModule = index.isValid() && entry(index).module;
    return QAbstractItemModel::flags(index) | (isModule ? Qt::ItemIsDragEnabled : Qt::NoItemFlags);
}

QMimeData* ModuleTreeModel::mimeData(const QModelIndexList& rows) const {
    if (rows.isEmpty()) return nullptr;
    auto* data = new QMimeData; // the drag takes it
    data->setData(QString::fromLatin1(kMimeType), pathOf(rows.front()).toUtf8());
    return data;
}

QVariant ModuleTreeModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Entry& row = entry(index);
    const QString type = row.module ? elided(row.module->className, 60) : tr("None");
    switch (role) {
    case Qt::DisplayRole: return elided(row.name, 200);
    case PathRole: return QString::fromStdString(row.path);
    case TypeRole: return row.children.empty() || row.parent < 0 || type == QLatin1String("Module") ? QString() : type;
    case DetailRole: return detail(row);
    case ParametersRole: return static_cast<qlonglong>(row.parameters.elements);
    case Qt::AccessibleTextRole: return tr("%1, %2, %3").arg(elided(row.name, 200), type, detail(row));
    case Qt::ToolTipRole: return plainToolTip(toolTip(row, type));
    default: return {};
    }
}

} // namespace ui
