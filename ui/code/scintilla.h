// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QScintilla's headers use Qt's keywords, which are off everywhere in this project: the only place that includes them.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>
#undef signals
#undef slots
