// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/call_dialog.h"

#include "core/base/memory.h"
#include "core/edit/steps.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "core/ops/nn_modules.h"
#include "ui/document/node_facts.h"
#include "ui/edit/module_call.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/role.h"
#include "ui/widgets/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLoggingCategory>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

/// Off by default; QT_LOGGING_RULES="lancet.edit.debug=true" tells what the form stands for.
Q_LOGGING_CATEGORY(editLog, "lancet.edit", QtWarningMsg)

QString plain(const std::string& text) { return QString::fromStdString(text); }

} // namespace

CallDialog::CallDialog(Document& document, std::vector<fx::NodeId> nodes, Task task, QWidget* parent)
    : QDialog(parent), m_document(document), m_nodes(std::move(nodes)), m_task(task) {
    const QString where = m_nodes.size() == 1 ? plain(node().name()) : tr("%1 nodes").arg(m_nodes.size());
    setWindowTitle(task == Task::InsertAfter    ? tr("Insert After %1").arg(where)
                   : task == Task::InsertBefore ? tr("Insert Before %1").arg(where)
                   : task == Task::ChangeCall   ? tr("Change Call of %1").arg(where)
                                                : tr("Replace Module %1").arg(plain(node().target())));
    resize(860, 560);
    makeParts();
    m_checking.setSingleShot(true);
    m_checking.setInterval(80);
    connect(&m_checking, &QTimer::timeout, this, &CallDialog::check);
    if (!inserts()) startFromNode();
    find();
    showRows();
}

void CallDialog::makeParts() {
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(m_task == Task::ReplaceModule ? tr("Search module classes")
                                 : choosesModule()             ? tr("Search the model's modules")
                                                   : tr("Search functions, methods, modules and operators"));
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(m_search->placeholderText());
    m_list = new QListWidget(this);
    m_list->setUniformItemSizes(true);
    m_list->setFont(monoFont());
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("Found"));
    connect(m_search, &QLineEdit::textChanged, this, &CallDialog::find);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (!m_found.empty()) m_list->setCurrentRow(std::max(0, m_list->currentRow()));
        m_form->focusFirst();
    });
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && !m_found.empty()) choose(m_found[static_cast<std::size_t>(row)]);
    });
    auto* left = new QVBoxLayout;
    left->addWidget(m_search);
    left->addWidget(m_list, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_accept = buttons->addButton(inserts()                    ? tr("Insert")
                                  : m_task == Task::ChangeCall ? tr("Change")
                                                               : tr("Replace"),
                                  QDialogButtonBox::AcceptRole);
    m_accept->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    row->addLayout(left, 4);
    row->addWidget(makeRight(), 5);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 14, 14, 12);
    column->addLayout(row, 1);
    column->addWidget(buttons);
}

QWidget* CallDialog::makeRight() {
    auto* page = new QWidget(this);
    m_target = heading({}, page);
    m_target->setWordWrap(true);
    m_target->setTextFormat(Qt::PlainText);
    m_overload = new QComboBox(page);
    m_overload->setAccessibleName(tr("Signature"));
    m_overload->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_form = new CallForm(page);
    m_scroll = new QScrollArea(page);
    m_scroll->setWidgetResizable(true);
    m_scroll->setWidget(m_form);
    m_name = new QLineEdit(page);
    m_name->setPlaceholderText(tr("node name (torch.fx chooses one if empty)"));
    m_rewire = new QCheckBox(tr("Redirect users to the new node"), page);
    m_rewire->setChecked(true);
    m_rewire->setVisible(m_task == Task::InsertAfter);
    m_keep = new QCheckBox(tr("Keep settings and weights that both classes share"), page);
    m_keep->setChecked(true);
    m_keep->setVisible(m_task == Task::ReplaceModule);
    m_name->setVisible(inserts());
    m_result = new QLabel(page);
    m_result->setWordWrap(true);
    m_result->setTextFormat(Qt::PlainText);
    m_result->setMinimumHeight(44);
    m_result->setIndent(8);
    m_result->setMargin(4);
    connect(m_overload, &QComboBox::currentIndexChanged, this, &CallDialog::showRows);
    connect(m_form, &CallForm::edited, &m_checking, qOverload<>(&QTimer::start));
    connect(m_name, &QLineEdit::textChanged, &m_checking, qOverload<>(&QTimer::start));
    for (QCheckBox* box : {m_rewire, m_keep})
        connect(box, &QCheckBox::toggled, &m_checking, qOverload<>(&QTimer::start));
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    for (QWidget* widget : {static_cast<QWidget*>(m_target), static_cast<QWidget*>(m_overload)})
        column->addWidget(widget);
    column->addWidget(m_scroll, 1);
    for (QWidget* widget : {static_cast<QWidget*>(m_name), static_cast<QWidget*>(m_rewire),
                            static_cast<QWidget*>(m_keep), static_cast<QWidget*>(m_result)})
        column->addWidget(widget);
    return page;
}

