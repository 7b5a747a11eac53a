# SPDX-License-Identifier: GPL-3.0-or-later
annotations = division = print_function = absolute_import = None
