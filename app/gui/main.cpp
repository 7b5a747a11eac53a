// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reader/reader_client.h"
#include "ui/shell/launch.h"

int main(int argc, char** argv) { return ui::launch(argc, argv, fx::reader::pythonReader({{}, true})); }
