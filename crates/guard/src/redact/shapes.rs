//! Tokens that their maker marked: a prefix, and so many characters of a class. The table follows the public rule sets of
//! gitleaks and secretlint; they disagree on several lengths, so each entry has the least of them, and the whole run goes.

use std::sync::Arc;

use aho_corasick::AhoCorasick;

use super::opaque::is_filler;
use super::{Found, Taken};
use crate::secret::ScrubberFault;

/// What a token's body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// Digits and letters a to f.
    Hex,
    /// Letters and digits.
    Alnum,
    /// Letters, digits, dash and underscore.
    Word,
    /// The same and the dot, for tokens in parts.
    Dotted,
    /// Both alphabets of base64, the dot and the percent sign of an encoded one.
    Base64,
    /// Letters, digits and the dollar sign that parts them.
    Dollared,
}

impl Body {
    fn holds(self, byte: u8) -> bool {
        let beyond: &[u8] = match self {
            Self::Hex => return byte.is_ascii_hexdigit(),
            Self::Alnum => b"",
            Self::Word => b"_-",
            Self::Dotted => b"_-.",
            Self::Base64 => b"_-.+/=%",
            Self::Dollared => b"$",
        };
        byte.is_ascii_alphanumeric() || beyond.contains(&byte)
    }
}

use Body::{Alnum, Base64, Dollared, Dotted, Hex, Word};

