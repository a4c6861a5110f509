//! Account and national numbers that prove themselves: IBAN (ISO 13616), the US social security number by its area rules, and
//! Brazil's CPF by its check digits.

use super::{Found, Taken};

/// Length of an IBAN by country, as the SWIFT registry lists them.
const IBAN_LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 \
EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 \
LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 \
SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

pub(super) fn accounts(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut previous = b' ';
    for (at, byte) in bytes.iter().copied().enumerate() {
        let starts = !previous.is_ascii_alphanumeric();
        if starts && byte.is_ascii_alphabetic() {
            found.extend(iban_end(bytes, at).map(|end| Found::new(at, end, Taken::Iban)));
        } else if starts && byte.is_ascii_digit() && !matches!(previous, b'-' | b'.') {
            found.extend(national_end(bytes, at).map(|end| Found::new(at, end, Taken::Id)));
        }
        previous = byte;
    }
    found
}

fn iban_end(bytes: &[u8], start: usize) -> Option<usize> {
    let head = bytes.get(start..start + 4)?;
    if !head[..2].iter().all(u8::is_ascii_alphabetic) || !head[2..].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let country =
        IBAN_LENGTHS.split(' ').find(|entry| entry.as_bytes().get(..2).is_some_and(|code| code.eq_ignore_ascii_case(&head[..2])));
    let length: usize = country?.get(2..)?.parse().ok()?;
    let (mut signs, mut at) = (Vec::with_capacity(length), start);
    while signs.len() < length {
        match bytes.get(at)? {
            sign if sign.is_ascii_alphanumeric() => signs.push(sign.to_ascii_uppercase()),
            b' ' | b'-' if bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric) => {}
            _ => return None,
        }
        at += 1;
    }
    let ends = !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (ends && remainder(&signs) == 1).then_some(at)
}

/// ISO 7064 MOD 97-10: the first four signs go last, letters count from ten.
fn remainder(signs: &[u8]) -> u32 {
    signs.iter().cycle().skip(4).take(signs.len()).fold(0, |rest, sign| match sign {
        b'0'..=b'9' => (rest * 10 + u32::from(sign - b'0')) % 97,
        letter => (rest * 100 + u32::from(letter.saturating_sub(b'A')) + 10) % 97,
    })
}

fn national_end(bytes: &[u8], start: usize) -> Option<usize> {
    let written = |form: &str| {
        let part = bytes.get(start..start + form.len())?;
        let fits =
            part.iter().zip(form.bytes()).all(|(byte, sign)| if sign == b'd' { byte.is_ascii_digit() } else { *byte == sign });
        let after = bytes.get(start + form.len());
        let ends = !after.is_some_and(|after| after.is_ascii_alphanumeric() || *after == b'-');
        (fits && ends)
            .then(|| part.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0')).collect::<Vec<_>>())
    };
    if let Some(digits) = written("ddd-dd-dddd") {
        return is_social_security(&digits).then_some(start + 11);
    }
    let digits = written("ddd.ddd.ddd-dd")?;
    is_cpf(&digits).then_some(start + 14)
}

/// No area 000, 666 or 900 and above, no group 00, no serial 0000.
fn is_social_security(digits: &[u32]) -> bool {
    let number = |part: &[u32]| part.iter().fold(0, |number, digit| number * 10 + digit);
    match (digits.get(..3), digits.get(3..5), digits.get(5..)) {
        (Some(area), Some(group), Some(serial)) => {
            !matches!(number(area), 0 | 666 | 900..) && number(group) != 0 && number(serial) != 0
        }
        _ => false,
    }
}

fn is_cpf(digits: &[u32]) -> bool {
    let check = |count: usize| {
        let sum: u32 = digits.iter().take(count).zip((2..=count as u32 + 1).rev()).map(|(digit, weight)| digit * weight).sum();
        (sum * 10 % 11) % 10
    };
    digits.len() == 11 && digits.get(9) == Some(&check(9)) && digits.get(10) == Some(&check(10))
}
