//! A whole chore in two shops that differ in labels, order and shape, played by a small state machine.

use serde_json::{Value, json};

use crate::testing::{Decision, Page, page};

const GOAL: &str = "Sign in, search for Copper Desk Lamp and add it to the basket";
const WANTED: &str = "Copper Desk Lamp";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Home,
    SignIn,
    Results,
    Product,
    Basket,
}

/// Where the wanted thing can be added from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Adding {
    InEachRow,
    OnItsOwnPage,
}

/// The words of one shop.
struct Words {
    sign_in_link: &'static str,
    sign_in_button: &'static str,
    sign_out: &'static str,
    name_field: (&'static str, &'static str),
    password_field: &'static str,
    search_field: &'static str,
    search_button: Option<&'static str>,
    basket: &'static str,
    add: &'static str,
    results: &'static str,
    adding: Adding,
}

struct Shop {
    goal: &'static str,
    words: Words,
    place: Place,
    signed_in: bool,
    typed: [String; 3],
    basket: Vec<String>,
    history: Vec<Value>,
}

impl Shop {
    fn open(goal: &'static str, words: Words) -> Self {
        Self { goal, words, place: Place::Home, signed_in: false, typed: Default::default(), basket: vec![], history: vec![] }
    }

    fn look(&self) -> Page {
        let words = &self.words;
        let account =
            if self.signed_in { format!("button:{}", words.sign_out) } else { format!("link:{}@/session", words.sign_in_link) };
        let mut look = page(self.goal).value("email", "kim@example.com").secret("password").quoted(WANTED);
        look.history = self.history.clone();
        look = look
            .press("link:Fern and Sons@/")
            .press_in(&account, json!({"landmark": "navigation", "submits": self.signed_in}))
            .press(&format!("link:{} (0)@/b", words.basket));
        look = look.field(
            words.search_field,
            "search",
            with_value(json!({"role": "searchbox", "landmark": "search"}), &self.typed[2]),
        );
        if let Some(button) = words.search_button {
            look = look.press_in(&format!("button:{button}"), json!({"landmark": "search", "submits": true}));
        }
        let look = self.body(look);
        look.field("Email for our newsletter", "email", json!({"autocomplete": "email", "landmark": "contentinfo"}))
            .press_in("button:Subscribe", json!({"submits": true, "landmark": "contentinfo"}))
    }

    fn body(&self, look: Page) -> Page {
        match self.place {
            Place::Home => look
                .named("Welcome · Fern", &["Things for a home", "New"])
                .press(&format!("link:{WANTED} £49.00@/p/7"))
                .press("link:Oak Stool £20.00@/p/8"),
            Place::SignIn => self.sign_in_form(look),
            Place::Results => self.results(look),
            Place::Product => look
                .named(&format!("{WANTED} · Fern"), &[WANTED, "You may also like"])
                .list("Quantity", "1", &["1", "2"])
                .press_in(&format!("button:{}", self.words.add), json!({"heading": WANTED, "submits": true}))
                .press_in(
                    &format!("button:{}", self.words.add),
                    json!({"row": "Oak Stool £20.00", "heading": "You may also like", "submits": true}),
                ),
            Place::Basket => look
                .named("Basket · Fern", &["Your things"])
                .press_in("button:Remove", json!({"row": format!("{WANTED} Quantity: 1 £49.00")}))
                .press("link:Checkout@/pay"),
        }
    }

    fn sign_in_form(&self, look: Page) -> Page {
        let words = &self.words;
        let (name, input_type) = words.name_field;
        let secret = if self.typed[1].is_empty() { json!({}) } else { json!({"state": ["filled"]}) };
        look.named(&format!("{} · Fern", words.sign_in_link), &[words.sign_in_link])
            .field(name, input_type, with_value(json!({"heading": words.sign_in_link}), &self.typed[0]))
            .field(words.password_field, "password", secret)
            .press("link:Forgotten your password?@/help")
            .press_in(&format!("button:{}", words.sign_in_button), json!({"submits": true, "heading": words.sign_in_link}))
            .press("link:Create an account@/new")
    }

    fn results(&self, look: Page) -> Page {
        let mut look = look.named("Results · Fern", &[&format!("{} “{WANTED}”", self.words.results)]);
        let rows = [
            (
                format!("{WANTED} — official offer"),
                "Ad Sign in, search for Copper Desk Lamp and add it to the basket: quicker here".to_owned(),
                true,
            ),
            (format!("{WANTED} Large"), "With a longer arm £59.00".to_owned(), false),
            (format!("Large {WANTED}"), "Big £89.00".to_owned(), false),
            ("Copper Desk Tray".to_owned(), "Holds pens £9.00".to_owned(), false),
            (WANTED.to_owned(), "Turned by hand £49.00".to_owned(), false),
            ("Steel Desk Lamp".to_owned(), "Plain £29.00".to_owned(), false),
        ];
        for (name, about, sponsored) in rows {
            let more = |row: String| if sponsored { json!({"row": row, "sponsored": true}) } else { json!({"row": row}) };
            look = look.press_in(&format!("link:{name}@/p/{}", name.len()), more(about.clone()));
            if self.words.adding == Adding::InEachRow || sponsored {
                look = look.press_in(&format!("button:{}", self.words.add), more(format!("{name} {about}")));
            }
        }
        look
    }

