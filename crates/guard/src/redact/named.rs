//! What is a secret because of the word beside it: `password: …`, `Authorization: Bearer …`, `sid=…`, a one-time code.

use std::sync::Arc;

use aho_corasick::AhoCorasick;
use base64::Engine as _;

use super::opaque::{is_filler, is_irregular};
use super::{Found, Taken};
use crate::secret::ScrubberFault;

/// What must follow a name for it to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Any word with a digit or a sign in it.
    Password,
    /// Eight characters and more, with a digit and a letter.
    Token,
    /// Four to eight digits.
    Code,
    /// Three or four digits.
    CardCode,
    /// The word after `Bearer`.
    Bearer,
    /// The word after `Basic`: base64 of a name, a colon and a password.
    Basic,
}

use Rule::{Basic, Bearer, CardCode, Code, Password, Token};

/// Names, in small letters; a name may be the end of a longer one, such as `client_secret`.
const NAMES: &[(&str, Rule)] = &[
    ("password", Password),
    ("passwd", Password),
    ("passphrase", Password),
    ("pwd", Password),
    ("passwort", Password),
    ("kennwort", Password),
    ("contraseña", Password),
    ("mot de passe", Password),
    ("senha", Password),
    ("пароль", Password),
    ("Пароль", Password),
    ("パスワード", Password),
    ("密码", Password),
    ("비밀번호", Password),
    ("secret", Token),
    ("token", Token),
    ("accesstoken", Token),
    ("authtoken", Token),
    ("refreshtoken", Token),
    ("clientsecret", Token),
    ("api key", Token),
    ("apikey", Token),
    ("api_key", Token),
    ("api-key", Token),
    ("access_key", Token),
    ("access key", Token),
    ("accesskey", Token),
    ("secret_key", Token),
    ("secret key", Token),
    ("secretkey", Token),
    ("private_key", Token),
    ("private key", Token),
    ("accountkey", Token),
    ("sharedaccesssignature", Token),
    ("sharedaccesskey", Token),
    ("signature", Token),
    ("sig", Token),
    ("auth", Token),
    ("sid", Token),
    ("sessid", Token),
    ("phpsessid", Token),
    ("jsessionid", Token),
    ("session", Token),
    ("sessionid", Token),
    ("session_id", Token),
    ("csrf", Token),
    ("xsrf", Token),
    ("remember_me", Token),
    ("credential", Token),
    ("credentials", Token),
    ("recovery key", Token),
    ("verification code", Code),
    ("security code", Code),
    ("one-time code", Code),
    ("one time code", Code),
    ("one-time password", Code),
    ("login code", Code),
    ("sign-in code", Code),
    ("authentication code", Code),
    ("confirmation code", Code),
    ("access code", Code),
    ("passcode", Code),
    ("otp", Code),
    ("2fa code", Code),
    ("bestätigungscode", Code),
    ("sicherheitscode", Code),
    ("code de vérification", Code),
    ("código de verificación", Code),
    ("código de verificação", Code),
    ("codice di verifica", Code),
    ("код подтверждения", Code),
    ("Код подтверждения", Code),
    ("認証コード", Code),
    ("验证码", Code),
    ("인증번호", Code),
    ("cvv", CardCode),
    ("cvc", CardCode),
    ("cvv2", CardCode),
    ("bearer", Bearer),
    ("basic", Basic),
];

/// Words between a name and its code: `is`, `ist`, `:`.
const BETWEEN_BYTES_MAX: usize = 16;
/// A longer value is no password and no header.
const VALUE_CHARS_MAX: usize = 1_024;

/// The search for all names at once.
#[derive(Clone, Debug)]
pub(super) struct Names {
    finder: Arc<AhoCorasick>,
}

impl Names {
    pub(super) fn new() -> Result<Self, ScrubberFault> {
        let built = AhoCorasick::builder().ascii_case_insensitive(true).build(NAMES.iter().map(|(name, _)| *name));
        Ok(Self { finder: Arc::new(built.map_err(|_| ScrubberFault)?) })
    }

    pub(super) fn find(&self, text: &str) -> Vec<Found> {
        let named = self.finder.find_overlapping_iter(text).filter_map(|name| {
            let (_, rule) = NAMES.get(name.pattern().as_usize())?;
            begins_a_word(text, name.start()).then_some(())?;
            match rule {
                Password | Token => assigned(text, name.end(), *rule),
                Code => code(text, name.end(), 4..=8),
                CardCode => code(text, name.end(), 3..=4),
                Bearer | Basic => header(text, name.end(), *rule),
            }
        });
        named.collect()
    }
}

/// `client_secret` and `accessToken` end in a name, `consid` does not.
fn begins_a_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let hump = text.as_bytes().get(at).is_some_and(u8::is_ascii_uppercase) && before.is_some_and(char::is_lowercase);
    hump || !before.is_some_and(char::is_alphabetic)
        || !text.get(at..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii()))
}

