//! How a shop looks: its words, paths and markup. The first shop has one look; the second draws every part of it from the seed.

use crate::config::Front;
use crate::product::PRODUCTS;

/// How lists of products and basket lines are marked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// `ul` of wide rows.
    List,
    /// `table` with a heading row.
    Table,
    /// `section` of `article` cards.
    Cards,
}

/// What a submit control is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// `<button>`.
    Button,
    /// `<input type=submit>`.
    Input,
}

/// How a product gets into the basket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adding {
    /// A form of its own in each row; the answer redirects to the basket.
    Form,
    /// A script sends JSON and changes the badge in place.
    Fetch,
}

/// How fields are named to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// `<label for>` above the field.
    LabelAbove,
    /// `<label>` around the field.
    LabelAround,
    /// `aria-label`, and a placeholder to see.
    Placeholder,
}

/// Where the search form stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPlace {
    /// In the header of every page.
    Header,
    /// Above the content of every page.
    Content,
}

/// What the controls are called.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each field is the label of the thing it is named for")]
pub struct Words {
    pub shop: &'static str,
    pub sign_in: &'static str,
    pub sign_out: &'static str,
    pub basket: &'static str,
    pub add: &'static str,
    pub search: &'static str,
    pub search_label: &'static str,
    pub email: &'static str,
    pub password: &'static str,
    pub results: &'static str,
    pub remove: &'static str,
    pub checkout: &'static str,
    pub place_order: &'static str,
}

/// Where things are, and what form fields are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field is the path or field name of the thing it is named for")]
pub struct Paths {
    pub sign_in: &'static str,
    pub sign_out: &'static str,
    pub search: &'static str,
    /// Followed by the product's number.
    pub product: &'static str,
    pub basket: &'static str,
    pub add: &'static str,
    pub remove: &'static str,
    pub checkout: &'static str,
    pub order: &'static str,
    pub account: &'static str,
    pub delete_account: &'static str,
    pub newsletter: &'static str,
    pub style: &'static str,
    pub script: &'static str,
    pub field_query: &'static str,
    pub field_email: &'static str,
    pub field_password: &'static str,
    pub field_product: &'static str,
    pub field_quantity: &'static str,
    pub field_csrf: &'static str,
}

/// All of a shop's outside.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each field is named for its type")]
pub struct Look {
    pub words: Words,
    pub paths: Paths,
    pub listing: Listing,
    pub button: Button,
    pub adding: Adding,
    pub fields: Fields,
    pub search_place: SearchPlace,
    pub(crate) theme: &'static str,
    pub(crate) basket_before_account: Order,
    pub(crate) newsletter: Newsletter,
    pub(crate) password_first_help: HelpPlace,
    pub(crate) product_order: Vec<usize>,
    pub(crate) sponsored: usize,
}

/// Order of the two links of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    AccountFirst,
    BasketFirst,
}

/// A second email field on every page, which is not the one to sign in with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Newsletter {
    Absent,
    InFooter,
}

/// Where the links beside the sign-in form stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HelpPlace {
    BeforeButton,
    AfterButton,
}

impl Look {
    /// The look of a shop.
    pub fn of(front: Front, seed: u64) -> Look {
        match front {
            Front::First => first(),
            Front::Second => second(seed),
        }
    }

    /// What the page says once a product is in the basket; no page says it before.
    pub fn added_text(&self, product: &str) -> String {
        format!("Added {product} to your {}", self.words.basket.to_lowercase())
    }
}

/// What the page says to a wrong password, in every shop.
pub(crate) const WRONG_PASSWORD: &str = "Wrong email or password";

fn first() -> Look {
    Look {
        words: Words {
            shop: "Kiln & Larder",
            sign_in: "Sign in",
            sign_out: "Sign out",
            basket: "Basket",
            add: "Add to basket",
            search: "Search",
            search_label: "Search products",
            email: "Email",
            password: "Password",
            results: "Results for",
            remove: "Remove",
            checkout: "Checkout",
            place_order: "Place order",
        },
        paths: FIRST_PATHS,
        listing: Listing::List,
        button: Button::Button,
        adding: Adding::Form,
        fields: Fields::LabelAbove,
        search_place: SearchPlace::Header,
        theme: "moss",
        basket_before_account: Order::AccountFirst,
        newsletter: Newsletter::Absent,
        password_first_help: HelpPlace::AfterButton,
        product_order: (0..PRODUCTS.len()).collect(),
        sponsored: 6,
    }
}