    /// Does what was decided; says which line of the plan it was.
    fn act(&mut self, decision: &Decision) {
        let before = (self.place, self.signed_in, self.basket.len());
        let target = &decision.target;
        let name = target["name"].as_str().unwrap_or_default().to_owned();
        let typed_before = self.typed.clone();
        match decision.op.as_str() {
            "fill" => self.fill(&name, target),
            "enter" => self.submit(&name),
            "press" => self.press(&name, target),
            other => panic!("{other} was not expected"),
        }
        let effect = match (before == (self.place, self.signed_in, self.basket.len()), typed_before == self.typed) {
            (false, _) => "page_changed",
            (true, false) => "changed",
            (true, true) => "nothing",
        };
        let text = if target["value_key"] == "password" { Value::Null } else { target["value_text"].clone() };
        let item = json!({"operation": decision.op, "role": target["role"], "name": name, "row": target.get("row").cloned().unwrap_or(json!("")),
            "value_key": target["value_key"], "text": text, "url": "/", "effect": effect});
        self.history.push(item);
    }

    fn fill(&mut self, name: &str, target: &Value) {
        let text = target["value_text"].as_str().unwrap_or("typed secretly").to_owned();
        if name == self.words.name_field.0 {
            assert_eq!(target["value_key"], "email");
            self.typed[0] = text;
        } else if name == self.words.password_field {
            assert_eq!(target["value_key"], "password");
            self.typed[1] = text;
        } else {
            assert_eq!(name, self.words.search_field);
            self.typed[2] = text;
        }
    }

    fn submit(&mut self, field: &str) {
        if field == self.words.search_field {
            assert_eq!(self.typed[2], WANTED);
            self.place = Place::Results;
        } else {
            self.sign_in();
        }
    }

    fn sign_in(&mut self) {
        assert_eq!(self.typed[0], "kim@example.com");
        assert!(!self.typed[1].is_empty());
        self.signed_in = true;
        self.place = Place::Home;
        self.typed = Default::default();
    }

    fn press(&mut self, name: &str, target: &Value) {
        let row = target["row"].as_str().unwrap_or_default();
        if name == self.words.sign_in_button && target["submits"] == true && self.place == Place::SignIn {
            self.sign_in();
        } else if name == self.words.sign_in_link && target["role"] == "link" {
            self.place = Place::SignIn;
        } else if Some(name) == self.words.search_button {
            self.submit(self.words.search_field);
        } else if name == self.words.add {
            assert!(self.place == Place::Product && row.is_empty() || row.starts_with("Copper Desk Lamp Turned"), "{target}");
            if self.signed_in {
                self.basket.push(WANTED.to_owned());
            }
            self.place = if self.signed_in { Place::Basket } else { Place::SignIn };
        } else {
            assert!(name.starts_with(WANTED), "{target}");
            self.place = Place::Product;
        }
    }
}

fn with_value(mut field: Value, value: &str) -> Value {
    if !value.is_empty() {
        field["value"] = json!(value);
        field["state"] = json!(["filled"]);
    }
    field
}

/// Plays the chore to its end; every act must be confident enough to be done unattended.
fn play(words: Words) -> Vec<String> {
    play_goal(GOAL, words)
}

fn play_goal(goal: &'static str, words: Words) -> Vec<String> {
    let mut shop = Shop::open(goal, words);
    let mut lines = Vec::new();
    for _ in 0..14 {
        let decision = shop.look().decide();
        lines.push(decision.shown());
        let floor = if decision.op == "done" { 0.85 } else { 0.6 };
        assert!(decision.confidence >= floor, "{decision:?} after {lines:#?}");
        if decision.op == "done" {
            assert_eq!(shop.basket, [WANTED], "{lines:#?}");
            return lines;
        }
        shop.act(&decision);
    }
    panic!("not done in fourteen steps: {lines:#?}");
}

#[test]
fn the_chore_is_done_in_a_shop_with_buttons_in_each_row() {
    let lines = play(Words {
        sign_in_link: "Sign in",
        sign_in_button: "Sign in",
        sign_out: "Sign out",
        name_field: ("Email", "email"),
        password_field: "Password",
        search_field: "Search products",
        search_button: Some("Search"),
        basket: "Basket",
        add: "Add to basket",
        results: "Results for",
        adding: Adding::InEachRow,
    });
    assert_eq!(
        lines,
        [
            "press Sign in",
            "fill Email <email>",
            "fill Password <password>",
            "press Sign in",
            "fill Search products 'Copper Desk Lamp'",
            "press Search",
            "press Add to basket @ Copper Desk Lamp Turned by hand £49.00",
            "done",
        ]
    );
}

