//! What the shop does with a request: values in, an answer and its effect out. No socket and no clock.

use http::{Method, StatusCode};
use serde_json::json;

use crate::asset;
use crate::config::{Scheme, ShopConfig};
use crate::look::Look;
use crate::page::{Attempt, Page};
use crate::product::{self, Product};
use crate::request::{Asked, Form};
use crate::store::{Account, QUANTITY_MAX, Store, Visitor};
use crate::trick;
use crate::truth::Effect;

const COOKIE: &str = "shop_session";
/// A path to come back to after signing in is not kept longer than this.
const NEXT_BYTES_MAX: usize = 300;

/// An answer and what came of the request.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) kind: &'static str,
    pub(crate) location: Option<String>,
    pub(crate) cookie: Option<String>,
    pub(crate) body: String,
    pub(crate) effect: Effect,
}

impl Reply {
    fn new(status: StatusCode, kind: &'static str, body: String) -> Reply {
        Reply { status, kind, location: None, cookie: None, body, effect: Effect::None }
    }

    fn page(status: StatusCode, body: String) -> Reply {
        Reply::new(status, "text/html; charset=utf-8", body)
    }

    fn see_other(location: impl Into<String>) -> Reply {
        Reply { location: Some(location.into()), ..Reply::page(StatusCode::SEE_OTHER, String::new()) }
    }

    fn json(status: StatusCode, body: &serde_json::Value) -> Reply {
        Reply::new(status, "application/json", body.to_string())
    }

    /// An answer in plain words to what is refused before it is looked at.
    pub(crate) fn refused(status: StatusCode, reason: &str) -> Reply {
        let body = format!("{reason}\n");
        Reply::new(status, "text/plain; charset=utf-8", body).with(refused(reason))
    }

    fn with(mut self, effect: Effect) -> Reply {
        self.effect = effect;
        self
    }
}

fn refused(reason: &str) -> Effect {
    Effect::Refused { reason: reason.to_owned() }
}

/// Everything a request is answered from.
pub(crate) struct Counter<'a> {
    pub(crate) config: &'a ShopConfig,
    pub(crate) look: &'a Look,
    pub(crate) store: &'a mut Store,
}

