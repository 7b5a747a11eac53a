// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/passes/pass_choices.h"

#include <QWidget>

class QFormLayout;

namespace ui {

/// The settings of one built-in pass: a box to tick for each that is true or false, a field for each list of words.
class PassSettingsForm final : public QWidget {
    Q_OBJECT
public:
    explicit PassSettingsForm(QWidget* parent = nullptr);
    /// Null for none; a pass in Python text has no settings but how often it runs.
    void show(const PassChoice* pass);

Q_SIGNALS:
    void edited(const QJsonObject& settings, bool untilUnchanged);

private:
    void tell();

    std::optional<PassChoice> m_pass;
    QWidget* m_page = nullptr;
};

} // namespace ui
