//! Small pieces of markup: escaping, fields, submit controls and pictures.

use crate::look::{Button, Fields};
use crate::product::{Product, Shape};

/// Text made safe inside elements and quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// One text field to lay out.
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) label: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) autocomplete: &'a str,
    pub(crate) value: &'a str,
}

/// A field with its label, laid out as the shop does it.
pub(crate) fn field(fields: Fields, field: &Field<'_>) -> String {
    let Field { name, label, kind, autocomplete, value } = *field;
    let (name, label, value) = (escape(name), escape(label), escape(value));
    let input = format!(r#"<input id="{name}" name="{name}" type="{kind}" autocomplete="{autocomplete}" value="{value}""#);
    match fields {
        Fields::LabelAbove => {
            format!(r#"<div class="field"><label for="{name}">{label}</label>{input}></div>"#)
        }
        Fields::LabelAround => {
            format!(r#"<label class="field"><span>{label}</span>{input}></label>"#)
        }
        Fields::Placeholder => format!(r#"<div class="field">{input} aria-label="{label}" placeholder="{label}"></div>"#),
    }
}

/// A hidden field.
pub(crate) fn hidden(name: &str, value: &str) -> String {
    format!(r#"<input type="hidden" name="{}" value="{}">"#, escape(name), escape(value))
}

/// A submit control.
pub(crate) fn submit(button: Button, label: &str, class: &str) -> String {
    let label = escape(label);
    match button {
        Button::Button => format!(r#"<button type="submit" class="{class}">{label}</button>"#),
        Button::Input => format!(r#"<input type="submit" class="{class}" value="{label}">"#),
    }
}

/// A drawing of the product, hidden from the accessibility tree because the name stands beside it.
pub(crate) fn picture(product: &Product) -> String {
    let colour = product.colour;
    let drawing = match product.shape {
        Shape::Mug => format!(
            r##"<path d="M62 36h8a12 12 0 0 1 0 24h-8" fill="none" stroke="{colour}" stroke-width="6"/><rect x="26" y="26" width="38" height="46" rx="7" fill="{colour}"/><rect x="26" y="26" width="38" height="5" rx="2.5" fill="#00000030"/>"##
        ),
        Shape::Bowl => format!(
            r##"<path d="M18 38h60c0 20-12 34-30 34S18 58 18 38z" fill="{colour}"/><rect x="38" y="70" width="20" height="6" rx="2" fill="{colour}"/><rect x="16" y="35" width="64" height="6" rx="3" fill="#00000030"/>"##
        ),
        Shape::Jug => format!(
            r##"<path d="M64 34h6a11 11 0 0 1 0 28h-4" fill="none" stroke="{colour}" stroke-width="6"/><path d="M32 20l30-4 2 16c4 10 4 22 0 42H30c-6-18-6-30 0-40l-6-10z" fill="{colour}"/><path d="M30 72h36v4H30z" fill="#00000030"/>"##
        ),
        Shape::Plate => format!(
            r##"<circle cx="48" cy="48" r="32" fill="{colour}"/><circle cx="48" cy="48" r="20" fill="none" stroke="#ffffff70" stroke-width="3"/>"##
        ),
        Shape::Board => format!(
            r##"<rect x="22" y="30" width="40" height="40" rx="6" fill="{colour}"/><rect x="60" y="44" width="18" height="12" rx="6" fill="{colour}"/><circle cx="71" cy="50" r="2.5" fill="#fff"/><path d="M28 42h28M28 54h28" stroke="#00000022" stroke-width="2"/>"##
        ),
        Shape::Towel => format!(
            r##"<path d="M28 20h40v56H28z" fill="{colour}"/><path d="M28 60h40M28 66h40" stroke="#ffffffa0" stroke-width="3"/>"##
        ),
        Shape::Pot => format!(
            r##"<path d="M66 46l16-10" stroke="{colour}" stroke-width="7" stroke-linecap="round"/><path d="M30 44h-6a10 10 0 0 0 0 22h8" fill="none" stroke="{colour}" stroke-width="5"/><ellipse cx="48" cy="54" rx="23" ry="21" fill="{colour}"/><rect x="34" y="32" width="28" height="5" rx="2.5" fill="#00000030"/><circle cx="48" cy="28" r="4" fill="{colour}"/>"##
        ),
    };
    format!(
        r#"<svg class="picture" viewBox="10 12 76 72" width="96" height="91" aria-hidden="true" focusable="false">{drawing}</svg>"#
    )
}
