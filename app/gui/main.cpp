// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/launch.h"

int main(int argc, char** argv) { return ui::launch(argc, argv); }
