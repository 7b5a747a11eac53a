# SPDX-License-Identifier: GPL-3.0-or-later
version = __space_of__('distutils.version')
