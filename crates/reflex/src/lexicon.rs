//! Common words of web controls, grouped by what they mean. The table is `lexicon.txt`: `concept = phrase | phrase`.

use std::collections::{HashMap, HashSet};

use crate::words::Text;

const TABLE: &str = include_str!("lexicon.txt");

/// Longest phrase in words; longer ones in the table are a mistake that a test finds.
const PHRASE_WORDS_MAX: usize = 6;

/// The concept table, read once.
#[derive(Debug)]
pub(crate) struct Lexicon {
    phrases: HashMap<Vec<String>, Vec<&'static str>>,
    /// The same without little words, where two words or more remain: `terms and conditions` is `terms conditions`.
    bare: HashMap<Vec<String>, Vec<&'static str>>,
}

impl Lexicon {
    /// Reads the built-in table.
    pub(crate) fn new() -> Self {
        let mut phrases: HashMap<Vec<String>, Vec<&'static str>> = HashMap::new();
        let mut bare: HashMap<Vec<String>, Vec<&'static str>> = HashMap::new();
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let Some((concept, list)) = line.split_once('=') else { continue };
            for phrase in list.split('|') {
                let Text { words, content, .. } = Text::new(phrase);
                if !words.is_empty() {
                    phrases.entry(words).or_default().push(concept.trim());
                }
                if content.len() > 1 {
                    bare.entry(content).or_default().push(concept.trim());
                }
            }
        }
        Self { phrases, bare }
    }

    /// How much of `text` is a phrase of `concept`: 0 when none occurs, 1 when the text is nothing else.
    pub(crate) fn coverage(&self, text: &Text, concept: &str) -> f64 {
        self.found(text)
            .filter(|(_, concepts)| concepts.contains(&concept))
            .map(|(words, _)| words as f64 / text.words.len() as f64)
            .fold(0.0, f64::max)
    }

    /// Whether `text` has a phrase of `concept` anywhere.
    pub(crate) fn has(&self, text: &Text, concept: &str) -> bool {
        self.coverage(text, concept) > 0.0
    }

    /// Concepts that make up the whole of `text`.
    pub(crate) fn whole(&self, text: &Text) -> HashSet<&'static str> {
        let by = |map: &HashMap<Vec<String>, Vec<&'static str>>, words: &[String]| map.get(words).cloned().unwrap_or_default();
        let mut concepts: HashSet<&'static str> = HashSet::from_iter(by(&self.phrases, &text.words));
        concepts.extend(by(&self.phrases, &text.content));
        concepts.extend(by(&self.bare, &text.content));
        concepts
    }

    /// The best coverage of `text` by any of `concepts`.
    pub(crate) fn coverage_by_any(&self, text: &Text, concepts: &HashSet<&'static str>) -> f64 {
        concepts.iter().map(|concept| self.coverage(text, concept)).fold(0.0, f64::max)
    }

    fn found<'a>(&'a self, text: &'a Text) -> impl Iterator<Item = (usize, &'a Vec<&'static str>)> + 'a {
        (1..=PHRASE_WORDS_MAX.min(text.words.len()))
            .flat_map(|length| text.words.windows(length))
            .filter_map(|window| self.phrases.get(window).map(|concepts| (window.len(), concepts)))
    }
}

#[cfg(test)]
#[path = "lexicon_tests.rs"]
mod tests;
