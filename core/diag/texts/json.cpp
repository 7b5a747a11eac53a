// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts json() {
    static constexpr MessageText kTexts[] = {
        {"json.bad_escape", "invalid escape"},
        {"json.bad_unicode_escape", "expected four hexadecimal digits"},
        {"json.control_character", "unescaped control character in a string: expected \\n, \\t or \\u00XX"},
        {"json.expected_colon", "expected `:` after the key"},
        {"json.expected_comma", "expected `,` or `{end}`"},
        {"json.expected_exponent", "expected digits of the exponent"},
        {"json.expected_fraction", "expected digits after the point"},
        {"json.expected_key", "expected a key in double quotes"},
        {"json.expected_value", "expected a value"},
        {"json.integer_too_large", "integer does not fit in 64 bits"},
        {"json.invalid", "invalid JSON: {reason}"},
        {"json.leading_zero", "a number must not start with 0"},
        {"json.missing_key", "missing key \"{key}\""},
        {"json.not_utf8", "invalid UTF-8"},
        {"json.open_string", "unterminated string"},
        {"json.pytree_form", "expected [version, pytree specification]"},
        {"json.pytree_keys", "expected {count} {count|key|keys} for a dict of {count} {count|child|children}"},
        {"json.text_after_value", "unexpected text after the first value"},
        {"json.too_deep", "nested deeper than {limit} levels"},
        {"json.too_large", "unsupported JSON text of more than 4 GB"},
        {"json.too_many_values", "too many values for a text of this size"},
        {"json.truncated", "the JSON text ends too early: {reason}"},
        {"json.unexpected_kind", "expected {expected}, got {found}"},
    };
    return kTexts;
}

} // namespace fx::texts
