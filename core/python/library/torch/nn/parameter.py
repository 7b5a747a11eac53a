# SPDX-License-Identifier: GPL-3.0-or-later
Parameter = Parameter
UninitializedParameter = Parameter