/// The form starts with what the node calls now.
void CallDialog::startFromNode() {
    m_choice.op = node().op();
    m_choice.target = plain(node().target());
    if (m_task != Task::ReplaceModule) return;
    const fx::PathTarget target = fx::resolvePath(*m_document.module()->root, node().target());
    const auto known = target.module ? fx::ops::findModule(target.module->qualifiedType()) : std::nullopt;
    if (known)
        m_choice.target =
            QString::fromUtf8(known->publicPath().data(), static_cast<qsizetype>(known->publicPath().size()));
    else m_choice.target = target.module ? plain(target.module->qualifiedType()) : QString();
}

/// Those of the model that the node can call, by path and class. Of a module with several paths the first, and the one
/// of the node.
std::vector<CallableChoice> CallDialog::searchModules() const {
    const QStringList words = m_search->text().simplified().split(u' ', Qt::SkipEmptyParts);
    std::vector<CallableChoice> found;
    const auto consider = [&](const std::string& path, const fx::Module& module) {
        const QString target = plain(path), type = plain(module.className), text = target + u' ' + type;
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

void CallDialog::find() {
    m_found = choosesModule() ? searchModules() : searchCallables(m_search->text(), m_task == Task::ReplaceModule);
    if (m_task == Task::ChangeCall && node().op() != fx::Op::CallFunction) // another kind of node is another node
        std::erase_if(m_found, [this](const CallableChoice& choice) { return choice.op != node().op(); });
    else if (m_task == Task::ChangeCall)
        std::erase_if(m_found, [](const CallableChoice& choice) { return choice.op != fx::Op::CallFunction; });
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    for (const CallableChoice& choice : m_found) {
        const QString shown = choice.op == fx::Op::CallMethod ? QStringLiteral("tensor.") + choice.target
                              : choosesModule()               ? tr("%1  %2").arg(choice.target, choice.signature)
                                                              : choice.target;
        auto* item = new QListWidgetItem(shown, m_list);
        item->setToolTip(plainToolTip(choosesModule() ? shown : choice.target + choice.signature));
        item->setData(Qt::ForegroundRole, theme().text);
    }
    if (m_search->text().isEmpty()) return choosesModule() ? showPresent() : void();
    if (m_found.empty()) { // not what an earlier text found
        auto* none = new QListWidgetItem(tr("No match for “%1”.").arg(m_search->text()), m_list);
        none->setFlags(Qt::NoItemFlags);
        return choose({});
    }
    m_list->setCurrentRow(0);
    choose(m_found.front());
}

void CallDialog::choose(const CallableChoice& choice) {
    if (choice.op == m_choice.op && choice.target == m_choice.target) return;
    m_choice = choice;
    const QSignalBlocker quiet(m_overload);
    m_overload->clear();
    showRows();
}

/// What the node's arguments are called in the signature.
std::vector<std::pair<QString, QString>> CallDialog::valuesOfNode() const {
    std::vector<std::pair<QString, QString>> values;
    if (m_task == Task::ReplaceModule) {
        const fx::PathTarget target = fx::resolvePath(*m_document.module()->root, node().target());
        const auto rows = parametersOf(fx::Op::CallModule, m_choice.target);
        if (target.module)
            for (const fx::Setting& setting : fx::constructorSettings(*target.module))
                if (std::any_of(rows.begin(), rows.end(),
                                [&](const ParameterRow& row) { return row.name == plain(setting.name); }) &&
                    !setting.isDefault)
                    values.emplace_back(plain(setting.name), plain(fx::reprOf(graph(), setting.value)));
        return values;
    }
    const auto rows = m_choice.op == fx::Op::CallModule
                          ? std::vector<ParameterRow>()
                          : parametersOf(m_choice.op, m_choice.target, m_overload->currentIndex());
    for (std::size_t i = 0; i < node().args().size(); ++i)
        values.emplace_back(i < rows.size() && !rows[i].keywordOnly ? rows[i].name : QString::number(i),
                            plain(fx::reprOf(graph(), node().args()[i])));
    for (const auto& [key, argument] : node().kwargs())
        values.emplace_back(plain(key), plain(fx::reprOf(graph(), argument)));
    return values;
}

void CallDialog::showRows() {
    m_target->setText(m_choice.target.isEmpty()           ? tr("Choose what to call")
                      : m_choice.op == fx::Op::CallMethod ? tr("tensor.%1").arg(m_choice.target)
                                                          : m_choice.target);
    if (m_overload->count() == 0) {
        const QSignalBlocker quiet(m_overload);
        m_overload->addItems(overloadsOf(m_choice.op, m_choice.target));
        m_overload->setVisible(m_overload->count() > 1);
    }
    auto rows = choosesModule() ? std::vector<ParameterRow>()
                                : parametersOf(m_choice.op, m_choice.target,
                                               m_overload->currentIndex()); // the arguments are those of its forward
    std::vector<std::pair<QString, QString>> values;
    if (!inserts()) {
        values = valuesOfNode();
    } else if (!m_choice.target.isEmpty() && !asksSettings()) {
        if (rows.empty()) rows.push_back({QStringLiteral("0"), {}, {}, true, false, true});
        values.emplace_back(rows.front().name, plain(node().name()));
    }
    m_form->setRows(rows, values);
    check();
}

/// "layer1.0.relu_1" for a torch.nn.ReLU beside the module layer1.0.conv2, so that it stands in the same group.
std::string CallDialog::freeModulePath() const {
    const QString last = m_choice.target.mid(m_choice.target.lastIndexOf(u'.') + 1).toLower();
    std::string place = node().op() == fx::Op::CallModule ? node().target() : std::string();
    place.resize(place.rfind('.') == std::string::npos ? 0 : place.rfind('.') + 1);
    if (!place.empty() && fx::resolvePath(*m_document.module()->root, place.substr(0, place.size() - 1)).kind !=
                              fx::PathTarget::Kind::Module)
        place.clear();
    for (int i = 0;; ++i) {
        const std::string path = place + (i == 0 ? last.toStdString() : last.toStdString() + "_" + std::to_string(i));
        if (fx::resolvePath(*m_document.module()->root, path).kind == fx::PathTarget::Kind::Missing) return path;
    }
}

QByteArray CallDialog::insertSteps(const CallForm::Call& call) const {
    fx::StepList steps;
    const std::string path = asksSettings() ? freeModulePath() : std::string();
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const fx::NodeId at = m_nodes[i];
        fx::StepList::Insertion what;
        what.op = m_choice.op;
        what.target = m_choice.target.toStdString();
        what.name = m_name->text().trimmed().toStdString();
        what.rewireUsers = m_task == Task::InsertAfter && m_rewire->isChecked() && m_onlyUser == fx::kNoNode;
        // At each of many nodes the first argument is that node.
        CallForm::Call own = call;
        if (asksSettings()) {
            what.made = chosenModule();
            what.target = i == 0 ? path : path + "_of_" + std::to_string(i);
            own = {{fx::Argument(at)}, {}};
        } else {
            for (fx::Argument& argument : own.args)
                argument = fx::mapNodes(
                    argument, [&](fx::NodeId each) { return fx::Argument(each == m_nodes.front() ? at : each); });
        }
        const fx::StepCall written{graph(), own.args, own.kwargs};
        m_task == Task::InsertAfter ? steps.insertAfter(graph().node(at).name(), what, written)
                                    : steps.insertBefore(graph().node(at).name(), what, written);
    }
    if (m_onlyUser != fx::kNoNode) addOnlyUser(steps);
    return QByteArray::fromStdString(steps.text());
}

fx::StepModule CallDialog::chosenModule() const {
    return {m_choice.target.toStdString(), m_form->settings(fx::Graph())};
}

/// The step that lets the one user take the new node, whose name is known from trying the insertion.
void CallDialog::addOnlyUser(fx::StepList& steps) const {
    const auto edited = fx::History::tried(*m_document.module(), steps.text()).model;
    const fx::EditEffect effect = fx::compareVersions(graph(), edited->graph);
    if (!effect.created.empty()) steps.setInput(edited->graph, m_onlyUser, m_nodes.front(), effect.created.back());
}

void CallDialog::setOnlyUser(fx::NodeId user) {
    m_onlyUser = user;
    m_rewire->hide();
    setWindowTitle(tr("Insert between %1 and %2").arg(plain(node().name()), plain(graph().node(user).name())));
}

QByteArray CallDialog::steps() const {
    if (m_choice.target.isEmpty()) throw fx::Error(fx::ErrorKind::Refused, fx::Message("window.no_target"));
    if (inserts()) return insertSteps(asksSettings() ? CallForm::Call() : m_form->call(graph()));
    fx::StepList steps;
    if (m_task == Task::ReplaceModule) {
        steps.replaceModule(node().target(), chosenModule(), m_keep->isChecked());
    } else {
        if (m_choice.target != plain(node().target())) steps.setTarget(node().name(), m_choice.target.toStdString());
        const CallForm::Call call = m_form->call(graph());
        steps.setArgs(node().name(), {graph(), call.args, call.kwargs});
    }
    return QByteArray::fromStdString(steps.text());
}

QString CallDialog::name() const {
    const QString last = m_choice.target.mid(m_choice.target.lastIndexOf(u'.') + 1);
    switch (m_task) {
    case Task::InsertAfter:
    case Task::InsertBefore:
        return m_nodes.size() == 1 ? tr("Insert %1 at %2").arg(last, plain(node().name()))
                                   : tr("Insert %1 at %2 nodes").arg(last).arg(m_nodes.size());
    case Task::ChangeCall: return tr("Change call of %1").arg(plain(node().name()));
    case Task::ReplaceModule: return tr("Replace %1 with %2").arg(plain(node().target()), last);
    }
    return {};
}

/// What the steps would make of a version.
struct CallDialog::Tried {
    fx::History::Trial trial;
    fx::EditEffect effect;
    std::shared_ptr<const fx::GraphModule> before;
};

/// Tries the steps on a copy, off the GUI thread; no weights are drawn, so the sizes that one types cost nothing.
void CallDialog::check() {
    const auto showError = [this](const fx::Error& error) {
        QString text =
            plain(error.what()) + (error.hint.empty() ? QString() : QStringLiteral(" – ") + plain(error.hint));
        showResult(text.remove(QStringLiteral("step 1 (insert_after): ")), false);
    };
    m_trying.cancel();
    try {
        m_trying.start(
            [before = m_document.module(), steps = steps().toStdString()](const fx::Progress& progress) {
                fx::History::Trial trial = fx::History::tried(*before, steps, progress);
                fx::EditEffect effect = fx::compareVersions(before->graph, trial.model->graph);
                return std::make_shared<const Tried>(Tried{std::move(trial), std::move(effect), before});
            },
            this, [this](const std::shared_ptr<const Tried>& tried) { showTried(*tried); }, showError);
    } catch (const fx::Error& error) { showError(error); }
}

/// Shows what would stand in the graph.
void CallDialog::showTried(const Tried& tried) {
    const fx::GraphModule& edited = *tried.trial.model;
    const auto& changed = m_task == Task::ChangeCall ? tried.effect.changed : tried.effect.created;
    QStringList lines;
    for (const auto* nodes : {&tried.effect.created, &changed})
        for (const fx::NodeId id : *nodes)
            if (lines.size() < 3) lines << plain(fx::formatNode(edited.graph, edited.graph.node(id)));
    lines.removeDuplicates();
    QString text = m_task == Task::ReplaceModule ? tr("A new module will be created.")
                   : lines.isEmpty()             ? tr("Nothing changes.")
                                                 : lines.join(u'\n');
    constexpr std::uint64_t kWorthTelling = 100 << 20;
    if (tried.trial.weightBytes >= kWorthTelling)
        text += u'\n' + tr("The new weights need %1 of memory.").arg(plain(fx::bytesInWords(tried.trial.weightBytes)));
    const std::size_t known = tried.before->warnings.size();
    for (std::size_t i = known; i < edited.warnings.size() && i < known + 2; ++i)
        text += u'\n' + plain(edited.warnings[i].what.text());
    showResult(text, true);
}

void CallDialog::showResult(const QString& text, bool valid) {
    m_result->setText(text);
    setRole(*m_result, m_choice.target.isEmpty() ? "muted" : valid ? "ok" : "warning");
    qCDebug(editLog).noquote() << "call:" << (valid ? "valid" : "not yet") << text.section(u'\n', 0, 0);
    m_accept->setEnabled(valid);
    m_accept->setToolTip(valid ? QString() : text);
}

} // namespace ui
