// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QString>

#include <vector>

namespace ui {

/// A pass in Python text that comes with Lancet, as a template for others.
struct ShippedPass {
    QString name;    ///< "one_to_one"
    QString about;   ///< the first sentence of its text
    QByteArray text; ///< the Python source
};
/// Returns all shipped passes, sorted by name.
const std::vector<ShippedPass>& shippedPasses();

} // namespace ui
