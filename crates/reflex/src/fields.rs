//! Which of the operator's values belongs into which field.

use crate::lexicon::Lexicon;
use crate::matching::{labels, text_fit};
use crate::page::{Entry, Op, Supplied, World};
use crate::words::Text;

/// What a field asks for, or what a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Email,
    User,
    Password,
    NewPassword,
    Phone,
    Search,
    Secretive,
    Plain(&'static str),
    Unknown,
}

/// Concept of the lexicon for each kind. Earlier lines win over later ones of equal coverage.
const CONCEPTS: &[(&str, Kind)] = &[
    ("field_password", Kind::Password),
    ("field_email", Kind::Email),
    ("search_box", Kind::Search),
    ("field_user", Kind::User),
    ("field_phone", Kind::Phone),
    ("field_card", Kind::Secretive),
    ("field_cvc", Kind::Secretive),
    ("field_expiry", Kind::Secretive),
    ("field_first_name", Kind::Plain("first_name")),
    ("field_last_name", Kind::Plain("last_name")),
    ("field_full_name", Kind::Plain("full_name")),
    ("field_street", Kind::Plain("street")),
    ("field_city", Kind::Plain("city")),
    ("field_postcode", Kind::Plain("postcode")),
    ("field_country", Kind::Plain("country")),
    ("field_state", Kind::Plain("state")),
    ("field_company", Kind::Plain("company")),
    ("field_code", Kind::Plain("code")),
    ("field_date", Kind::Plain("date")),
    ("field_subject", Kind::Plain("subject")),
    ("field_message", Kind::Plain("message")),
    ("field_quantity", Kind::Plain("quantity")),
    ("field_coupon", Kind::Plain("coupon")),
    ("field_url", Kind::Plain("url")),
    ("field_item", Kind::Plain("item")),
];

/// HTML autocomplete tokens that say the kind outright.
const AUTOCOMPLETE: &[(&str, Kind)] = &[
    ("current-password", Kind::Password),
    ("new-password", Kind::NewPassword),
    ("email", Kind::Email),
    ("username", Kind::User),
    ("tel", Kind::Phone),
    ("cc-number", Kind::Secretive),
    ("cc-csc", Kind::Secretive),
    ("cc-exp", Kind::Secretive),
    ("given-name", Kind::Plain("first_name")),
    ("family-name", Kind::Plain("last_name")),
    ("name", Kind::Plain("full_name")),
    ("street-address", Kind::Plain("street")),
    ("address-line1", Kind::Plain("street")),
    ("address-level2", Kind::Plain("city")),
    ("address-level1", Kind::Plain("state")),
    ("postal-code", Kind::Plain("postcode")),
    ("country", Kind::Plain("country")),
    ("country-name", Kind::Plain("country")),
    ("organization", Kind::Plain("company")),
    ("one-time-code", Kind::Plain("code")),
    ("bday", Kind::Plain("date")),
    ("url", Kind::Plain("url")),
];

/// What a field asks for: by its autocomplete token, its type, then its labels.
pub(crate) fn kind_of_field(lexicon: &Lexicon, entry: &Entry) -> Kind {
    let declared = entry.autocomplete.split_whitespace().find_map(|token| AUTOCOMPLETE.iter().find(|(own, _)| *own == token));
    if let Some((_, kind)) = declared {
        return *kind;
    }
    let labelled = kind_by_labels(lexicon, entry);
    match entry.input_type.as_str() {
        "password" if is_repeat(entry) => Kind::NewPassword,
        "password" => Kind::Password,
        "search" => Kind::Search,
        "email" => Kind::Email,
        "tel" if matches!(labelled, Kind::Unknown | Kind::Search) => Kind::Phone,
        _ if entry.role == "searchbox" => Kind::Search,
        // Only the type makes a password field; a label alone may lie about one.
        _ if labelled == Kind::Password => Kind::Unknown,
        _ if labelled == Kind::Unknown && in_search_form(lexicon, entry) => Kind::Search,
        _ => labelled,
    }
}

fn is_repeat(entry: &Entry) -> bool {
    let words = ["new", "repeat", "confirm", "again", "retype", "choose", "create"];
    labels(entry).iter().any(|(label, _)| label.words.iter().any(|word| words.contains(&word.as_str())))
}

fn in_search_form(lexicon: &Lexicon, entry: &Entry) -> bool {
    lexicon.coverage(&entry.landmark, "search") > 0.5 || lexicon.coverage(&entry.section, "search") > 0.5
}

