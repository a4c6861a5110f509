//! Common words of web controls, grouped by what they mean. The table is `lexicon.txt`: `concept = phrase | phrase`.

use std::collections::{HashMap, HashSet};

use crate::words::{Concept, Text};

const TABLE: &str = include_str!("lexicon.txt");

type Phrases = HashMap<Vec<String>, Vec<&'static str>>;

/// The concept table, read once.
#[derive(Debug)]
pub(crate) struct Lexicon {
    phrases: Phrases,
    /// The same without little words, where two words or more remain: `terms and conditions` is `terms conditions`.
    bare: Phrases,
    /// Lengths of the phrases that begin with a word, so that most words of a text cost one look.
    lengths: HashMap<String, Vec<usize>>,
}

impl Lexicon {
    /// Reads the built-in table.
    pub(crate) fn new() -> Self {
        let (mut phrases, mut bare) = (Phrases::new(), Phrases::new());
        let mut lengths: HashMap<String, Vec<usize>> = HashMap::new();
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let Some((concept, list)) = line.split_once('=') else { continue };
            for phrase in list.split('|').map(Text::new) {
                let Some(first) = phrase.words.first() else { continue };
                let known = lengths.entry(first.clone()).or_default();
                if !known.contains(&phrase.words.len()) {
                    known.push(phrase.words.len());
                }
                if phrase.content.len() > 1 {
                    bare.entry(phrase.content.clone()).or_default().push(concept.trim());
                }
                phrases.entry(phrase.words.clone()).or_default().push(concept.trim());
            }
        }
        Self { phrases, bare, lengths }
    }

    /// How much of `text` is a phrase of `concept`: 0 when none occurs, 1 when the text is nothing else.
    pub(crate) fn coverage(&self, text: &Text, concept: &str) -> f64 {
        let concepts = text.concepts(|words| self.find(words));
        concepts.iter().filter(|(found, _)| *found == concept).map(|(_, coverage)| *coverage).fold(0.0, f64::max)
    }

    /// Whether `text` has a phrase of `concept` anywhere.
    pub(crate) fn has(&self, text: &Text, concept: &str) -> bool {
        self.coverage(text, concept) > 0.0
    }

    /// Concepts that make up the whole of `text`.
    pub(crate) fn whole(&self, text: &Text) -> HashSet<&'static str> {
        let by = |map: &Phrases, words: &[String]| map.get(words).cloned().unwrap_or_default();
        let mut concepts: HashSet<&'static str> = HashSet::from_iter(by(&self.phrases, &text.words));
        concepts.extend(by(&self.phrases, &text.content));
        concepts.extend(by(&self.bare, &text.content));
        concepts
    }

    /// The best coverage of `text` by any of `concepts`.
    pub(crate) fn coverage_by_any(&self, text: &Text, concepts: &HashSet<&'static str>) -> f64 {
        if concepts.is_empty() {
            return 0.0;
        }
        let found = text.concepts(|words| self.find(words));
        found.iter().filter(|(concept, _)| concepts.contains(concept)).map(|(_, coverage)| *coverage).fold(0.0, f64::max)
    }

    fn find(&self, words: &[String]) -> Vec<Concept> {
        let mut found: Vec<Concept> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            for length in self.lengths.get(word).into_iter().flatten() {
                let concepts = words.get(at..at + length).and_then(|window| self.phrases.get(window));
                let coverage = *length as f64 / words.len() as f64;
                found.extend(concepts.into_iter().flatten().map(|concept| (*concept, coverage)));
            }
        }
        found
    }
}

#[cfg(test)]
#[path = "lexicon_tests.rs"]
mod tests;