fn second(seed: u64) -> Look {
    let mut draw = Draw::new(seed);
    let (basket, add) = draw.one(&[
        ("Cart", "Add to cart"),
        ("Bag", "Add to bag"),
        ("Basket", "Put in basket"),
        ("Trolley", "Add to trolley"),
        ("Shopping cart", "Add to shopping cart"),
    ]);
    let (sign_in, sign_out) =
        draw.one(&[("Log in", "Log out"), ("Login", "Logout"), ("Log on", "Log off"), ("Sign in", "Sign out")]);
    let (search, search_label) = draw.one(&[
        ("Search", "Search the shop"),
        ("Find", "Find a product"),
        ("Go", "Search"),
        ("Search", "What are you looking for?"),
    ]);
    Look {
        words: Words {
            shop: draw.one(&["Northlight Goods", "Tinker & Tallow", "Harbour Supply", "The Long Table"]),
            sign_in,
            sign_out,
            basket,
            add,
            search,
            search_label,
            email: draw.one(&["Email address", "E-mail", "Your email", "Email"]),
            password: draw.one(&["Password", "Your password", "Account password"]),
            results: draw.one(&["Found for", "Matches for", "Products for"]),
            remove: draw.one(&["Remove", "Delete", "Take out"]),
            checkout: draw.one(&["Go to checkout", "Continue to payment", "Check out"]),
            place_order: draw.one(&["Pay now", "Buy now", "Complete purchase"]),
        },
        paths: draw.one(&SECOND_PATHS),
        listing: draw.one(&[Listing::Table, Listing::Cards, Listing::List]),
        button: draw.one(&[Button::Button, Button::Input]),
        adding: draw.one(&[Adding::Form, Adding::Fetch]),
        fields: draw.one(&[Fields::LabelAround, Fields::Placeholder, Fields::LabelAbove]),
        search_place: draw.one(&[SearchPlace::Content, SearchPlace::Header]),
        theme: draw.one(&["harbour", "clay", "plum"]),
        basket_before_account: draw.one(&[Order::BasketFirst, Order::AccountFirst]),
        newsletter: draw.one(&[Newsletter::InFooter, Newsletter::Absent]),
        password_first_help: draw.one(&[HelpPlace::BeforeButton, HelpPlace::AfterButton]),
        product_order: draw.order(PRODUCTS.len()),
        sponsored: draw.below(PRODUCTS.len()),
    }
}

/// SplitMix64: small, and the same on every machine and in every version, which a seed in a bug report needs.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Draw {
        Draw(seed.wrapping_mul(0x2545_F491_4F6C_DD1D))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    fn one<T: Copy, const N: usize>(&mut self, from: &[T; N]) -> T {
        const { assert!(N > 0) };
        from[self.below(N)]
    }

    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

const FIRST_PATHS: Paths = Paths {
    sign_in: "/sign-in",
    sign_out: "/sign-out",
    search: "/search",
    product: "/product/",
    basket: "/basket",
    add: "/basket/add",
    remove: "/basket/remove",
    checkout: "/checkout",
    order: "/order",
    account: "/account",
    delete_account: "/account/delete",
    newsletter: "/newsletter",
    style: "/shop.css",
    script: "/shop.js",
    field_query: "q",
    field_email: "email",
    field_password: "password",
    field_product: "product",
    field_quantity: "quantity",
    field_csrf: "csrf",
};

const SECOND_PATHS: [Paths; 4] = [
    Paths {
        sign_in: "/login",
        sign_out: "/logout",
        search: "/find",
        product: "/p/",
        basket: "/cart",
        add: "/cart/items",
        remove: "/cart/items/drop",
        checkout: "/pay",
        order: "/orders",
        account: "/me",
        delete_account: "/me/close",
        newsletter: "/letters",
        style: "/static/main.css",
        script: "/static/main.js",
        field_query: "query",
        field_email: "username",
        field_password: "passwd",
        field_product: "sku",
        field_quantity: "qty",
        field_csrf: "authenticity_token",
    },
    Paths {
        sign_in: "/account/session/new",
        sign_out: "/account/session/end",
        search: "/catalogue",
        product: "/catalogue/item/",
        basket: "/bag",
        add: "/bag/put",
        remove: "/bag/take",
        checkout: "/bag/checkout",
        order: "/bag/order",
        account: "/account/home",
        delete_account: "/account/remove",
        newsletter: "/account/news",
        style: "/a/look.css",
        script: "/a/page.js",
        field_query: "term",
        field_email: "login",
        field_password: "secret",
        field_product: "item",
        field_quantity: "count",
        field_csrf: "token",
    },
    Paths {
        sign_in: "/index/auth",
        sign_out: "/index/leave",
        search: "/index/s",
        product: "/index/view/",
        basket: "/index/b",
        add: "/index/b/1",
        remove: "/index/b/2",
        checkout: "/index/c",
        order: "/index/c/1",
        account: "/index/u",
        delete_account: "/index/u/9",
        newsletter: "/index/n",
        style: "/index/x.css",
        script: "/index/x.js",
        field_query: "s",
        field_email: "f1",
        field_password: "f2",
        field_product: "f3",
        field_quantity: "f4",
        field_csrf: "f0",
    },
    Paths {
        sign_in: "/en/customer/login",
        sign_out: "/en/customer/logout",
        search: "/en/catalogsearch/result",
        product: "/en/catalog/product/",
        basket: "/en/checkout/cart",
        add: "/en/checkout/cart/add",
        remove: "/en/checkout/cart/delete",
        checkout: "/en/checkout/onepage",
        order: "/en/checkout/onepage/save",
        account: "/en/customer/account",
        delete_account: "/en/customer/account/delete",
        newsletter: "/en/newsletter/subscriber",
        style: "/en/static/styles.css",
        script: "/en/static/scripts.js",
        field_query: "q",
        field_email: "customer_email",
        field_password: "customer_pass",
        field_product: "product_id",
        field_quantity: "product_qty",
        field_csrf: "form_key",
    },
];
