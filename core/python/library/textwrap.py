# SPDX-License-Identifier: GPL-3.0-or-later
def dedent(text):
    lines = text.split('\n')
    widths = [len(each) - len(each.lstrip()) for each in lines if each.strip()]
    width = min(widths) if widths else 0
    return '\n'.join([each[width:] if each.strip() else '' for each in lines])
def indent(text, prefix, predicate=None):
    return '\n'.join([prefix + each if each.strip() else each for each in text.split('\n')])
def shorten(text, width, placeholder=' [...]'):
    words = text.split()
    whole = ' '.join(words)
    if len(whole) <= width:
        return whole
    kept = ''
    for word in words:
        longer = kept + ' ' + word if kept else word
        if len(longer) + len(placeholder) > width:
            break
        kept = longer
    return kept + placeholder if kept else placeholder.strip()