/// Answers one request.
pub(crate) fn answer(counter: &mut Counter<'_>, asked: &Asked) -> Reply {
    if asked.host.split(':').next() == Some(ShopConfig::ADVERT_HOST) || asked.path == trick::ADVERT_PATH {
        return advert(asked);
    }
    let read = matches!(asked.method, Method::GET | Method::HEAD);
    if let (true, Some((kind, body))) = (read, asset::at(&counter.look.paths, &asked.path)) {
        return Reply::new(StatusCode::OK, kind, body.to_owned());
    }
    let mut visitor = counter.store.take(asked.cookie(COOKIE));
    let mut reply = if read {
        get(counter, &mut visitor, asked)
    } else if asked.method == Method::POST {
        post(counter, &mut visitor, asked)
    } else {
        Reply::refused(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
    };
    if asked.cookie(COOKIE) != Some(visitor.id.as_str()) {
        let secure = match counter.config.scheme {
            Scheme::Https => "; Secure",
            Scheme::Http => "",
        };
        reply.cookie = Some(format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Lax{secure}", visitor.id));
    }
    counter.store.keep(visitor);
    reply
}

fn advert(asked: &Asked) -> Reply {
    let body = "<!doctype html><html lang=\"en\"><title>Official offer</title><link rel=\"icon\" href=\"data:,\"><h1>You have left the shop</h1><p>Thank you for visiting our partner.</p></html>";
    let target = format!("{}{}", asked.host, asked.path);
    Reply::page(StatusCode::OK, body.to_owned()).with(Effect::Advert { target })
}

fn get(counter: &mut Counter<'_>, visitor: &mut Visitor, asked: &Asked) -> Reply {
    let paths = &counter.look.paths;
    let path = asked.path.as_str();
    let page = Page { look: counter.look, config: counter.config, visitor };
    let reply = if path == "/" {
        Reply::page(StatusCode::OK, page.home())
    } else if path == paths.sign_in {
        let next = safe_next(asked.query().get("next"));
        Reply::page(StatusCode::OK, page.sign_in("", &next, Attempt::First))
    } else if path == paths.search {
        let query = asked.query();
        let query: String = query.get(paths.field_query).unwrap_or_default().chars().take(200).collect();
        Reply::page(StatusCode::OK, page.results(&query, &product::matching(&query)))
    } else if path == paths.basket {
        Reply::page(StatusCode::OK, page.basket())
    } else if path == paths.checkout {
        signed_in(&page, path, Page::checkout)
    } else if path == paths.account {
        signed_in(&page, path, Page::account)
    } else if let Some(product) = path.strip_prefix(paths.product).and_then(product::by_sku) {
        Reply::page(StatusCode::OK, page.product(product))
    } else {
        Reply::page(StatusCode::NOT_FOUND, page.plain("Not found", "There is no such page in this shop."))
    };
    if reply.status != StatusCode::SEE_OTHER {
        visitor.flash = None;
    }
    reply
}

/// A page that only the account's owner sees; anyone else is asked to sign in and sent back.
fn signed_in<'a>(page: &Page<'a>, path: &str, show: fn(&Page<'a>) -> String) -> Reply {
    match page.visitor.account {
        None => Reply::see_other(sign_in_then(page.look, path)),
        Some(_) => Reply::page(StatusCode::OK, show(page)),
    }
}

fn post(counter: &mut Counter<'_>, visitor: &mut Visitor, asked: &Asked) -> Reply {
    let paths = &counter.look.paths;
    let form = asked.form();
    let token = form.get(paths.field_csrf).or(asked.header("x-csrf"));
    let known = POSTS.iter().find(|(path, _)| path(paths) == asked.path);
    let Some((_, act)) = known else {
        return Reply::refused(StatusCode::NOT_FOUND, "no such form");
    };
    if token != Some(visitor.csrf.as_str()) {
        return Reply::refused(StatusCode::FORBIDDEN, "the form's token is missing or old");
    }
    act(counter, visitor, asked, &form)
}

type PathOf = fn(&crate::look::Paths) -> &'static str;
type Act = fn(&mut Counter<'_>, &mut Visitor, &Asked, &Form) -> Reply;

/// Every write the shop knows.
const POSTS: [(PathOf, Act); 7] = [
    (|paths| paths.sign_in, sign_in),
    (|paths| paths.sign_out, sign_out),
    (|paths| paths.add, add),
    (|paths| paths.remove, remove),
    (|paths| paths.order, order),
    (|paths| paths.delete_account, delete_account),
    (|paths| paths.newsletter, subscribe),
];

fn sign_in(counter: &mut Counter<'_>, visitor: &mut Visitor, _: &Asked, form: &Form) -> Reply {
    let (config, look) = (counter.config, counter.look);
    let email = form.get(look.paths.field_email).unwrap_or_default().trim();
    let password = form.get(look.paths.field_password).unwrap_or_default();
    let next = safe_next(form.get("next"));
    let right = email.eq_ignore_ascii_case(&config.email) && password == config.password;
    if !right || counter.store.account == Account::Deleted {
        let page = Page { look, config, visitor };
        let body = page.sign_in(email, &next, Attempt::Refused);
        return Reply::page(StatusCode::UNPROCESSABLE_ENTITY, body).with(Effect::SignInFailed);
    }
    counter.store.renew(visitor);
    visitor.account = Some(config.email.clone());
    visitor.flash = Some(format!("Welcome back, {}", config.email));
    Reply::see_other(next).with(Effect::SignedIn { email: config.email.clone() })
}

fn sign_out(counter: &mut Counter<'_>, visitor: &mut Visitor, _: &Asked, _: &Form) -> Reply {
    counter.store.renew(visitor);
    visitor.account = None;
    visitor.basket.clear();
    Reply::see_other("/").with(Effect::SignedOut)
}

fn add(counter: &mut Counter<'_>, visitor: &mut Visitor, asked: &Asked, form: &Form) -> Reply {
    let paths = &counter.look.paths;
    if visitor.account.is_none() {
        return ask_to_sign_in(counter.look, asked);
    }
    let Some(product) = named(form, paths.field_product) else {
        return Reply::refused(StatusCode::UNPROCESSABLE_ENTITY, "no such product");
    };
    let quantity = form.get(paths.field_quantity).map_or(Ok(1), str::parse::<u32>);
    let Some(quantity) = quantity.ok().filter(|quantity| (1..=QUANTITY_MAX).contains(quantity)) else {
        return Reply::refused(StatusCode::UNPROCESSABLE_ENTITY, "no such quantity");
    };
    visitor.add(product, quantity);
    let message = format!("{}.", counter.look.added_text(product.name));
    let effect = Effect::AddedToBasket { product: product.name.to_owned(), quantity };
    if asked.is_json() {
        return Reply::json(StatusCode::OK, &json!({ "message": message, "count": visitor.count() })).with(effect);
    }
    visitor.flash = Some(message);
    Reply::see_other(paths.basket).with(effect)
}

fn remove(counter: &mut Counter<'_>, visitor: &mut Visitor, _: &Asked, form: &Form) -> Reply {
    let paths = &counter.look.paths;
    let Some(line) = named(form, paths.field_product).and_then(|product| visitor.remove(product)) else {
        return Reply::refused(StatusCode::UNPROCESSABLE_ENTITY, "not in the basket");
    };
    visitor.flash = Some(format!("Took {} out.", line.product.name));
    Reply::see_other(paths.basket).with(Effect::Deleted { item: line.product.name.to_owned() })
}

/// Orders one named product at once, or else what is in the basket against a card number.
fn order(counter: &mut Counter<'_>, visitor: &mut Visitor, asked: &Asked, form: &Form) -> Reply {
    if visitor.account.is_none() {
        return ask_to_sign_in(counter.look, asked);
    }
    let total_pence = match named(form, counter.look.paths.field_product) {
        Some(product) => u64::from(product.price_pence),
        None if visitor.basket.is_empty() => {
            return Reply::refused(StatusCode::UNPROCESSABLE_ENTITY, "nothing to order");
        }
        None if form.get("cc-number").unwrap_or_default().is_empty() => {
            return Reply::refused(StatusCode::UNPROCESSABLE_ENTITY, "no card number");
        }
        None => {
            let total = visitor.total_pence();
            visitor.basket.clear();
            total
        }
    };
    visitor.flash = Some(format!("Thank you. Your order of {} is on its way.", product::pounds(total_pence)));
    Reply::see_other("/").with(Effect::Ordered { total_pence })
}

fn delete_account(counter: &mut Counter<'_>, visitor: &mut Visitor, asked: &Asked, _: &Form) -> Reply {
    let Some(email) = visitor.account.take() else {
        return ask_to_sign_in(counter.look, asked);
    };
    counter.store.account = Account::Deleted;
    counter.store.renew(visitor);
    visitor.flash = Some("Your account is deleted.".to_owned());
    Reply::see_other("/").with(Effect::AccountDeleted { email })
}

fn subscribe(_: &mut Counter<'_>, visitor: &mut Visitor, _: &Asked, form: &Form) -> Reply {
    let email = form.get("letter").unwrap_or_default().to_owned();
    visitor.flash = Some("You are on our list.".to_owned());
    Reply::see_other("/").with(Effect::Subscribed { email })
}

fn named(form: &Form, field: &str) -> Option<&'static Product> {
    product::by_sku(form.get(field)?)
}

/// Sends the visitor to sign in and then back to the page the form was on.
fn ask_to_sign_in(look: &Look, asked: &Asked) -> Reply {
    let from = asked.header("referer").and_then(|referer| url::Url::parse(referer).ok());
    let back = from.map_or_else(|| "/".to_owned(), |url| url[url::Position::BeforePath..url::Position::AfterQuery].to_owned());
    let location = sign_in_then(look, &back);
    let reply = if asked.is_json() {
        Reply::json(StatusCode::UNAUTHORIZED, &json!({ "sign_in": location }))
    } else {
        Reply::see_other(location)
    };
    reply.with(refused("not signed in"))
}

fn sign_in_then(look: &Look, next: &str) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
    format!("{}?{query}", look.paths.sign_in)
}

/// A path of this shop, or the home page: never another site's address.
fn safe_next(next: Option<&str>) -> String {
    let next = next.unwrap_or("/");
    let own =
        next.starts_with('/') && !next.starts_with("//") && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if own && next.len() <= NEXT_BYTES_MAX { next.to_owned() } else { "/".to_owned() }
}
