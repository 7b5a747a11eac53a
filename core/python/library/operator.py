# SPDX-License-Identifier: GPL-3.0-or-later
def attrgetter(*names):
    def one(value, name):
        for part in name.split('.'):
            value = getattr(value, part)
        return value
    return lambda value: one(value, names[0]) if len(names) == 1 else tuple([one(value, each) for each in names])
def itemgetter(*keys):
    return lambda value: value[keys[0]] if len(keys) == 1 else tuple([value[each] for each in keys])
def methodcaller(name, *args, **kwargs):
    return lambda value: getattr(value, name)(*args, **kwargs)