/// Prefix, class and least length of the body. Where the prefix is a word, the body must hold a digit.
const MARKED: &[(&str, Body, usize)] = &[
    // Cloud.
    ("AKIA", Alnum, 16),
    ("ASIA", Alnum, 16),
    ("ABIA", Alnum, 16),
    ("ACCA", Alnum, 16),
    ("ABSK", Base64, 60),
    ("AIza", Word, 35),
    ("ya29.", Dotted, 20),
    ("GOCSPX-", Word, 24),
    ("cfut_", Alnum, 32),
    ("cfat_", Alnum, 32),
    ("cfk_", Alnum, 32),
    ("v1.0-", Word, 100),
    ("dop_v1_", Hex, 40),
    ("doo_v1_", Hex, 40),
    ("dor_v1_", Hex, 40),
    ("LTAI", Alnum, 12),
    ("AKID", Alnum, 32),
    ("fo1_", Word, 40),
    ("fm1_", Base64, 60),
    ("fm2_", Base64, 60),
    ("FlyV1 fm", Base64, 60),
    ("vcp_", Alnum, 20),
    ("vci_", Alnum, 20),
    ("vca_", Alnum, 20),
    ("vcr_", Alnum, 20),
    ("vck_", Alnum, 20),
    ("nfp_", Alnum, 32),
    ("HRKU-", Word, 32),
    ("sbp_", Hex, 32),
    ("sb_secret_", Word, 20),
    ("pscale_tkn_", Dotted, 32),
    ("pscale_oauth_", Dotted, 32),
    ("pscale_pw_", Dotted, 32),
    ("dapi", Hex, 32),
    ("rnd_", Alnum, 20),
    // Code hosts and packages.
    ("ghp_", Alnum, 30),
    ("gho_", Alnum, 30),
    ("ghu_", Alnum, 30),
    ("ghs_", Dotted, 30),
    ("ghr_", Alnum, 30),
    ("github_pat_", Word, 50),
    ("glpat-", Dotted, 20),
    ("gldt-", Dotted, 20),
    ("glrt-", Dotted, 20),
    ("glcbt-", Dotted, 20),
    ("glptt-", Dotted, 20),
    ("glft-", Dotted, 20),
    ("glsoat-", Dotted, 20),
    ("glimt-", Dotted, 20),
    ("glagent-", Dotted, 20),
    ("gloas-", Dotted, 20),
    ("glffct-", Dotted, 20),
    ("GR1348941", Word, 20),
    ("ATBB", Alnum, 24),
    ("ATATT3", Base64, 60),
    ("ATCTT3", Base64, 60),
    ("npm_", Alnum, 30),
    ("pypi-", Word, 50),
    ("rubygems_", Hex, 40),
    ("cio", Alnum, 32),
    ("dckr_pat_", Word, 20),
    ("dckr_oat_", Word, 20),
    ("oy2", Alnum, 43),
    ("PMAK-", Word, 40),
    ("AKCp", Alnum, 60),
    ("cmVmd", Alnum, 50),
    ("squ_", Hex, 32),
    ("sqp_", Hex, 32),
    ("sqa_", Hex, 32),
    ("sgp_", Word, 32),
    // Models.
    ("sk-", Word, 24),
    ("sk-proj-", Word, 20),
    ("sk-svcacct-", Word, 20),
    ("sk-admin-", Word, 20),
    ("sk-ant-", Word, 20),
    ("sk-or-v1-", Hex, 40),
    ("xai-", Alnum, 60),
    ("gsk_", Alnum, 40),
    ("pplx-", Alnum, 40),
    ("hf_", Alnum, 30),
    ("api_org_", Alnum, 30),
    ("r8_", Alnum, 30),
    ("nvapi-", Word, 50),
    ("lsv2_pt_", Word, 32),
    ("lsv2_sk_", Word, 32),
    ("pcsk_", Word, 40),
    ("tvly-", Word, 20),
    ("fc-", Hex, 32),
    // Money and shops.
    ("sk_live_", Alnum, 10),
    ("sk_test_", Alnum, 10),
    ("rk_live_", Alnum, 10),
    ("rk_test_", Alnum, 10),
    ("whsec_", Base64, 24),
    ("EAAA", Word, 60),
    ("sq0atp-", Word, 22),
    ("sq0csp-", Word, 40),
    ("shpat_", Hex, 32),
    ("shpca_", Hex, 32),
    ("shppa_", Hex, 32),
    ("shpss_", Hex, 32),
    ("access-sandbox-", Word, 32),
    ("access-development-", Word, 32),
    ("access-production-", Word, 32),
    ("rzp_live_", Alnum, 14),
    ("rzp_test_", Alnum, 14),
    ("AQE", Base64, 80),
    // Messaging.
    ("xoxb-", Word, 16),
    ("xoxp-", Word, 16),
    ("xoxa-", Word, 16),
    ("xoxr-", Word, 16),
    ("xoxs-", Word, 16),
    ("xoxe.", Dotted, 16),
    ("xoxe-", Word, 16),
    ("xapp-", Word, 16),
    ("SG.", Dotted, 50),
    ("key-", Hex, 32),
    ("AC", Hex, 32),
    ("SK", Hex, 32),
    ("xkeysib-", Word, 64),
    ("re_", Word, 20),
    // Work tools.
    ("ntn_", Alnum, 40),
    ("secret_", Alnum, 40),
    ("lin_api_", Alnum, 32),
    ("figd_", Word, 36),
    ("pat", Dotted, 70),
    ("pat-na1-", Word, 32),
    ("pat-eu1-", Word, 32),
    ("tfp_", Dotted, 40),
    ("sl.", Dotted, 100),
    // Operations.
    ("sntrys_", Base64, 60),
    ("sntryu_", Hex, 60),
    ("glc_", Base64, 32),
    ("glsa_", Word, 32),
    ("NRAK-", Alnum, 24),
    ("phx_", Word, 40),
    ("api-", Word, 36),
    ("sdk-", Word, 36),
    ("mob-", Word, 36),
    ("dp.pt.", Alnum, 40),
    ("dp.st.", Dotted, 40),
    ("dp.ct.", Alnum, 40),
    ("dp.sa.", Alnum, 40),
    ("hvs.", Word, 40),
    ("hvb.", Word, 40),
    ("hvr.", Word, 40),
    ("pul-", Hex, 40),
    ("ops_eyJ", Base64, 60),
    ("tskey-", Word, 16),
    ("AGE-SECRET-KEY-1", Alnum, 50),
    ("sha256~", Word, 40),
    // Any JSON Web Token, signed or encrypted.
    ("eyJ", Dotted, 30),
];

/// Prefixes that begin words and names as well: the body must hold a digit, or be in parts as the maker has it.
const WORDY: [&str; 18] = [
    "sk-", "cio", "re_", "pat", "api-", "sdk-", "mob-", "hf_", "secret_", "key-", "v1.0-", "EAAA", "AQE", "glc_", "AKID", "LTAI",
    "fc-", "api_org_",
];

/// Marks within a token: what stands before and after it. Lengths are bytes.
const INSIDE: &[(&str, Body, usize, Body, usize)] = &[
    // Terraform, Azure AD, Mailchimp, Braintree.
    (".atlasv1.", Alnum, 14, Word, 40),
    ("Q~", Alnum, 4, Dotted, 31),
    ("-us", Hex, 32, Alnum, 1),
    ("access_token$production$", Alnum, 0, Dollared, 40),
    ("access_token$sandbox$", Alnum, 0, Dollared, 40),
];

/// Private keys, from their first line to their last.
const KEYS: &[(&str, &str)] = &[("-----BEGIN ", "-----END "), ("PuTTY-User-Key-File-", "Private-MAC:")];