fn kind_by_labels(lexicon: &Lexicon, entry: &Entry) -> Kind {
    let mut texts: Vec<(&Text, f64)> = labels(entry).into_iter().collect();
    texts.push((&entry.field_name, 0.7));
    best_kind(lexicon, &texts)
}

/// What a value is, by its key: `shop_email`, `login.password`, `firstName`.
pub(crate) fn kind_of_key(lexicon: &Lexicon, key: &str) -> Kind {
    let text = key_text(key);
    best_kind(lexicon, &[(&text, 1.0)])
}

fn best_kind(lexicon: &Lexicon, texts: &[(&Text, f64)]) -> Kind {
    let mut best = (0.0, Kind::Unknown);
    for (concept, kind) in CONCEPTS {
        let coverage = texts.iter().map(|(text, weight)| weight * lexicon.coverage(text, concept)).fold(0.0, f64::max);
        if coverage > best.0 + 1e-9 {
            best = (coverage, *kind);
        }
    }
    best.1
}

/// A key as words: separators and inner capitals part them.
pub(crate) fn key_text(key: &str) -> Text {
    let mut spaced = String::new();
    let mut before_lower = false;
    for letter in key.chars().take(100) {
        if before_lower && letter.is_uppercase() {
            spaced.push(' ');
        }
        before_lower = letter.is_lowercase();
        spaced.push(if letter.is_alphanumeric() { letter } else { ' ' });
    }
    Text::new(&spaced)
}

/// Confidence that the value offered by this fill entry belongs into its field; 0 for quoted text, which clauses judge.
pub(crate) fn value_fit(lexicon: &Lexicon, world: &World, entry: &Entry) -> f64 {
    let Some(key) = &entry.value_key else { return 0.0 };
    let known = world.values.iter().find(|value| value.key == *key);
    let secret = known.is_some_and(|value| value.secret);
    let (field, value) = (kind_of_field(lexicon, entry), kind_of_key(lexicon, key));
    if is_password(field) != (value == Kind::Password) {
        let only_secret = secret && is_password(field) && value == Kind::Unknown;
        return if only_secret { 0.7 } else { 0.0 };
    }
    if is_password(field) {
        return 0.95;
    }
    let words =
        labels(entry).into_iter().map(|(label, weight)| weight * text_fit(lexicon, &key_text(key), label)).fold(0.0, f64::max);
    let by_kind: f64 = match (field, value) {
        (Kind::Unknown, _) | (_, Kind::Unknown) => 0.0,
        (left, right) if left == right && left != Kind::Secretive => 0.95,
        (Kind::Email | Kind::User | Kind::Phone, Kind::Email | Kind::User | Kind::Phone) => 0.8,
        _ => 0.0,
    };
    // A secret goes where its key says or nowhere.
    if secret && by_kind < 0.9 && words < 0.9 { 0.0 } else { by_kind.max(if words >= 0.85 { words } else { 0.0 }) }
}

pub(crate) fn is_password(kind: Kind) -> bool {
    matches!(kind, Kind::Password | Kind::NewPassword)
}

pub(crate) fn is_login_name(kind: Kind) -> bool {
    matches!(kind, Kind::Email | Kind::User | Kind::Phone)
}

/// Whether the field already holds what this entry would type.
pub(crate) fn holds_value(world: &World, entry: &Entry) -> bool {
    let wanted = wanted_text(&world.values, entry);
    if let Some(wanted) = wanted
        && !entry.value.is_empty()
    {
        return wanted.folded == entry.value.folded;
    }
    entry.is("filled") && wanted.is_none() || typed_here(world, entry)
}

fn wanted_text<'a>(values: &'a [Supplied], entry: &'a Entry) -> Option<&'a Text> {
    let key = entry.value_key.as_ref();
    entry.value_text.as_ref().or_else(|| values.iter().find(|value| Some(&value.key) == key)?.text.as_ref())
}

/// Typed by an earlier act, with no press or Enter since that could have emptied the form.
fn typed_here(world: &World, entry: &Entry) -> bool {
    world
        .on_this_page()
        .iter()
        .rev()
        .take_while(|past| !(matches!(past.op, Op::Press | Op::Enter) && past.effect.happened()))
        .any(|past| past.effect.happened() && crate::matching::same_act(past, Op::Fill, entry))
}

/// The entries of the fill question, one list a field, in page order.
pub(crate) fn by_field(entries: &[Entry]) -> Vec<Vec<usize>> {
    let mut fields: Vec<Vec<usize>> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        match fields.iter_mut().find(|field| field.first().is_some_and(|first| entries[*first].same_field(entry))) {
            Some(field) => field.push(at),
            None => fields.push(vec![at]),
        }
    }
    fields
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