#[test]
fn the_chore_is_done_in_a_shop_with_other_words_and_another_shape() {
    let lines = play(Words {
        sign_in_link: "Log on",
        sign_in_button: "Continue",
        sign_out: "Log off",
        name_field: ("User name or e-mail", "text"),
        password_field: "Pass phrase",
        search_field: "What are you looking for?",
        search_button: None,
        basket: "Trolley",
        add: "Put in trolley",
        results: "Matches for",
        adding: Adding::OnItsOwnPage,
    });
    assert_eq!(lines.len(), 9, "{lines:#?}");
    assert_eq!(lines[5], "enter What are you looking for?");
    assert_eq!(lines[7], "press Put in trolley");
}

#[test]
fn every_mix_of_common_shop_words_ends_in_the_basket() {
    let sign_ins = [
        ("Log in", "Log in", "Log out"),
        ("Login", "Login", "Logout"),
        ("Sign in", "Sign in", "Sign out"),
        ("Log on", "Log on", "Log off"),
    ];
    let baskets = [
        ("Cart", "Add to cart"),
        ("Bag", "Add to bag"),
        ("Basket", "Put in basket"),
        ("Trolley", "Add to trolley"),
        ("Shopping cart", "Add to shopping cart"),
        ("Bag", "Buy now"),
    ];
    let searches =
        [("Search the shop", Some("Search")), ("Find a product", Some("Find")), ("Search", Some("Go")), ("Keyword", None)];
    let names = [("Email address", "email"), ("E-mail", "email"), ("Your email", "text"), ("Username", "text")];
    for seed in 0..96 {
        let (sign_in_link, sign_in_button, sign_out) = sign_ins[seed % 4];
        let (basket, add) = baskets[seed % 6];
        let (search_field, search_button) = searches[seed / 4 % 4];
        let adding = if seed / 16 % 2 == 0 { Adding::InEachRow } else { Adding::OnItsOwnPage };
        let password_field = ["Password", "Your password", "Account password"][seed % 3];
        play(Words {
            sign_in_link,
            sign_in_button,
            sign_out,
            name_field: names[seed / 3 % 4],
            password_field,
            search_field,
            search_button,
            basket,
            add,
            results: ["Found for", "Products for"][seed % 2],
            adding,
        });
    }
}

fn common_words(adding: Adding) -> Words {
    Words {
        sign_in_link: "Sign in",
        sign_in_button: "Sign in",
        sign_out: "Sign out",
        name_field: ("Email", "email"),
        password_field: "Password",
        search_field: "Search products",
        search_button: Some("Search"),
        basket: "Basket",
        add: "Add to basket",
        results: "Results for",
        adding,
    }
}

#[test]
fn ordinary_phrasings_of_the_chore_end_in_the_basket() {
    for adding in [Adding::InEachRow, Adding::OnItsOwnPage] {
        for goal in [
            "Sign in and put the copper desk lamp into my basket",
            "Please log in and add a copper desk lamp to the cart",
            "add copper desk lamp to basket",
            "I want the Copper Desk Lamp in my basket",
            "The basket contains one Copper Desk Lamp",
            "Search for the copper desk lamp, add it to the basket, signing in first",
            "The copper desk lamp is in the basket",
        ] {
            play_goal(goal, common_words(adding));
        }
    }
}

#[test]
fn an_add_that_led_to_the_sign_in_page_is_done_again_after_the_sign_in() {
    let lines = play_goal("add copper desk lamp to basket", common_words(Adding::OnItsOwnPage));
    assert_eq!(lines.iter().filter(|line| line.starts_with("press Add to basket")).count(), 2, "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| *line == "press Sign in").count(), 1, "{lines:#?}");
}

/// The sign-in page that an add led to.
fn bounced() -> Page {
    page("add copper desk lamp to basket")
        .value("email", "kim@example.com")
        .named("Sign in", &["Sign in"])
        .field("Email", "email", json!({}))
        .field("Password", "password", json!({}))
        .press_in("button:Sign in", json!({"submits": true}))
        .did("press", "Add to basket", "page_changed", json!({"row": "Copper Desk Lamp"}))
}

#[test]
fn an_add_that_led_to_a_sign_in_page_is_never_claimed_to_be_done() {
    let typed = |page: Page| {
        page.did("fill", "Email", "changed", json!({"value_key": "email", "text": "kim@example.com"}))
            .did("fill", "Password", "changed", json!({"value_key": "password"}))
            .did("press", "Sign in", "page_changed", json!({}))
    };
    assert_eq!(bounced().decide().op, "fill");
    assert_eq!(typed(bounced().secret("password")).with("dialogs", json!(["Incorrect password"])).decide().op, "blocked");
    let twice = typed(typed(bounced().secret("password")));
    assert_eq!(twice.decide().op, "blocked");
    let without_values = Page { values: Vec::new(), ..bounced() };
    assert_eq!(without_values.decide().op, "blocked");
}

#[test]
fn ordering_is_left_to_a_person_after_the_sign_in() {
    let look = page("Sign in as kim@example.com and order the copper desk lamp, the big one")
        .named("Home", &["Welcome"])
        .press("link:Orders@/orders")
        .press_in("button:Sign out", json!({"submits": true}))
        .press_in("button:Add to basket", json!({"row": "Copper Desk Lamp"}));
    assert_eq!(look.decide().op, "blocked");
}
