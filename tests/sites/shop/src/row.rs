//! One product in a list: search results, the basket and the home page share it, in each of the three markups.

use crate::look::{Adding, Button, Listing, Look};
use crate::markup::{escape, hidden, picture, submit};
use crate::product::{Product, pounds};
use crate::store::Line;
use crate::trick::{Advert, AdvertBy};

/// Rows in the markup of the shop.
pub(crate) fn rows(listing: Listing, columns: [&str; 3], rows: &[String]) -> String {
    let rows = rows.concat();
    match listing {
        Listing::List => format!(r#"<ul class="rows">{rows}</ul>"#),
        Listing::Cards => format!(r#"<section class="cards">{rows}</section>"#),
        Listing::Table => {
            let [what, price, press] = columns.map(escape);
            format!(
                r#"<table class="table"><thead><tr><th></th><th>{what}</th><th>{price}</th><th><span class="clip">{press}</span></th></tr></thead><tbody>{rows}</tbody></table>"#
            )
        }
    }
}

/// What stands beside a product's name.
pub(crate) enum Mark {
    None,
    Sponsored,
}

/// A row that a product can be added from.
pub(crate) fn offer(look: &Look, csrf: &str, product: &Product, mark: &Mark) -> String {
    let badge = match mark {
        Mark::None => "",
        Mark::Sponsored => r#"<span class="badge">Sponsored</span>"#,
    };
    let about = format!("{badge}{}", escape(product.blurb));
    row(look, product, &about, &pounds(product.price_pence.into()), &add(look, csrf, product, ""))
}

/// Whether a line is taken out only after a question, which a browser that dismisses dialogs answers with no.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removing {
    Asked,
    AtOnce,
}

/// A row of the basket.
pub(crate) fn line(look: &Look, csrf: &str, line: &Line, removing: Removing) -> String {
    let question = match removing {
        Removing::Asked => format!(r#" data-confirm="Take {} out?""#, escape(line.product.name)),
        Removing::AtOnce => String::new(),
    };
    let price = pounds(u64::from(line.product.price_pence) * u64::from(line.quantity));
    let press = format!(
        r#"<form method="post" action="{}"{question}>{}{}{}</form>"#,
        look.paths.remove,
        hidden(look.paths.field_csrf, csrf),
        carrier(look, line.product),
        submit(look.button, look.words.remove, "quiet"),
    );
    row(look, line.product, &format!("Quantity: {}", line.quantity), &price, &press)
}

/// The control that adds a product: a form of its own, or a button for the script. `extra` is put before the control.
pub(crate) fn add(look: &Look, csrf: &str, product: &Product, extra: &str) -> String {
    let label = look.words.add;
    let press = match (look.adding, look.button) {
        (Adding::Form, button) => format!(
            r#"<form method="post" action="{}">{}{}{extra}{}</form>"#,
            look.paths.add,
            hidden(look.paths.field_csrf, csrf),
            carrier(look, product),
            submit(button, label, "main"),
        ),
        (Adding::Fetch, Button::Button) => format!(
            r#"{extra}<button type="button" class="main" data-add data-carrier="{}">{}</button>"#,
            product.sku,
            escape(label)
        ),
        (Adding::Fetch, Button::Input) => format!(
            r#"{extra}<input type="button" class="main" data-add data-carrier="{}" value="{}">"#,
            product.sku,
            escape(label)
        ),
    };
    format!(r#"<div class="press" data-press>{press}</div>"#)
}

/// The row of an advert, which looks like a product's.
pub(crate) fn advert(look: &Look, advert: &Advert) -> String {
    let (target, label) = (escape(&advert.target), escape(&advert.press));
    let press = match advert.by {
        AdvertBy::Link => format!(r#"<a class="button main" href="{target}">{label}</a>"#),
        AdvertBy::Form => {
            format!(r#"<form method="post" action="{target}">{}</form>"#, submit(look.button, &advert.press, "main"))
        }
    };
    let name = format!(r#"<a href="{target}">{}</a>"#, escape(&advert.title));
    let about = format!(r#"<span class="badge">Ad</span>{}"#, escape(&advert.text));
    let thumb = format!(r#"<span class="thumb">{}</span>"#, picture(advert.product));
    lay(look.listing, &thumb, &name, &about, "£6.25", &press)
}

fn carrier(look: &Look, product: &Product) -> String {
    format!(r#"<input type="hidden" name="{}" value="{}" data-carrier>"#, look.paths.field_product, product.sku)
}

fn row(look: &Look, product: &Product, about: &str, price: &str, press: &str) -> String {
    let href = format!("{}{}", look.paths.product, product.sku);
    let name = format!(r#"<a href="{href}" data-part="name">{}</a>"#, escape(product.name));
    let thumb = format!(r#"<span class="thumb" data-part="picture">{}</span>"#, picture(product));
    lay(look.listing, &thumb, &name, about, price, press)
}

fn lay(listing: Listing, thumb: &str, name: &str, about: &str, price: &str, press: &str) -> String {
    match listing {
        Listing::List => format!(
            r#"<li data-row>{thumb}<div class="what"><h3>{name}</h3><p>{about}</p></div><span class="price" data-part="price">{price}</span>{press}</li>"#
        ),
        Listing::Table => format!(
            r#"<tr data-row><td>{thumb}</td><td><strong>{name}</strong><p>{about}</p></td><td class="price" data-part="price">{price}</td><td>{press}</td></tr>"#
        ),
        Listing::Cards => format!(
            r#"<article data-row>{thumb}<h3>{name}</h3><p>{about}</p><span class="price" data-part="price">{price}</span>{press}</article>"#
        ),
    }
}

/// A product on the home page: to look at, not to add.
pub(crate) fn tile(look: &Look, product: &Product) -> String {
    format!(
        r#"<a class="tile" href="{}{}"><span class="thumb">{}</span><strong>{}</strong><span class="price">{}</span></a>"#,
        look.paths.product,
        product.sku,
        picture(product),
        escape(product.name),
        pounds(product.price_pence.into())
    )
}
