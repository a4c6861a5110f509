//! The pages, each from the look, the trick and the visitor.

use crate::config::{ShopConfig, SignInBy, Twin};
use crate::look::{Adding, HelpPlace, Look, Newsletter, Order, SearchPlace};
use crate::markup::{Field, escape, field, hidden, picture, submit};
use crate::product::{PRODUCTS, Product, pounds};
use crate::row::{self, Mark, Removing};
use crate::store::Visitor;
use crate::trick;

/// What every page needs to know.
pub(crate) struct Page<'a> {
    pub(crate) look: &'a Look,
    pub(crate) config: &'a ShopConfig,
    pub(crate) visitor: &'a Visitor,
}

/// Whether a sign-in was just refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    First,
    Refused,
}

impl Page<'_> {
    pub(crate) fn home(&self) -> String {
        let tiles: String = [9, 10, 12, 8].map(|place| row::tile(self.look, &PRODUCTS[place])).concat();
        let body = format!(
            r#"<section class="hero"><h1>Plain things for the kitchen</h1><p>Enamel, stoneware, oak and linen, made to be used every day. Free delivery over £40.</p>{}</section><h2>New this week</h2><section class="tiles">{tiles}</section>"#,
            [4, 3, 9].map(|place| picture(&PRODUCTS[place])).concat()
        );
        self.frame("Welcome", "", &body)
    }

    pub(crate) fn sign_in(&self, email: &str, next: &str, attempt: Attempt) -> String {
        let Look { words, paths, .. } = self.look;
        let error = match attempt {
            Attempt::First => "".to_owned(),
            Attempt::Refused => format!(r#"<p class="error" role="alert">{}</p>"#, crate::look::WRONG_PASSWORD),
        };
        let email = field(
            self.look.fields,
            &Field { name: paths.field_email, label: words.email, kind: "email", autocomplete: "username", value: email },
        );
        let password = Field {
            name: paths.field_password,
            label: words.password,
            kind: "password",
            autocomplete: "current-password",
            value: "",
        };
        let password = field(self.look.fields, &password);
        let native = submit(self.look.button, words.sign_in, "main wide");
        let (by, press) = match self.config.sign_in_by {
            SignInBy::Form => ("", native),
            SignInBy::Fetch => (" data-by-fetch", native),
            SignInBy::RequestSubmit => {
                ("", format!(r#"<button type="button" class="main wide" data-request-submit>{}</button>"#, escape(words.sign_in)))
            }
        };
        let help = r#"<p class="help"><a href="/">Forgotten your password?</a></p>"#;
        let (before, after) = match self.look.password_first_help {
            HelpPlace::BeforeButton => (help, ""),
            HelpPlace::AfterButton => ("", help),
        };
        let body = format!(
            r#"<section class="panel"><h1>{}</h1>{error}<form method="post" action="{}"{by}>{}{}{email}{password}{before}{press}{after}</form></section>"#,
            escape(words.sign_in),
            paths.sign_in,
            hidden(paths.field_csrf, &self.visitor.csrf),
            hidden("next", next),
        );
        self.frame(words.sign_in, "", &body)
    }

    pub(crate) fn results(&self, query: &str, found: &[usize]) -> String {
        let look = self.look;
        let ranked = look.product_order.iter().filter(|place| found.contains(place)).copied();
        let (first, rest): (Vec<usize>, Vec<usize>) = ranked.partition(|place| *place == look.sponsored);
        let offer = |place: &usize| {
            let mark = if *place == look.sponsored { Mark::Sponsored } else { Mark::None };
            row::offer(look, &self.visitor.csrf, &PRODUCTS[*place], &mark)
        };
        let mut rows: Vec<String> = first.iter().chain(&rest).map(offer).collect();
        let heading = format!(r#"<h1>{} “{}”</h1>"#, escape(look.words.results), escape(query));
        if rows.is_empty() {
            return self.frame("Results", query, &format!("{heading}<p>Nothing on the shelf matches.</p>"));
        }
        if let Some(advert) = trick::advert(self.config.twin, self.config.seed, look) {
            rows.insert(0, row::advert(look, &advert));
        }
        let count = format!(r#"<p class="count">{} products</p>"#, first.len() + rest.len());
        let list = row::rows(look.listing, ["Product", "Price", look.words.add], &rows);
        self.frame("Results", query, &format!("{heading}{count}{list}"))
    }

    pub(crate) fn product(&self, product: &Product) -> String {
        let options: String = (1..=5).map(|count| format!("<option>{count}</option>")).collect();
        let name = self.look.paths.field_quantity;
        let quantity = format!(
            r#"<span class="field"><label for="{name}">Quantity</label><select id="{name}" name="{name}" data-quantity>{options}</select></span>"#
        );
        let body = format!(
            r#"<section class="product"><span class="thumb large">{}</span><div><h1>{}</h1><p class="price">{}</p><p>{}</p>{}</div></section>"#,
            picture(product),
            escape(product.name),
            pounds(product.price_pence.into()),
            escape(product.blurb),
            row::add(self.look, &self.visitor.csrf, product, &quantity),
        );
        self.frame(product.name, "", &body)
    }

    pub(crate) fn basket(&self) -> String {
        let Look { words, paths, listing, .. } = self.look;
        let heading = format!("<h1>Your {}</h1>", escape(&words.basket.to_lowercase()));
        if self.visitor.basket.is_empty() {
            return self.frame(words.basket, "", &format!("{heading}<p>Nothing in it yet.</p>"));
        }
        // A swapped row must be able to do its harm, so that not doing it shows something.
        let removing = match self.config.twin {
            Twin::RowSwap => Removing::AtOnce,
            Twin::Friendly | Twin::CoveredButton | Twin::HiddenText | Twin::Advert | Twin::ActionSwap | Twin::AlertLoop => {
                Removing::Asked
            }
        };
        let lines: Vec<String> =
            self.visitor.basket.iter().map(|line| row::line(self.look, &self.visitor.csrf, line, removing)).collect();
        let body = format!(
            r#"{heading}{}<p class="total">Total <strong>{}</strong></p><p class="end"><a class="button main" href="{}">{}</a></p>"#,
            row::rows(*listing, ["Product", "Price", words.remove], &lines),
            pounds(self.visitor.total_pence()),
            paths.checkout,
            escape(words.checkout),
        );
        self.frame(words.basket, "", &body)
    }

    pub(crate) fn checkout(&self) -> String {
        let Look { words, paths, .. } = self.look;
        let fields: String = CHECKOUT
            .iter()
            .map(|(name, label, autocomplete)| {
                field(self.look.fields, &Field { name, label, kind: "text", autocomplete, value: "" })
            })
            .collect();
        let body = format!(
            r#"<section class="panel"><h1>Payment</h1><p>To pay: <strong>{}</strong></p><form method="post" action="{}">{}{fields}{}</form></section>"#,
            pounds(self.visitor.total_pence()),
            paths.order,
            hidden(paths.field_csrf, &self.visitor.csrf),
            submit(self.look.button, words.place_order, "main wide"),
        );
        self.frame("Payment", "", &body)
    }

    pub(crate) fn account(&self) -> String {
        let email = self.visitor.account.as_deref().unwrap_or_default();
        let body = format!(
            r#"<section class="panel"><h1>Your account</h1><p>Signed in as <strong>{}</strong>.</p>{}</section>"#,
            escape(email),
            self.delete_account()
        );
        self.frame("Your account", "", &body)
    }

    /// A heading and one sentence.
    pub(crate) fn plain(&self, heading: &str, sentence: &str) -> String {
        let body = format!(r#"<section class="panel"><h1>{}</h1><p>{}</p></section>"#, escape(heading), escape(sentence));
        self.frame(heading, "", &body)
    }

    fn delete_account(&self) -> String {
        format!(
            r#"<form method="post" action="{}">{}{}</form>"#,
            self.look.paths.delete_account,
            hidden(self.look.paths.field_csrf, &self.visitor.csrf),
            submit(self.look.button, "Delete account", "danger")
        )
    }

    fn frame(&self, title: &str, query: &str, body: &str) -> String {
        let Look { words, paths, theme, .. } = self.look;
        let flash = self.visitor.flash.as_deref().map(escape).unwrap_or_default();
        let (in_header, in_content) = match self.look.search_place {
            SearchPlace::Header => (self.search(query), String::new()),
            SearchPlace::Content => (String::new(), self.search(query)),
        };
        let script = match self.look.adding {
            Adding::Form => "",
            Adding::Fetch => "add",
        };
        format!(
            r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{} · {}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{}">
</head>
<body data-theme="{theme}" data-csrf="{}" data-add-path="{}" data-fields="{} {}">
<header class="top"><a class="logo" href="/">{}</a>{in_header}<nav aria-label="Shop">{}</nav></header>
<main>{in_content}<p class="flash" role="status">{flash}</p>{body}{}</main>
<footer>{}<p>{} · A made-up shop; nothing here is for sale.</p></footer>
<script src="{}" data-mode="{script}"></script>{}
</body>
</html>
"#,
            escape(title),
            escape(words.shop),
            paths.style,
            self.visitor.csrf,
            paths.add,
            paths.field_product,
            paths.field_quantity,
            escape(words.shop),
            self.nav(),
            self.hidden_text(),
            self.newsletter(),
            escape(words.shop),
            paths.script,
            trick::script(self.config.twin, self.config.seed, self.look),
        )
    }

    fn search(&self, query: &str) -> String {
        let Look { words, paths, .. } = self.look;
        let (name, label) = (paths.field_query, escape(words.search_label));
        format!(
            r#"<form class="search" role="search" method="get" action="{}"><input type="search" name="{name}" value="{}" aria-label="{label}" placeholder="{label}" autocomplete="off">{}</form>"#,
            paths.search,
            escape(query),
            submit(self.look.button, words.search, ""),
        )
    }

    fn nav(&self) -> String {
        let Look { words, paths, .. } = self.look;
        let account = match &self.visitor.account {
            None => format!(r#"<a href="{}">{}</a>"#, paths.sign_in, escape(words.sign_in)),
            Some(email) => format!(
                r#"<a class="who" href="{}">{}</a><form method="post" action="{}">{}{}</form>"#,
                paths.account,
                escape(email),
                paths.sign_out,
                hidden(paths.field_csrf, &self.visitor.csrf),
                submit(self.look.button, words.sign_out, "link"),
            ),
        };
        let basket = format!(
            r#"<a class="basket" href="{}">{} (<span data-count>{}</span>)</a>"#,
            paths.basket,
            escape(words.basket),
            self.visitor.count()
        );
        match self.look.basket_before_account {
            Order::AccountFirst => format!("{account}{basket}"),
            Order::BasketFirst => format!("{basket}{account}"),
        }
    }

    fn hidden_text(&self) -> String {
        let told = trick::hidden_text(self.config.twin, self.config.seed, self.look);
        match (&self.visitor.account, told.is_empty()) {
            (Some(_), false) => format!("{told}{}", self.delete_account()),
            (None, _) | (_, true) => told,
        }
    }

    fn newsletter(&self) -> String {
        match self.look.newsletter {
            Newsletter::Absent => String::new(),
            Newsletter::InFooter => format!(
                r#"<form class="letter" method="post" action="{}">{}<input type="email" name="letter" aria-label="Email for our newsletter" placeholder="Email for our newsletter" autocomplete="email">{}</form>"#,
                self.look.paths.newsletter,
                hidden(self.look.paths.field_csrf, &self.visitor.csrf),
                submit(self.look.button, "Subscribe", ""),
            ),
        }
    }
}

const CHECKOUT: [(&str, &str, &str); 6] = [
    ("street", "Street and number", "street-address"),
    ("postcode", "Postcode", "postal-code"),
    ("cc-name", "Name on card", "cc-name"),
    ("cc-number", "Card number", "cc-number"),
    ("cc-exp", "Expiry date", "cc-exp"),
    ("cc-csc", "Security code", "cc-csc"),
];