/// The search for all marks at once.
#[derive(Clone, Debug)]
pub(super) struct Shapes {
    marked: Arc<AhoCorasick>,
}

impl Shapes {
    pub(super) fn new() -> Result<Self, ScrubberFault> {
        let marks = MARKED
            .iter()
            .map(|(mark, ..)| *mark)
            .chain(INSIDE.iter().map(|(mark, ..)| *mark))
            .chain(KEYS.iter().map(|(mark, _)| *mark));
        Ok(Self { marked: Arc::new(AhoCorasick::new(marks).map_err(|_| ScrubberFault)?) })
    }

    pub(super) fn find(&self, text: &str) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let (mut done, mut runs) = (0, Runs::default());
        for mark in self.marked.find_overlapping_iter(text) {
            if mark.start() < done {
                continue;
            }
            let index = mark.pattern().as_usize();
            let span = if let Some((prefix, body, least)) = MARKED.get(index) {
                marked(text, mark.start(), (prefix, *body, *least), &mut runs)
            } else if let Some(inside) = INSIDE.get(index - MARKED.len()) {
                inside_of(text, mark.start(), inside)
            } else {
                KEYS.get(index - MARKED.len() - INSIDE.len()).and_then(|(_, end)| private_key(text, mark.start(), end))
            };
            if let Some(span) = span {
                done = span.end;
                found.push(span);
            }
        }
        found.extend(secret_beside_its_id(text, &found));
        found.extend(text.match_indices(':').filter_map(|(at, _)| telegram(text, at)));
        found.extend(discord(text));
        found
    }
}

/// The run of `body` from `at`, bytes.
fn run_after(text: &str, at: usize, body: Body) -> usize {
    text.as_bytes().get(at..).map_or(0, |rest| rest.iter().take(TOKEN_BYTES_MAX).take_while(|byte| body.holds(**byte)).count())
}

/// The run of `body` before `at`, bytes.
fn run_before(text: &str, at: usize, body: Body) -> usize {
    text.as_bytes()
        .get(..at)
        .map_or(0, |before| before.iter().rev().take(RUN_BEFORE_MAX).take_while(|byte| body.holds(**byte)).count())
}

/// Where the last run of each class ended: a page full of prefixes is read once, and not once for each of them.
#[derive(Default)]
struct Runs {
    last: [(usize, usize); 6],
}

impl Runs {
    fn end(&mut self, text: &str, at: usize, body: Body) -> usize {
        let Some(last) = self.last.get_mut(body as usize) else { return at };
        if !(last.0..last.1).contains(&at) {
            let rest = text.as_bytes().get(at..).unwrap_or_default();
            *last = (at, at + rest.iter().take_while(|byte| body.holds(**byte)).count());
        }
        last.1
    }
}

/// Longer than any token that is searched by a mark within it.
const TOKEN_BYTES_MAX: usize = 512;
const RUN_BEFORE_MAX: usize = 64;

fn marked(text: &str, at: usize, (prefix, body, least): (&str, Body, usize), runs: &mut Runs) -> Option<Found> {
    if at.checked_sub(1).and_then(|before| text.as_bytes().get(before)).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let from = at + prefix.len();
    let whole = text.get(from..runs.end(text, from, body))?.trim_end_matches(['.', '%']);
    // The head says what the whole is.
    let token = whole.get(..TOKEN_BYTES_MAX.min(whole.len()))?;
    let wordy = WORDY.contains(&prefix) && !(token.bytes().any(|byte| byte.is_ascii_digit()) && has_unbroken_part(token));
    let exact = !matches!(prefix, "AC" | "SK") || (token.len() == 32 && ends_there(text, from + 32));
    let in_parts = prefix != "eyJ" || token.matches('.').count() >= 2 || token.contains(".eyJ");
    let fits = token.len() >= least && !wordy && exact && in_parts && !is_example(token);
    fits.then(|| Found::new(at, from + whole.len(), Taken::Token))
}

fn ends_there(text: &str, at: usize) -> bool {
    !text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric)
}

/// A slug's parts are words; a token has a part of twelve and more, or is a UUID.
fn has_unbroken_part(token: &str) -> bool {
    let hex = token.bytes().filter(|byte| *byte != b'-').all(|byte| byte.is_ascii_hexdigit());
    hex || token.split(['-', '_']).any(|part| part.len() >= 12)
}

