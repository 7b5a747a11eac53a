// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/call_dialog.h"

#include "core/edit/steps/step.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "core/ops/nn_modules.h"
#include "ui/edit/call_module.h"
#include "ui/edit/likely_calls.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace ui {

CallDialog::CallDialog(Document& document, std::vector<fx::NodeId> nodes, Task task, QWidget* parent)
    : QDialog(parent), m_document(document), m_nodes(std::move(nodes)), m_task(task) {
    const QString where = m_nodes.size() == 1 ? fromCore(node().name()) : tr("%1 nodes").arg(m_nodes.size());
    setWindowTitle(task == Task::InsertAfter     ? tr("Insert After %1").arg(where)
                   : task == Task::InsertBefore  ? tr("Insert Before %1").arg(where)
                   : task == Task::ChangeCall    ? tr("Change Call of %1").arg(where)
                   : task == Task::ReplaceModule ? tr("Replace Module %1").arg(fromCore(node().target()))
                                                 : tr("Replace Module Class Everywhere"));
    resize(860, 560);
    makeParts();
    m_search->setFocus();
    m_checking.setSingleShot(true);
    m_checking.setInterval(80);
    connect(&m_checking, &QTimer::timeout, this, &CallDialog::check);
    if (!inserts()) startFromNode();
    if (inserts())
        m_looking.start([model = document.module(), at = m_nodes.front(), after = task == Task::InsertAfter](
                            const fx::Progress&) { return plausibleCalls(*model, at, after); },
                        this,
                        [this](std::vector<CallableChoice> plausible) {
                            m_plausible = std::move(plausible);
                            const bool isUntouched = m_search->text().isEmpty() && m_choice.target.isEmpty();
                            if (isUntouched) find(); // else what is being chosen would move away
                        });
    find();
    showRows();
}

void CallDialog::setRecent(const QByteArray& json) {
    if (!inserts()) return;
    m_recentJson = json;
    m_recent = recentCalls(json);
    find();
}

QByteArray CallDialog::recent() const { return inserts() ? recentCallsWith(m_recentJson, m_choice) : m_recentJson; }

void CallDialog::makeParts() {
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(replaces()        ? tr("Search module classes")
                                 : choosesModule() ? tr("Search the model's modules")
                                                   : tr("Search functions, methods, modules and operators"));
    m_search->installEventFilter(this); // up and down are for the list
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(m_search->placeholderText());
    m_list = new QListWidget(this);
    m_list->setUniformItemSizes(true);
    m_list->setFont(monoFont());
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("Found"));
    m_list->setFocusPolicy(Qt::ClickFocus); // from the search the Tab key goes to the arguments
    connect(m_search, &QLineEdit::textChanged, this, &CallDialog::find);
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row < 0 || row >= static_cast<int>(m_found.size())) return;
        if (const CallableChoice& choice = m_found[static_cast<std::size_t>(row)]; !choice.target.isEmpty())
            choose(choice);
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
    m_preview = buttons->addButton(tr("Preview…"), QDialogButtonBox::ActionRole);
    m_preview->setToolTip(tr("Show the graphs before and after, the code and whether the results stay the same"));
    m_cancel = buttons->button(QDialogButtonBox::Cancel);
    connect(m_preview, &QPushButton::clicked, this, [this] {
        if (isValid()) Q_EMIT previewRequested(name(), steps());
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &CallDialog::accept);
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
    m_form = new CallForm(m_document.readers(), page);
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
    m_keep->setVisible(replaces());
    m_name->setVisible(inserts());
    m_result = new WrappedLabel(page);
    m_result->setTextFormat(Qt::PlainText);
    m_result->setMinimumHeight(44);
    m_result->setIndent(8);
    m_result->setMargin(4);
    connect(m_overload, &QComboBox::currentIndexChanged, this, &CallDialog::showRows);
    connect(m_form, &CallForm::edited, this, &CallDialog::checkLater);
    connect(m_name, &QLineEdit::textChanged, this, &CallDialog::checkLater);
    for (QCheckBox* box : {m_rewire, m_keep}) connect(box, &QCheckBox::toggled, this, &CallDialog::checkLater);
    connect(m_keep, &QCheckBox::toggled, this, [this] {
        if (m_task == Task::ReplaceModuleClass) showRows(); // what is required depends on it
    });
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
    m_choice.target = fromCore(node().target());
    if (!replaces()) return;
    const fx::PathTarget target = fx::resolvePath(*m_document.module()->root, node().target());
    const auto known = target.module ? fx::ops::findModule(target.module->qualifiedType()) : std::nullopt;
    if (known) m_choice.target = fromCore(known->publicPath());
    else m_choice.target = target.module ? fromCore(target.module->qualifiedType()) : QString();
    if (m_task != Task::ReplaceModuleClass) return;
    m_from = m_choice.target;
    setWindowTitle(tr("Replace Every %1").arg(m_from.mid(m_from.lastIndexOf(u'.') + 1)));
}

