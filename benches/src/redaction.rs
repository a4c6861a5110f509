//! How long redaction takes over a page of 200 kB: an ordinary one, and ones made of a single kind.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints, and ends when it can't begin")]

use std::time::Instant;

use clicket_guard::redact::Redactor;

const PAGE_BYTES: usize = 200_000;
const ROUNDS: usize = 51;

/// What an ordinary page is made of.
const ORDINARY: &str = "The harbour opens at 8:30 on 12 May 2024; see https://shop.example/2024/05/how-to-get-there?ref=mail for the map. \
Order 100-2345678 of 3 items is on its way, from 19,99 \u{20ac}. Write to ada@shop.example or call +49 30 1234567 before noon. \
Your basket is empty. Sign in, or search?q=mug. Caf\u{e9} au lait, \u{5c71}\u{7530}\u{3055}\u{3093}. Version v1.2.3-beta.4, commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b.\n";

fn main() {
    let redactor = Redactor::new(&["Ada Lovelace", "ada.lovelace@shop.example", "12 Harbour Street", "1815-12-10"]).unwrap();
    println!("{:<12}{:>10}{:>10}{:>10}", "200 kB of", "p50 ms", "p90 ms", "max ms");
    let words = "words and more words about nothing at all ";
    for (name, unit) in [
        ("a page", ORDINARY),
        ("words", words),
        ("addresses", "https://ada:pw@shop.example/a/b?c=d "),
        ("mail", "ada@shop.example "),
        ("digits", "4111 1111 020 12.5 "),
        ("tokens", "q7zk29xlm4tr8vb1w5ny03hd "),
    ] {
        let page: String = unit.chars().cycle().take(PAGE_BYTES).collect();
        let mut times: Vec<f64> = (0..ROUNDS).map(|_| timed(&redactor, &page)).collect();
        times.sort_by(f64::total_cmp);
        let at = |share: usize| times.get((times.len() - 1) * share / 100).copied().unwrap_or_default();
        println!("{name:<12}{:>10.2}{:>10.2}{:>10.2}", at(50), at(90), at(100));
    }
    let before = Instant::now();
    drop(Redactor::new(&["Ada Lovelace"]));
    println!("{:<12}{:>10.2}", "a redactor", before.elapsed().as_secs_f64() * 1_000.0);
}

fn timed(redactor: &Redactor, page: &str) -> f64 {
    let before = Instant::now();
    std::hint::black_box(redactor.text(page, 3_000));
    before.elapsed().as_secs_f64() * 1_000.0
}
