//! One text for one JSON value, after RFC 8785 (JSON Canonicalization Scheme).

use serde_json::{Number, Value};

/// Writes `value` as canonical JSON: members sorted by the UTF-16 code units of their names, no white space, the
/// shortest escapes, and floating-point numbers as ECMAScript prints them.
///
/// One difference from RFC 8785: integers are written as they are, also above 2^53, because a reader here keeps all
/// 64 bits. NaN and infinity can't reach this function: `serde_json::Value` has no form for them.
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(out, index);
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
            out.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                separate(out, index);
                write_string(out, name);
                out.push(':');
                write_value(out, member);
            }
            out.push('}');
        }
    }
}

fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push(',');
    }
}

/// Writes `text` as a JSON string with the escapes of RFC 8785 section 3.2.2.2: the two that must be, the five short
/// forms, and `\u00xx` in lower case for the other control characters.
pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Most text needs no escape, so it is copied in runs up to the next character that does.
    while let Some(at) = rest.bytes().position(needs_escape) {
        let (plain, from) = rest.split_at_checked(at).unwrap_or_default();
        out.push_str(plain);
        let mut characters = from.chars();
        if let Some(escaped) = characters.next() {
            write_escape(out, escaped);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// The characters that need an escape are single bytes in UTF-8, and never part of a longer character.
fn needs_escape(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

fn write_escape(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        control => out.push_str(&format!("\\u{:04x}", u32::from(control))),
    }
}

fn write_number(out: &mut String, number: &Number) {
    match number.as_f64() {
        Some(float) if number.is_f64() => write_float(out, float),
        _ => out.push_str(&number.to_string()),
    }
}

/// ECMAScript `Number::toString` (ECMA-262 section 6.1.6.1.20), from the shortest digits that read back as the same number.
fn write_float(out: &mut String, float: f64) {
    if float == 0.0 {
        out.push('0');
        return;
    }
    if float < 0.0 {
        out.push('-');
    }
    let (digits, exponent) = shortest_digits(float.abs());
    let count = signed(digits.len());
    // The decimal point stands after this many digits, as `n` does in the standard.
    let point = exponent + 1;
    if count <= point && point <= 21 {
        out.push_str(&digits);
        push_zeros(out, point - count);
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at_checked(usize::try_from(point).unwrap_or(0)).unwrap_or_default();
        out.push_str(&format!("{whole}.{fraction}"));
    } else if -6 < point && point <= 0 {
        out.push_str("0.");
        push_zeros(out, -point);
        out.push_str(&digits);
    } else {
        let (first, rest) = digits.split_at_checked(1).unwrap_or_default();
        let dot = if rest.is_empty() { "" } else { "." };
        out.push_str(&format!("{first}{dot}{rest}e{exponent:+}"));
    }
}

/// The shortest digits of a number above zero and its decimal exponent: `1250.0` gives `("125", 3)`.
///
/// The digits are serde_json's. Those of `format!("{float:e}")` are as short, but where two candidates are equally near
/// it takes the upper and ECMAScript the even one (1424953923781206.25, RFC 8785 appendix B).
fn shortest_digits(float: f64) -> (String, i32) {
    let text = Number::from_f64(float).map(|number| number.to_string()).unwrap_or_default();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text.as_str(), "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    // The place of the first significant digit: its distance from the point, moved by the exponent.
    let leading_zeros = signed(all.len()) - signed(significant.len());
    let place = exponent.parse().unwrap_or(0) + signed(whole.len()) - 1 - leading_zeros;
    (significant.trim_end_matches('0').to_owned(), place)
}

/// A count of digits, of which there are never many.
fn signed(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn push_zeros(out: &mut String, count: i32) {
    for _ in 0..count {
        out.push('0');
    }
}

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
