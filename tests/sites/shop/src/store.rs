//! What the shop remembers between requests: visitors, their baskets, and whether the account still exists.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;

use sha2::{Digest, Sha256};

use crate::product::Product;

/// Visitors past this many push out the oldest, so that requests without cookies cannot fill memory.
const VISITORS_MAX: usize = 2_000;
/// More of one product than this is not kept.
pub(crate) const QUANTITY_MAX: u32 = 99;

/// One line of a basket.
pub(crate) struct Line {
    pub(crate) product: &'static Product,
    pub(crate) quantity: u32,
}

/// One browser session.
pub(crate) struct Visitor {
    pub(crate) id: String,
    pub(crate) csrf: String,
    pub(crate) account: Option<String>,
    pub(crate) basket: Vec<Line>,
    /// Shown once, on the next page.
    pub(crate) flash: Option<String>,
}

impl Visitor {
    /// How many pieces are in the basket.
    pub(crate) fn count(&self) -> u32 {
        self.basket.iter().map(|line| line.quantity).sum()
    }

    /// In pence.
    pub(crate) fn total_pence(&self) -> u64 {
        self.basket.iter().map(|line| u64::from(line.product.price_pence) * u64::from(line.quantity)).sum()
    }

    pub(crate) fn add(&mut self, product: &'static Product, quantity: u32) {
        match self.basket.iter_mut().find(|line| line.product.sku == product.sku) {
            Some(line) => line.quantity = line.quantity.saturating_add(quantity).min(QUANTITY_MAX),
            None => self.basket.push(Line { product, quantity: quantity.min(QUANTITY_MAX) }),
        }
    }

    /// Takes a whole line out; whether there was one.
    pub(crate) fn remove(&mut self, product: &Product) -> Option<Line> {
        let place = self.basket.iter().position(|line| line.product.sku == product.sku)?;
        Some(self.basket.remove(place))
    }
}

/// Whether the one account can be signed in to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Account {
    Open,
    Deleted,
}

pub(crate) struct Store {
    visitors: HashMap<String, Visitor>,
    oldest_first: VecDeque<String>,
    made: u64,
    random: RandomState,
    pub(crate) account: Account,
}

impl Store {
    pub(crate) fn new() -> Store {
        Store {
            visitors: HashMap::new(),
            oldest_first: VecDeque::new(),
            made: 0,
            random: RandomState::new(),
            account: Account::Open,
        }
    }

    /// The visitor the cookie names, taken out to be worked on, or a new one. Give it back with [`Store::keep`].
    pub(crate) fn take(&mut self, cookie: Option<&str>) -> Visitor {
        cookie.and_then(|id| self.visitors.remove(id)).unwrap_or_else(|| Visitor {
            id: self.token(),
            csrf: self.token(),
            account: None,
            basket: Vec::new(),
            flash: None,
        })
    }

    /// Keeps a visitor for the next request.
    pub(crate) fn keep(&mut self, visitor: Visitor) {
        if !self.oldest_first.contains(&visitor.id) {
            self.oldest_first.push_back(visitor.id.clone());
        }
        self.visitors.insert(visitor.id.clone(), visitor);
        while self.oldest_first.len() > VISITORS_MAX {
            if let Some(oldest) = self.oldest_first.pop_front() {
                self.visitors.remove(&oldest);
            }
        }
    }

    /// A fresh id and token, as a sign-in or sign-out must have.
    pub(crate) fn renew(&mut self, visitor: &mut Visitor) {
        self.oldest_first.retain(|id| *id != visitor.id);
        visitor.id = self.token();
        visitor.csrf = self.token();
    }

    fn token(&mut self) -> String {
        self.made += 1;
        let seed = [self.random.hash_one(self.made), self.random.hash_one((self.made, "more"))];
        let digest = Sha256::digest(format!("{seed:?}"));
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}
