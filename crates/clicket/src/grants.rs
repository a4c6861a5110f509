//! Reads what an operator grants: values, secrets, allowed writes and seams.

use clicket_guard::limits::{DIALOG_CHARS_MAX, VALUE_BYTES_MAX, VALUES_MAX};
use clicket_guard::secret::{Secret, SecretField};
use clicket_guard::web::{Origin, WebUrl};
use clicket_session::Supplied;

use crate::failure::Failure;

/// Words that a plain value's key may not hold: such a value belongs to `--secret`.
const CREDENTIAL_WORDS: [&str; 11] =
    ["password", "passwd", "passcode", "otp", "totp", "secret", "token", "api_key", "pin", "cookie", "session"];

/// Reads every `--value key=text`.
pub(crate) fn values(given: &[String]) -> Result<Vec<Supplied>, Failure> {
    if given.len() > VALUES_MAX {
        return Err(Failure::usage(format!("at most {VALUES_MAX} values can be given")));
    }
    given.iter().map(|text| value(text)).collect()
}

fn value(given: &str) -> Result<Supplied, Failure> {
    let (key, text) = given.split_once('=').ok_or_else(|| Failure::usage(format!("--value {given}: write it as key=text")))?;
    check_key(key)?;
    let words: Vec<&str> = key.split('_').collect();
    if CREDENTIAL_WORDS.iter().any(|word| words.contains(word) || key == *word) {
        return Err(Failure::usage(format!(
            "--value {key}=…: a {key} is a secret; give it as --secret {key}=env:NAME so that the model never sees it"
        )));
    }
    if text.is_empty() || text.len() > VALUE_BYTES_MAX {
        return Err(Failure::usage(format!("--value {key}=…: the text must have 1 to {VALUE_BYTES_MAX} bytes")));
    }
    Ok(Supplied { key: key.to_owned(), text: text.to_owned() })
}

pub(crate) fn check_key(key: &str) -> Result<(), Failure> {
    let fine = key.len() <= 50
        && key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if fine {
        Ok(())
    } else {
        Err(Failure::usage(format!("`{key}` is not a key: use a lower-case letter, then letters, digits and _")))
    }
}

/// Reads every `--secret`, opening its source.
pub(crate) fn secrets(given: &[String], start: &WebUrl) -> Result<Vec<Secret>, Failure> {
    given.iter().map(|text| secret(text, start)).collect()
}

fn secret(given: &str, start: &WebUrl) -> Result<Secret, Failure> {
    let shape = "write it as KEY=env:NAME, KEY=file:PATH or KEY=prompt";
    // Only the part before `=` is ever printed: somebody may have put the secret itself there.
    let (name, source) = given.split_once('=').ok_or_else(|| Failure::usage(format!("--secret: {shape}")))?;
    let (name, origin) = match name.split_once('@') {
        Some((name, origin)) => (name, Origin::read(origin).map_err(|why| Failure::usage(format!("--secret {name}@…: {why}")))?),
        None => (name, start.origin()),
    };
    let (key, field) = match name.split_once(':') {
        Some((key, "text")) => (key, SecretField::AnyText),
        Some((key, _)) => return Err(Failure::usage(format!("--secret {key}:…: the only field kind to name is `text`"))),
        None => (name, SecretField::Concealed),
    };
    check_key(key)?;
    let value = match source.split_once(':') {
        Some(("env", variable)) => std::env::var(variable).map_err(|_| {
            Failure::usage(format!("--secret {key}: the environment variable {variable} is not set; set it and run again"))
        })?,
        Some(("file", path)) => read_file(key, path)?,
        None if source == "prompt" => rpassword::prompt_password(format!("{key} for {origin}: ")).map_err(|error| {
            Failure::usage(format!("--secret {key}=prompt: no terminal to ask on ({error}); use env: or file:"))
        })?,
        _ => return Err(Failure::usage(format!("--secret {key}: {shape}"))),
    };
    Secret::bind(key, value, origin, field).map_err(|why| Failure::usage(format!("--secret {key}: {why}")))
}

fn read_file(key: &str, path: &str) -> Result<String, Failure> {
    let size = std::fs::metadata(path).map_err(|error| Failure::usage(format!("--secret {key}: {path}: {error}")))?.len();
    if size > VALUE_BYTES_MAX as u64 {
        return Err(Failure::usage(format!("--secret {key}: {path} is larger than {VALUE_BYTES_MAX} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| Failure::usage(format!("--secret {key}: {path}: {error}")))?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// The text of a dialog, as a person wrote it.
pub(crate) fn dialog(text: &str) -> Result<&str, Failure> {
    let chars = text.chars().count();
    if text.trim().is_empty() || chars > DIALOG_CHARS_MAX {
        return Err(Failure::usage(format!("--accept-dialog: give the dialog's whole text, 1 to {DIALOG_CHARS_MAX} characters")));
    }
    Ok(text)
}

/// A start address as a person types it.
pub(crate) fn start(text: &str) -> Result<WebUrl, Failure> {
    WebUrl::read_typed(text).map_err(|why| Failure::usage(format!("`{text}` can't be opened: {why}")))
}
