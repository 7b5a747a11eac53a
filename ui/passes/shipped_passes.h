// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QString>

#include <vector>

namespace ui {

/// A pass in Python text that comes with Lancet, as a template for others.
struct ShippedPass {
    QString name;  ///< "one_to_one"
    QString about; ///< the first sentence of its text
    QByteArray text;
};
/// In the order of their names.
const std::vector<ShippedPass>& shippedPasses();

} // namespace ui