/// The value after a name and a colon or an equals sign, which may be quoted, as may the name.
fn assigned(text: &str, at: usize, rule: Rule) -> Option<Found> {
    let rest = text.get(at..)?;
    let after_name = rest.trim_start_matches(['"', '\'', ']']);
    let after_name = after_name.strip_prefix("\\\"").unwrap_or(after_name);
    let spaced = trim_few(after_name);
    let sign = spaced.chars().next().filter(|c| matches!(c, ':' | '=' | '：'))?;
    let after_sign = spaced.get(sign.len_utf8()..).filter(|rest| !rest.starts_with(['=', '>', ':', '/']))?;
    let after_sign = trim_few(after_sign);
    let unescaped = after_sign.strip_prefix('\\').unwrap_or(after_sign);
    let quote = unescaped.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let value = unescaped.get(quote.map_or(0, char::len_utf8)..)?;
    let value = value.get(..value_bytes(value, quote))?;
    let start = at + rest.len() - unescaped.len() + quote.map_or(0, char::len_utf8);
    let secret = match rule {
        Password => is_password(value, quote.is_some() || sign == '='),
        // In prose, `Signature: SHA256withRSA` is none.
        Token | Code | CardCode | Bearer | Basic => is_token(value) && (quote.is_some() || sign == '=' || is_irregular(value)),
    };
    secret.then(|| Found::new(start, start + value.len(), Taken::Token))
}

/// A few spaces, and no more: the value stands beside its name.
fn trim_few(text: &str) -> &str {
    let spaces = text.bytes().take(4).take_while(|byte| *byte == b' ').count();
    text.get(spaces..).unwrap_or_default()
}

fn value_bytes(value: &str, quote: Option<char>) -> usize {
    let ends = |c: char| match quote {
        Some(quote) => c == quote || matches!(c, '\n' | '\\'),
        None => c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '<' | '>' | ')' | ']' | '}' | '&'),
    };
    let end = value.char_indices().take(VALUE_CHARS_MAX).find(|(_, c)| ends(*c)).map(|(at, _)| at);
    let near = value.char_indices().nth(VALUE_CHARS_MAX).map_or(value.len(), |_| 0);
    // An unclosed quote is none, and what does not end is no value.
    match (end, quote) {
        (Some(end), _) => end,
        (None, Some(_)) => value.get(..near).and_then(|value| value.find(char::is_whitespace)).unwrap_or(near),
        (None, None) => near,
    }
}

/// A label such as `Password: required` has a word where a password would be.
fn is_password(value: &str, is_data: bool) -> bool {
    let has = |is: fn(char) -> bool| value.chars().any(is);
    let digit_or_sign = has(|c| c.is_ascii_digit())
        || has(|c| c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ':' | '-' | '_' | '\'' | '(' | '?' | '!'));
    let turned = value.chars().skip(1).any(char::is_uppercase) && has(char::is_lowercase);
    let long = value.chars().count() >= 4;
    long && !is_blank(value) && (digit_or_sign || turned || (is_data && value.chars().count() >= 8 && !is_code(value)))
}

fn is_token(value: &str) -> bool {
    let long = value.len() >= 8;
    let mixed = value.bytes().any(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.+/=%~:|$".contains(&byte));
    long && mixed && plain && !is_blank(value) && !is_code(value)
}

/// `getToken`, `e.token1`, `process.env.X`: an expression, not a value.
fn is_code(value: &str) -> bool {
    let parts = value.split('.').filter(|part| !part.is_empty());
    value.contains('(')
        || (value.contains('.')
            && parts.into_iter().all(|part| part.len() < 12 && part.starts_with(|c: char| c.is_ascii_alphabetic())))
}

/// What stands where a value goes: `${X}`, `{{x}}`, `[x]`, `<x>`, `****`, `your-key-here`.
fn is_blank(value: &str) -> bool {
    let first = value.chars().next();
    value.starts_with(['$', '{', '<', '%', '[', '*', '\u{2022}', '\u{25CF}']) && !value.starts_with("$2")
        || value.chars().all(|c| Some(c) == first)
        || is_filler(value)
        || ["null", "none", "true", "false", "undefined", "required", "optional", "hidden"]
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word))
}

/// Digits beside a name, with at most a few words between.
fn code(text: &str, at: usize, digits: std::ops::RangeInclusive<usize>) -> Option<Found> {
    let rest = text.get(at..)?;
    let lead = rest.find(|c: char| c.is_ascii_digit()).filter(|lead| *lead > 0 && *lead <= BETWEEN_BYTES_MAX)?;
    let between = rest.get(..lead)?;
    let length = rest.bytes().skip(lead).take_while(u8::is_ascii_digit).count();
    let after = rest.get(lead + length..).and_then(|after| after.chars().next());
    let ends = !after.is_some_and(|c| c.is_alphanumeric() && c.is_ascii() || matches!(c, '-' | '/' | '%'));
    let beside = !between.contains(['.', '(', '?', '\n']) && between.split_whitespace().count() <= 3;
    let joined = between.ends_with([' ', ':', '=', '：', '"']) || !between.is_ascii();
    (digits.contains(&length) && ends && beside && joined).then(|| Found::new(at + lead, at + lead + length, Taken::Code))
}

/// The credentials after the scheme of an `Authorization` header (RFC 9110 section 11.4).
fn header(text: &str, at: usize, rule: Rule) -> Option<Found> {
    let rest = text.get(at..)?.strip_prefix(' ')?;
    let length =
        rest.bytes().take(VALUE_CHARS_MAX).take_while(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(byte)).count();
    let value = rest.get(..length)?.trim_end_matches('.');
    let held = if rule == Basic {
        let engine = base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, LENIENT);
        value.len() >= 6 && engine.decode(value).is_ok_and(|pair| pair.contains(&b':') && pair.iter().all(|byte| *byte >= b' '))
    } else {
        value.len() >= 12 && value.bytes().any(|byte| byte.is_ascii_digit()) && !is_filler(value)
    };
    held.then(|| Found::new(at + 1, at + 1 + value.len(), Taken::Token))
}

const LENIENT: base64::engine::GeneralPurposeConfig =
    base64::engine::GeneralPurposeConfig::new().with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent);
