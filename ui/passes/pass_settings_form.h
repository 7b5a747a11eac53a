// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/passes/pass_choices.h"

#include <QWidget>

class QFormLayout;

namespace ui {

/// Form with the settings of one built-in pass: a check box for each boolean, a field for each list of words.
class PassSettingsForm final : public QWidget {
    Q_OBJECT
public:
    explicit PassSettingsForm(QWidget* parent = nullptr); ///< Creates an empty form.
    /// Shows the settings of a pass; null clears the form. The only setting of a pass in Python text is
    /// how often it runs.
    void show(const PassChoice* pass);

Q_SIGNALS:
    /// Emitted when the user changes a setting.
    void edited(const QJsonObject& settings, bool untilUnchanged);

private:
    void tell();

    std::optional<PassChoice> m_pass;
    QWidget* m_page = nullptr;
};

} // namespace ui