void CallDialog::choose(const CallableChoice& choice) {
    if (choice.op == m_choice.op && choice.target == m_choice.target) return;
    m_choice = choice;
    const QSignalBlocker quiet(m_overload);
    m_overload->clear();
    showRows();
}

/// What the node's arguments are called in the signature.
std::vector<CallForm::Value> CallDialog::valuesOfNode() const {
    std::vector<CallForm::Value> values;
    if (m_task == Task::ReplaceModuleClass) return values; // each module has its own
    if (m_task == Task::ReplaceModule) {
        const fx::PathTarget target = fx::resolvePath(*m_document.module()->root, node().target());
        const auto rows = parametersOf(fx::Op::CallModule, m_choice.target);
        if (target.module)
            for (const fx::Setting& setting : fx::constructorSettings(*target.module))
                if (std::any_of(rows.begin(), rows.end(),
                                [&](const ParameterRow& row) { return row.name == fromCore(setting.name); }) &&
                    !setting.isDefault)
                    values.push_back({fromCore(setting.name), fromCore(fx::reprOf(graph(), setting.value))});
        return values;
    }
    const auto rows = m_choice.op == fx::Op::CallModule
                          ? std::vector<ParameterRow>()
                          : parametersOf(m_choice.op, m_choice.target, m_overload->currentIndex());
    for (std::size_t i = 0; i < node().args().size(); ++i)
        values.push_back({i < rows.size() && !rows[i].keywordOnly ? rows[i].name : QString::number(i),
                          fromCore(fx::reprOf(graph(), node().args()[i]))});
    for (const auto& [key, argument] : node().kwargs())
        values.push_back({fromCore(key), fromCore(fx::reprOf(graph(), argument)), true});
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
    if (m_task == Task::ReplaceModuleClass && m_keep->isChecked()) showKept(rows);
    std::vector<CallForm::Value> values;
    if (!inserts()) {
        values = valuesOfNode();
    } else if (!m_choice.target.isEmpty() && !asksSettings()) {
        if (rows.empty()) rows.push_back({QStringLiteral("0"), {}, {}, true, false, true});
        values.push_back({rows.front().name, fromCore(node().name())});
    }
    m_form->setRows(rows, values);
    orderTabs();
    check();
}

/// Settings that each module of the replaced class has, too, need not be typed: what is taken over stands in their
/// place, as a value where it is the same in all modules.
void CallDialog::showKept(std::vector<ParameterRow>& rows) const {
    const auto own = parametersOf(fx::Op::CallModule, m_from);
    std::map<std::string, std::optional<std::string>> values; // null where they differ
    for (const auto& places : fx::modulesOfClass(*m_document.module()->root, m_from.toStdString()))
        for (const fx::Setting& setting : fx::constructorSettings(*places.module)) {
            const std::string value = fx::reprOf(graph(), setting.value);
            if (auto& known = values.emplace(setting.name, value).first->second; known != value) known.reset();
        }
    for (ParameterRow& row : rows) {
        const auto isSame = [&](const ParameterRow& each) { return each.name == row.name; };
        if (std::none_of(own.begin(), own.end(), isSame)) continue;
        const auto found = values.find(row.name.toStdString());
        const bool isOne = found != values.end() && found->second;
        row.required = false;
        row.defaultText = isOne ? tr("%1 (kept)").arg(fromCore(*found->second)) : tr("kept");
    }
}

/// Search, arguments, Insert; then the rest.
void CallDialog::orderTabs() {
    std::vector<QWidget*> order{m_search};
    for (QWidget* field : m_form->fields()) order.push_back(field);
    for (QWidget* rest :
         {static_cast<QWidget*>(m_accept), static_cast<QWidget*>(m_preview), static_cast<QWidget*>(m_cancel),
          static_cast<QWidget*>(m_overload), static_cast<QWidget*>(m_name), static_cast<QWidget*>(m_rewire),
          static_cast<QWidget*>(m_keep)})
        order.push_back(rest);
    for (std::size_t i = 1; i < order.size(); ++i) setTabOrder(order[i - 1], order[i]);
}

bool CallDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_search || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown: return QCoreApplication::sendEvent(m_list, event);
    default: return false;
    }
}

/// Enter goes on to what is missing; only a complete call is inserted by it.
void CallDialog::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) return QDialog::keyPressEvent(event);
    if (!m_choice.target.isEmpty()) accept();
}

/// What was typed last counts, also when it is not checked yet.
void CallDialog::accept() {
    if (m_form->focusMissing()) return;
    if (m_isChecked) return m_isValid ? QDialog::accept() : void();
    m_acceptsNext = true;
    if (m_checking.isActive()) check();
}

} // namespace ui
