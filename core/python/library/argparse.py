# SPDX-License-Identifier: GPL-3.0-or-later
class Namespace:
    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            setattr(self, key, value)
    def __eq__(self, other): return isinstance(other, Namespace) and vars(self) == vars(other)
    def __contains__(self, key): return key in vars(self)
    def __repr__(self): return 'Namespace(' + ', '.join([f'{key}={each!r}' for key, each in vars(self).items()]) + ')'
class ArgumentError(Exception): pass
class ArgumentTypeError(Exception): pass
class HelpFormatter: pass
class RawTextHelpFormatter(HelpFormatter): pass
class RawDescriptionHelpFormatter(HelpFormatter): pass
class ArgumentDefaultsHelpFormatter(HelpFormatter): pass
SUPPRESS, OPTIONAL, ZERO_OR_MORE, ONE_OR_MORE, REMAINDER = '==SUPPRESS==', '?', '*', '+', '...'
class Action:
    def __init__(self, names, action='store', nargs=None, const=None, default=None, type=None, choices=None,
                 required=False, help=None, metavar=None, dest=None, version=None):
        long = [each for each in names if each.startswith('--')]
        self.option_strings = [each for each in names if each.startswith('-')]
        self.dest = dest or (long or names)[0].lstrip('-').replace('-', '_')
        self.action, self.nargs, self.const, self.type, self.choices = action, nargs, const, type, choices
        self.required, self.help, self.metavar = required, help, metavar
        if default is None and action in ('store_true', 'store_false'):
            default = action == 'store_false'
        self.default = default
    def _converted(self, text): return text if self.type is None else self.type(text)
    def _filled(self):
        return self._converted(self.default) if isinstance(self.default, str) else self.default
# Follows a given list of arguments; where a program would take those of its process, all have their defaults.
class ArgumentParser:
    def __init__(self, *args, **options): self._actions, self._defaults = [], {}
    def add_argument(self, *names, **options):
        made = Action(names, **options)
        self._actions.append(made)
        return made
    def add_argument_group(self, *args, **options): return self
    def add_mutually_exclusive_group(self, **options): return self
    def set_defaults(self, **options): self._defaults.update(options)
    def get_default(self, name): return vars(self.parse_args([]))[name]
    def error(self, message): raise SystemExit(2)
    def print_help(self, file=None): return None
    def parse_args(self, args=None, namespace=None): return self.parse_known_args(args, namespace)[0]
    def parse_known_args(self, args=None, namespace=None):
        out, rest, left = namespace or Namespace(), [], list(args or [])
        for each in self._actions:
            if each.default != SUPPRESS and not hasattr(out, each.dest):
                setattr(out, each.dest, each._filled())
        for key, value in self._defaults.items():
            setattr(out, key, value)
        places = [each for each in self._actions if not each.option_strings]
        while left:
            word, equals, value = left.pop(0).partition('=')
            named = [each for each in self._actions if word in each.option_strings]
            if named:
                self._take(out, named[0], [value] if equals else [], left)
            elif word.startswith('-') or not places:
                rest.append(word + equals + value)
            else:
                self._take(out, places.pop(0), [word + equals + value], left)
        return out, rest
    def _take(self, out, action, given, left):
        if action.action in ('store_true', 'store_false', 'store_const', 'count'):
            now = getattr(out, action.dest, None)
            made = (now or 0) + 1 if action.action == 'count' else action.const
            setattr(out, action.dest, made if action.action in ('store_const', 'count')
                    else action.action == 'store_true')
            return
        many = action.nargs in ('*', '+', '...') or isinstance(action.nargs, int)
        most = action.nargs if isinstance(action.nargs, int) else 1000000 if many else 1
        while left and len(given) < most and not left[0].startswith('--'):
            given.append(left.pop(0))
        made = [action._converted(each) for each in given]
        if not many:
            made = made[0] if made else action.const
        if action.action in ('append', 'extend'):
            made = list(getattr(out, action.dest, None) or []) + (made if action.action == 'extend' else [made])
        setattr(out, action.dest, made)
