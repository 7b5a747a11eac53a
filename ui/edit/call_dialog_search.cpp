// SPDX-License-Identifier: GPL-3.0-or-later
// What is listed to be called.
#include "ui/document/node_facts.h"
#include "ui/edit/call_dialog.h"
#include "ui/edit/call_module.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QLineEdit>
#include <QListWidget>

#include <algorithm>

namespace ui {

/// Those of the model that the node can call, by path and class. Of a module with several paths the first, and the one
/// of the node.
std::vector<CallableChoice> CallDialog::searchModules() const {
    const QStringList words = m_search->text().simplified().split(u' ', Qt::SkipEmptyParts);
    std::vector<CallableChoice> found;
    const auto consider = [&](const std::string& path, const fx::Module& module) {
        const QString target = fromCore(path), type = fromCore(module.className), text = target + u' ' + type;
        const bool fits = std::all_of(words.begin(), words.end(),
                                      [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
        if (fits && !path.empty() && !holdsOnly(module)) found.push_back({fx::Op::CallModule, target, type});
    };
    bool isMet = false;
    fx::forEachModule(*m_document.module()->root, [&](const std::string& path, const fx::Module& module) {
        isMet |= path == node().target();
        consider(path, module);
    });
    if (const fx::PathTarget present = fx::resolvePath(*m_document.module()->root, node().target());
        !isMet && present.module)
        consider(node().target(), *present.module);
    return found;
}

/// The item of the present one, from which the list starts; nothing changes by that.
void CallDialog::showPresent() {
    const auto present = std::find_if(m_found.begin(), m_found.end(),
                                      [this](const CallableChoice& each) { return each.target == m_choice.target; });
    if (present == m_found.end()) return;
    m_list->setCurrentRow(static_cast<int>(present - m_found.begin()));
    m_list->scrollToItem(m_list->currentItem(), QAbstractItemView::PositionAtCenter);
}

/// What a node of this kind can call: another kind of node is another node.
bool CallDialog::mayCall(const CallableChoice& choice) const {
    return m_task != Task::ChangeCall || choice.op == node().op();
}

void CallDialog::addRow(const CallableChoice& choice) {
    const QString shown = choice.op == fx::Op::CallMethod ? QStringLiteral("tensor.") + choice.target
                          : choosesModule()               ? tr("%1  %2").arg(choice.target, choice.signature)
                                                          : choice.target;
    auto* item = new QListWidgetItem(shown, m_list);
    item->setToolTip(plainToolTip(choosesModule() ? shown : choice.target + choice.signature));
    item->setData(Qt::ForegroundRole, theme().text);
    m_found.push_back(choice);
}

void CallDialog::addHeading(const QString& text) {
    auto* item = new QListWidgetItem(text, m_list);
    item->setFlags(Qt::NoItemFlags);
    item->setFont(semiboldFont());
    m_found.emplace_back();
}

void CallDialog::find() {
    const bool all = m_search->text().trimmed().isEmpty();
    std::vector<CallableChoice> likely = m_recent;
    likely.insert(likely.end(), m_plausible.begin(), m_plausible.end());
    std::vector<CallableChoice> found =
        choosesModule() ? searchModules() : searchCallables(m_search->text(), replaces(), 200, likely);
    std::erase_if(found, [this](const CallableChoice& choice) { return !mayCall(choice); });
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    m_found.clear();
    const auto add = [this](const QString& heading, const std::vector<CallableChoice>& choices) {
        if (!choices.empty()) addHeading(heading);
        for (const CallableChoice& choice : choices) addRow(choice);
    };
    if (all && !likely.empty()) {
        add(tr("Recent"), m_recent);
        add(tr("Likely here"), m_plausible);
        addHeading(tr("All"));
    }
    for (const CallableChoice& choice : found) addRow(choice);
    if (all) return choosesModule() ? showPresent() : void();
    if (found.empty()) return showNothingFound();
    m_list->setCurrentRow(0);
    choose(m_found.front());
}

/// Not what an earlier text found.
void CallDialog::showNothingFound() {
    addHeading(tr("No match for “%1”.").arg(m_search->text()));
    const auto near = choosesModule() ? std::nullopt : nearestCallable(m_search->text(), replaces());
    if (near && mayCall(*near)) {
        addHeading(tr("Did you mean:"));
        addRow(*near);
    }
    choose({});
}

} // namespace ui
