//! `clicket redact`: what of a text would reach a model or an agent.

use std::io::Read as _;
use std::process::ExitCode;

use clicket_guard::redact::Redactor;

use crate::args::RedactArgs;
use crate::failure::Failure;
use crate::screen::Screen;

/// More than any page; a whole file is held in memory several times.
const INPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;

pub(crate) fn redact(args: &RedactArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    let values = args.values.as_deref().map_or_else(|| Ok(Vec::new()), |file| values_in(&read(Some(file))?))?;
    let redactor = Redactor::new(&values).map_err(Failure::usage)?;
    let file = args.file.as_deref().filter(|file| file.as_os_str() != "-");
    let redacted = redactor.document(&read(file)?);
    if args.json {
        screen.out(&serde_json::to_string(&redacted).map_err(Failure::fault)?);
    } else {
        screen.out_as_it_is(&redacted.text);
    }
    Ok(ExitCode::SUCCESS)
}

/// The values to mask, one a line; one that is too short to be found is named by its line, so that nobody counts on it.
fn values_in(text: &str) -> Result<Vec<String>, Failure> {
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, value)| !value.is_empty());
    lines
        .map(|(line, value)| {
            let told = Redactor::masks(value).then(|| value.to_owned());
            told.ok_or_else(|| Failure::usage(format!("--values: line {} is too short to be told from other text", line + 1)))
        })
        .collect()
}

/// The whole text; bytes that are not UTF-8 become the replacement character.
fn read(file: Option<&std::path::Path>) -> Result<String, Failure> {
    let name = file.map_or_else(|| "standard input".to_owned(), |file| file.display().to_string());
    let failed = |error: std::io::Error| Failure::usage(format!("{name} can't be read: {error}"));
    let mut bytes = Vec::new();
    let read = match file {
        Some(file) => std::fs::File::open(file).map_err(failed)?.take(INPUT_BYTES_MAX + 1).read_to_end(&mut bytes),
        None => std::io::stdin().lock().take(INPUT_BYTES_MAX + 1).read_to_end(&mut bytes),
    };
    if read.map_err(failed)? as u64 > INPUT_BYTES_MAX {
        return Err(Failure::usage(format!("{name} is larger than {INPUT_BYTES_MAX} bytes; redact it in pieces")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
