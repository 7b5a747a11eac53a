// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/erase_dialog.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/wrapped_label.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr std::size_t kParts = 20, kCandidates = 30; ///< that are asked about; the others take what is likeliest
constexpr int kBeside = 76;                          ///< px: margins and a scroll bar beside the choices

/// "conv1   1×64×56×56"
QString candidateText(const fx::Node& node, bool sameForm) {
    const QString shape = fromCore(shapeText(node));
    const QString note = shape.isEmpty() ? EraseDialog::tr("shape unknown")
                         : sameForm      ? shape
                                         : EraseDialog::tr("%1, another shape or type").arg(shape);
    return EraseDialog::tr("%1   (%2)").arg(elided(node.name(), 80), note);
}

/// So that candidates are read without scrolling sideways.
int widthFor(const QWidget& choices) {
    constexpr int kLeast = 520, kMost = 900;
    int widest = 0;
    for (const auto* button : choices.findChildren<QRadioButton*>())
        widest = std::max(widest, button->sizeHint().width());
    return std::clamp(widest + kBeside, kLeast, kMost);
}

QLabel* wrapped(const QString& text, QWidget* parent) {
    auto* label = new WrappedLabel(parent, text);
    label->setTextFormat(Qt::PlainText);
    return label;
}

} // namespace

EraseDialog::EraseDialog(Erasure erasure, QWidget* parent)
    : QDialog(parent), m_erasure(std::move(erasure)), m_withUsers(m_erasure.stepsWithUsers()) {
    setWindowTitle(tr("Erase %1").arg(m_erasure.what()));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 12);
    column->setSpacing(10);
    auto* inside = new QWidget;
    inside->setProperty("look", "panel");
    auto* parts = new QVBoxLayout(inside);
    parts->setContentsMargins(10, 8, 10, 8);
    std::size_t asked = 0, open = 0;
    for (std::size_t i = 0; i < m_erasure.parts().size(); ++i)
        if (m_erasure.parts()[i].isOpen() && ++open <= kParts) addPart(*parts, i), ++asked;
    if (open > asked)
        parts->addWidget(wrapped(counted(open - asked, tr("The users of 1 more group of nodes get their first input."),
                                         tr("The users of %1 more groups of nodes get their first input.")),
                                 inside));
    parts->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(inside);
    column->addWidget(scroll, 1);
    column->addWidget(m_dead = wrapped({}, this));
    m_dead->setProperty("role", "muted");
    column->addWidget(m_alsoDead = new QCheckBox(tr("Erase these nodes, too"), this));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_erase = buttons->addButton(tr("Erase"), QDialogButtonBox::AcceptRole);
    m_erase->setDefault(true);
    m_erase->setEnabled(m_erasure.canReconnect());
    m_erase->setToolTip(m_erasure.canReconnect() ? QString() : tr("A node without inputs cannot be bypassed"));
    m_users = buttons->addButton(tr("Erase Users Too"), QDialogButtonBox::DestructiveRole);
    m_users->setEnabled(m_withUsers.has_value());
    m_users->setToolTip(m_withUsers ? QString() : tr("The output depends on these nodes, and a graph needs an output"));
    connect(m_users, &QPushButton::clicked, this, [this] {
        m_takesUsers = true;
        accept();
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    showDead();
    if (auto* first = inside->findChild<QRadioButton*>()) first->setFocus(); // the arrow keys choose
    constexpr int kAround = 150, kMost = 560; // px; around: title, what is unused, buttons
    const int width = widthFor(*inside);
    resize(width, std::min(kAround + parts->totalHeightForWidth(width - kBeside), kMost));
}

void EraseDialog::addPart(QVBoxLayout& column, std::size_t index) {
    const Erasure::Part& part = m_erasure.parts()[index];
    const fx::Graph& graph = m_erasure.model().graph;
    const QString names = namesInWords(graph, part.nodes, 3), users = namesInWords(graph, part.choices.users);
    if (part.choices.candidates.empty()) {
        column.addWidget(
            wrapped(tr("%1 is used by %2, and has no input that these could use.").arg(names, users), this));
        return;
    }
    column.addWidget(wrapped(part.choices.users.size() == 1 ? tr("%1 uses %2. It gets instead:").arg(users, names)
                                                            : tr("%1 use %2. They get instead:").arg(users, names),
                             this));
    auto* group = new QButtonGroup(this);
    for (std::size_t i = 0; i < std::min(part.choices.candidates.size(), kCandidates); ++i) {
        auto* button =
            new QRadioButton(candidateText(graph.node(part.choices.candidates[i]), i < part.choices.sameForm), this);
        button->setChecked(i == 0);
        group->addButton(button);
        column.addWidget(button);
        connect(button, &QRadioButton::toggled, this, [this, index, i](bool on) {
            if (!on) return;
            m_erasure.parts()[index].chosen = i;
            showDead();
        });
    }
}

void EraseDialog::showDead() {
    const std::vector<fx::NodeId> dead = m_erasure.canReconnect() ? m_erasure.dead() : std::vector<fx::NodeId>();
    m_dead->setText(dead.empty() ? tr("Nothing is left unused.")
                                 : (dead.size() == 1 ? tr("Nothing uses this node any more: %1")
                                                     : tr("Nothing uses these any more: %1"))
                                       .arg(namesInWords(m_erasure.model().graph, dead)));
    m_dead->setVisible(m_erasure.canReconnect());
    m_alsoDead->setVisible(!dead.empty());
}

fx::StepList EraseDialog::steps() const {
    return m_takesUsers ? *m_withUsers : m_erasure.steps(!m_alsoDead->isHidden() && m_alsoDead->isChecked());
}

QString EraseDialog::name() const {
    return m_takesUsers ? tr("Erase %1 and its users").arg(m_erasure.what()) : tr("Erase %1").arg(m_erasure.what());
}

} // namespace ui