/// Documentation ends its keys so, or fills them up.
fn is_example(token: &str) -> bool {
    let first = token.bytes().next();
    let is_blank =
        token.bytes().all(|byte| Some(byte) == first && matches!(byte, b'x' | b'X' | b'*' | b'.' | b'0' | b'-' | b'_'));
    is_blank
        || token.contains("EXAMPLE")
        || is_filler(token) && token.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
}

fn inside_of(text: &str, at: usize, (mark, left, before, right, after): &(&str, Body, usize, Body, usize)) -> Option<Found> {
    let (head, tail) = (run_before(text, at, *left), run_after(text, at + mark.len(), *right));
    let short = head < *before || tail < *after || (*mark == "-us" && (head != 32 || tail > 2));
    (!short).then(|| Found::new(at - head, at + mark.len() + tail, Taken::Token))
}

/// From the first line to the end of the last; without a last line, as far as the lines look like a key's.
fn private_key(text: &str, at: usize, ends: &str) -> Option<Found> {
    let rest = text.get(at..)?;
    let near = |bytes: usize| rest.get(..(0..=bytes.min(rest.len())).rev().find(|end| rest.is_char_boundary(*end))?);
    let head = near(64)?;
    if !head.contains("PRIVATE KEY") && !head.starts_with("PuTTY") {
        return None;
    }
    let close = near(KEY_BYTES_MAX)?.find(ends).map(|end| end + ends.len());
    let end = close.map_or_else(
        || key_lines(rest),
        |close| {
            let tail = rest.get(close..).unwrap_or_default();
            let dashes = near(close + 64).and_then(|near| near.get(close..)).and_then(|tail| tail.find("-----"));
            let code = tail.len() - tail.trim_start().trim_start_matches(|c: char| c.is_ascii_hexdigit()).len();
            close + if ends.starts_with('-') { dashes.map_or(0, |dashes| dashes + 5) } else { code }
        },
    );
    Some(Found::new(at, at + end, Taken::Key))
}

/// Longer than any private key with its headers.
const KEY_BYTES_MAX: usize = 32 * 1024;
/// Words of a key's headers between two of its lines.
const HEADER_WORDS_MAX: usize = 8;
/// The shortest line of a key but its last.
const KEY_LINE_BYTES_MIN: usize = 32;

fn key_lines(rest: &str) -> usize {
    let (mut end, mut others, mut at) = ("-----BEGIN ".len(), 0, 0);
    for word in rest.split_inclusive(char::is_whitespace) {
        at += word.len();
        let bare = word.trim_end();
        let is_line = bare.len() >= KEY_LINE_BYTES_MIN && bare.bytes().all(|byte| Base64.holds(byte) || byte == b'\\');
        others = if is_line { 0 } else { others + 1 };
        if is_line || bare.ends_with("KEY-----") {
            end = at - (word.len() - bare.len());
        }
        if others > HEADER_WORDS_MAX {
            break;
        }
    }
    end
}

/// An AWS secret is forty characters of base64 without a mark; it stands beside its id.
fn secret_beside_its_id(text: &str, found: &[Found]) -> Vec<Found> {
    let ids = found
        .iter()
        .filter(|span| text.get(span.start..).is_some_and(|rest| ["AKIA", "ASIA"].iter().any(|id| rest.starts_with(id))));
    let beside = ids.filter_map(|id| {
        let mut at = id.end;
        while at < id.end + 200 {
            let length = run_after(text, at, Base64);
            let bare = text.get(at..at + length).map_or(0, |run| run.trim_end_matches(['.', '=', '%']).len());
            if bare == 40 {
                return Some(Found::new(at, at + bare, Taken::Token));
            }
            at += length.max(1);
        }
        None
    });
    beside.collect()
}

/// Eight to ten digits, a colon, thirty-five characters.
fn telegram(text: &str, colon: usize) -> Option<Found> {
    let id = text.as_bytes().get(..colon)?.iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let token = if (8..=10).contains(&id) { run_after(text, colon + 1, Word) } else { 0 };
    (35..=40).contains(&token).then(|| Found::new(colon - id, colon + 1 + token, Taken::Token))
}

/// Three parts: the id in base64, the time, the signature.
fn discord(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (dot, _) in text.match_indices('.') {
        let head = run_before(text, dot, Word);
        let middle = if (23..=28).contains(&head) { run_after(text, dot + 1, Word) } else { 0 };
        let second = dot + 1 + middle;
        if (5..=7).contains(&middle) && text.as_bytes().get(second) == Some(&b'.') {
            let tail = run_after(text, second + 1, Word);
            if (25..=45).contains(&tail) {
                found.push(Found::new(dot - head, second + 1 + tail, Taken::Token));
            }
        }
    }
    found
}
