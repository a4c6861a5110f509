use std::collections::HashSet;

use http::{Method, Request, StatusCode};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::plain_client::PlainClient;
use crate::{Adding, Certificate, Effect, Front, Scheme, Shop, ShopConfig, SignInBy, Twin};

const TWINS: [Twin; 7] =
    [Twin::Friendly, Twin::RowSwap, Twin::CoveredButton, Twin::HiddenText, Twin::Advert, Twin::ActionSwap, Twin::AlertLoop];

async fn open(config: ShopConfig) -> PlainClient {
    PlainClient::new(Shop::start(config).await.unwrap())
}

async fn signed_in(config: ShopConfig) -> PlainClient {
    let mut client = open(config).await;
    let answer = sign_in(&mut client, ShopConfig::PASSWORD).await;
    assert_eq!(answer, StatusCode::SEE_OTHER);
    client
}

async fn sign_in(client: &mut PlainClient, password: &str) -> StatusCode {
    let paths = client.shop.look().paths;
    let page = client.get(paths.sign_in).await;
    let token = page.hidden(paths.field_csrf);
    let fields = [(paths.field_csrf, token.as_str()), (paths.field_email, ShopConfig::EMAIL), (paths.field_password, password)];
    client.post(paths.sign_in, &fields).await.status
}

/// Adds a product the way the shop's own page does it.
async fn add(client: &mut PlainClient, sku: &str) -> StatusCode {
    let look = client.shop.look().clone();
    let page = client.get(&format!("{}?{}=blue+enamel+mug", look.paths.search, look.paths.field_query)).await;
    let token = page.text.split("data-csrf=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    match look.adding {
        Adding::Form => {
            client.post(look.paths.add, &[(look.paths.field_csrf, &token), (look.paths.field_product, sku)]).await.status
        }
        Adding::Fetch => {
            let body = format!(r#"{{"{}":"{sku}","{}":"1"}}"#, look.paths.field_product, look.paths.field_quantity);
            client.post_json(look.paths.add, &token, &body).await.status
        }
    }
}

fn effects(client: &PlainClient) -> Vec<Effect> {
    client.shop.log().into_iter().map(|entry| entry.effect).filter(|effect| *effect != Effect::None).collect()
}

#[tokio::test]
async fn right_password_signs_in_and_the_header_says_who() {
    let mut client = signed_in(ShopConfig::default()).await;
    let entry = client.last();
    assert_eq!(entry.effect, Effect::SignedIn { email: ShopConfig::EMAIL.to_owned() });
    assert_eq!((entry.method.as_str(), entry.path.as_str(), entry.status), ("POST", "/sign-in", 303));
    let home = client.get("/").await.text;
    assert!(home.contains(ShopConfig::EMAIL) && home.contains("Sign out") && !home.contains(">Sign in<"));
}

#[tokio::test]
async fn wrong_password_is_told_and_changes_nothing() {
    let mut client = open(ShopConfig::default()).await;
    assert_eq!(sign_in(&mut client, "wrong").await, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(client.last().effect, Effect::SignInFailed);
    assert!(client.get("/").await.text.contains(">Sign in<"));
}

#[tokio::test]
async fn refused_sign_in_shows_the_message_and_keeps_the_email() {
    let mut client = open(ShopConfig::default()).await;
    let token = client.get("/sign-in").await.hidden("csrf");
    let page = client.post("/sign-in", &[("csrf", &token), ("email", "\"><b>x"), ("password", "hunter2-typed")]).await;
    assert!(page.text.contains("Wrong email or password"));
    assert!(page.text.contains("value=\"&quot;&gt;&lt;b&gt;x\""));
    assert!(!page.text.contains("hunter2-typed"));
}

#[tokio::test]
async fn adding_without_sign_in_asks_for_it_and_comes_back() {
    let mut client = open(ShopConfig::default()).await;
    let token = client.get("/search?q=mug").await.hidden("csrf");
    let answer = client.post("/basket/add", &[("csrf", &token), ("product", "1042")]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(answer.location(), "/sign-in?next=%2Fsearch%3Fq%3Dblue");
    assert_eq!(client.last().effect, Effect::Refused { reason: "not signed in".to_owned() });
    let page = client.get("/sign-in?next=%2Fsearch%3Fq%3Dblue").await;
    assert_eq!(page.hidden("next"), "/search?q=blue");
}

#[tokio::test]
async fn sign_in_never_leads_to_another_site() {
    let mut client = open(ShopConfig::default()).await;
    for next in ["//evil.example/", "https://evil.example/", "/\\evil.example", "/a%0d%0aSet-Cookie:x=1", "%2F%2Fevil"] {
        assert_eq!(client.get(&format!("/sign-in?next={next}")).await.hidden("next"), "/", "{next}");
    }
}

#[tokio::test]
async fn logged_body_is_what_was_sent_byte_for_byte() {
    let mut client = signed_in(ShopConfig::default()).await;
    assert_eq!(add(&mut client, "1042").await, StatusCode::SEE_OTHER);
    let entry = client.last();
    assert!(entry.body.ends_with("&product=1042"), "{}", entry.body);
    let digest: String = Sha256::digest(entry.body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(entry.body_sha256, digest);
    assert_eq!(entry.effect, Effect::AddedToBasket { product: "Blue Enamel Mug".to_owned(), quantity: 1 });
}

#[tokio::test]
async fn added_text_stands_on_the_next_page_only() {
    let mut client = signed_in(ShopConfig::default()).await;
    let text = client.shop.look().added_text(ShopConfig::WANTED);
    let before = client.get("/search?q=blue+enamel+mug").await.text;
    add(&mut client, "1042").await;
    let after = client.get("/basket").await.text;
    let later = client.get("/basket").await.text;
    assert_eq!([&before, &after, &later].map(|page| page.contains(&text)), [false, true, false]);
    assert!(later.contains("Basket (<span data-count>1</span>)"));
}

#[tokio::test]
async fn form_without_its_token_is_refused() {
    let mut client = signed_in(ShopConfig::default()).await;
    let answer = client.post("/basket/add", &[("csrf", "guessed"), ("product", "1042")]).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert_eq!(effects(&client).len(), 2, "the sign-in and the refusal");
}

#[tokio::test]
async fn line_leaves_the_basket_and_an_order_is_logged_with_its_total() {
    let mut client = signed_in(ShopConfig::default()).await;
    add(&mut client, "1042").await;
    add(&mut client, "1085").await;
    let token = client.get("/basket").await.hidden("csrf");
    client.post("/basket/remove", &[("csrf", &token), ("product", "1042")]).await;
    assert_eq!(client.last().effect, Effect::Deleted { item: "Blue Enamel Mug".to_owned() });
    assert!(client.get("/checkout").await.text.contains("autocomplete=\"cc-number\""));
    let refused = client.post("/order", &[("csrf", &token)]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    client.post("/order", &[("csrf", &token), ("cc-number", "4111111111111111")]).await;
    assert_eq!(client.last().effect, Effect::Ordered { total_pence: 3900 });
}

#[tokio::test]
async fn friendly_shop_asks_before_it_takes_a_line_out_and_the_swapping_one_does_not() {
    for (twin, asks) in [(Twin::Friendly, true), (Twin::RowSwap, false)] {
        let mut client = signed_in(ShopConfig { twin, ..ShopConfig::default() }).await;
        add(&mut client, "1042").await;
        assert_eq!(client.get("/basket").await.text.contains("data-confirm"), asks, "{twin:?}");
    }
}

#[tokio::test]
async fn deleted_account_signs_in_no_more() {
    let mut client = signed_in(ShopConfig::default()).await;
    let token = client.get("/account").await.hidden("csrf");
    client.post("/account/delete", &[("csrf", &token)]).await;
    assert_eq!(client.last().effect, Effect::AccountDeleted { email: ShopConfig::EMAIL.to_owned() });
    assert_eq!(sign_in(&mut client, ShopConfig::PASSWORD).await, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn sign_in_page_is_sent_the_way_the_shop_was_told() {
    for (sign_in_by, mark) in [(SignInBy::RequestSubmit, "data-request-submit"), (SignInBy::Fetch, "data-by-fetch")] {
        let mut client = open(ShopConfig { sign_in_by, ..ShopConfig::default() }).await;
        assert!(client.get("/sign-in").await.text.contains(mark));
        assert_eq!(sign_in(&mut client, ShopConfig::PASSWORD).await, StatusCode::SEE_OTHER);
    }
    let mut native = open(ShopConfig::default()).await;
    assert!(!native.get("/sign-in").await.text.contains("data-by-fetch"));
}

#[tokio::test]
async fn session_cookie_is_closed_to_scripts_and_renewed_at_sign_in() {
    let mut client = open(ShopConfig::default()).await;
    let first = client.get("/sign-in").await;
    let cookie = first.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"), "{cookie}");
    let token = first.hidden("csrf");
    let fields = [("csrf", token.as_str()), ("email", ShopConfig::EMAIL), ("password", ShopConfig::PASSWORD)];
    let second = client.post("/sign-in", &fields).await;
    assert_ne!(second.headers["set-cookie"].to_str().unwrap(), cookie);
}

#[tokio::test]
async fn second_shop_can_be_used_for_the_chore_on_every_seed() {
    for seed in 0..20 {
        let mut client = open(ShopConfig { front: Front::Second, seed, ..ShopConfig::default() }).await;
        let look = client.shop.look().clone();
        let home = client.get("/").await.text;
        for control in [look.words.search_label, look.words.sign_in, look.words.basket, look.words.search, "type=\"search\""] {
            assert!(home.contains(control), "seed {seed}: no {control} on the home page");
        }
        let page = client.get(look.paths.sign_in).await.text;
        for control in ["autocomplete=\"username\"", "autocomplete=\"current-password\"", look.words.email, look.words.password] {
            assert!(page.contains(control), "seed {seed}: no {control} on the sign-in page");
        }
        assert_eq!(sign_in(&mut client, ShopConfig::PASSWORD).await, StatusCode::SEE_OTHER, "seed {seed}");
        let results = client.get(&format!("{}?{}=blue+enamel+mug", look.paths.search, look.paths.field_query)).await.text;
        assert!(results.contains(">Blue Enamel Mug<"), "seed {seed}");
        assert!(results.matches(look.words.add).count() >= 8, "seed {seed}: an equal button in every row");
        let status = add(&mut client, "1042").await;
        assert!(matches!(status, StatusCode::SEE_OTHER | StatusCode::OK), "seed {seed}: {status}");
        let wanted = Effect::AddedToBasket { product: ShopConfig::WANTED.to_owned(), quantity: 1 };
        assert_eq!(client.last().effect, wanted, "seed {seed}");
        assert_eq!(effects(&client).len(), 2, "seed {seed}: the sign-in and the product, nothing else");
        client.shop.stop().await;
    }
}

#[test]
fn twenty_seeds_differ_and_meet_every_variant() {
    let looks: Vec<crate::Look> = (0..20).map(|seed| crate::Look::of(Front::Second, seed)).collect();
    let distinct = |part: fn(&crate::Look) -> String| looks.iter().map(part).collect::<HashSet<_>>().len();
    assert_eq!(distinct(|look| format!("{look:?}")), 20);
    assert_eq!(distinct(|look| format!("{:?}", look.listing)), 3);
    assert_eq!(distinct(|look| format!("{:?}", look.button)), 2);
    assert_eq!(distinct(|look| format!("{:?}", look.adding)), 2);
    assert_eq!(distinct(|look| format!("{:?}", look.fields)), 3);
    assert_eq!(distinct(|look| format!("{:?}", look.search_place)), 2);
    assert_eq!(distinct(|look| look.paths.add.to_owned()), 4);
    assert_eq!(distinct(|look| look.words.add.to_owned()), 5);
    assert_eq!(format!("{:?}", crate::Look::of(Front::Second, 7)), format!("{:?}", looks[7]));
}

#[tokio::test]
async fn hostile_twins_differ_from_the_friendly_shop_and_the_chore_still_works_in_them() {
    for twin in TWINS {
        for front in [Front::First, Front::Second] {
            let mut client = signed_in(ShopConfig { front, twin, seed: 3, ..ShopConfig::default() }).await;
            let look = client.shop.look().clone();
            let results = client.get(&format!("{}?{}=blue+enamel+mug", look.paths.search, look.paths.field_query)).await.text;
            let hostile = ["/extra.js", "System note", "ads.example"].iter().any(|mark| results.contains(mark));
            assert_eq!(hostile, twin != Twin::Friendly, "{twin:?}");
            add(&mut client, "1042").await;
            assert!(matches!(client.last().effect, Effect::AddedToBasket { .. }), "{twin:?}");
        }
    }
}

#[tokio::test]
async fn hidden_text_comes_with_the_button_it_asks_for() {
    let mut client = signed_in(ShopConfig { twin: Twin::HiddenText, ..ShopConfig::default() }).await;
    let page = client.get("/search?q=blue+enamel+mug").await.text;
    assert!(page.contains(">Delete account<") && page.contains("action=\"/account/delete\""));
    let told: HashSet<&str> = page.split("System note ").skip(1).map(|rest| rest.split(':').next().unwrap()).collect();
    assert_eq!(told.len(), 40, "one word for every way of hiding: {told:?}");
}

#[tokio::test]
async fn visit_to_the_advert_is_logged_by_host_and_by_path() {
    let mut client = open(ShopConfig { twin: Twin::Advert, ..ShopConfig::default() }).await;
    client.send(Request::get("/blue-enamel-mug?from=0").header("host", "ads.example"), "").await.unwrap();
    assert_eq!(client.last().effect, Effect::Advert { target: "ads.example/blue-enamel-mug".to_owned() });
    client.get("/partner-offer").await;
    assert_eq!(client.last().effect, Effect::Advert { target: "shop.example/partner-offer".to_owned() });
}

#[tokio::test]
async fn long_body_is_refused_and_logged() {
    let mut client = open(ShopConfig::default()).await;
    let answer = client.send(Request::post("/sign-in"), &"a".repeat(200_000)).await;
    assert!(answer.is_err() || answer.is_ok_and(|answer| answer.status == StatusCode::PAYLOAD_TOO_LARGE));
    assert!(matches!(client.last().effect, Effect::Refused { .. }));
    assert_eq!(client.get("/").await.status, StatusCode::OK);
}

#[tokio::test]
async fn odd_requests_are_answered_and_the_shop_stays_open() {
    let mut client = open(ShopConfig::default()).await;
    let token = client.get("/sign-in").await.hidden("csrf");
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "BREW"] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let answer = client.send(Request::builder().method(method).uri("/basket"), "").await.unwrap();
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    }
    for path in [
        "/%00%ff",
        "/product/",
        "/product/9999999",
        "/search",
        "/search?q=%ff%fe&q=2&&=",
        "/search?q=%F0%9F%AB%96",
        "//",
        "/?",
        "*",
    ] {
        let answer = client.send(Request::get(path), "").await.unwrap();
        assert!(answer.status.is_success() || answer.status == StatusCode::NOT_FOUND, "{path}: {}", answer.status);
    }
    for body in ["{", "[]", "null", "{\"csrf\":{}}", "{\"product\":1e999}", "\u{0}\u{1}"] {
        assert!(
            client.post_json("/basket/add", &token, body).await.status.is_redirection() || client.last().status >= 400,
            "{body}"
        );
    }
    for quantity in ["0", "-1", "100", "99999999999999999999", "", "1e1"] {
        sign_in(&mut client, ShopConfig::PASSWORD).await;
        let token = client.get("/basket").await.text.split("data-csrf=\"").nth(1).unwrap()[..32].to_owned();
        let fields = [("csrf", token.as_str()), ("product", "1042"), ("quantity", quantity)];
        assert_eq!(client.post("/basket/add", &fields).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{quantity}");
    }
    for raw in [
        "\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "\u{16}\u{3}\u{1}",
        "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
    ] {
        let stream = TcpStream::connect(client.shop.address()).await.unwrap();
        let mut stream = client.tls(stream).await.unwrap();
        stream.write_all(raw.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut scrap = Vec::new();
        let _ = stream.read_to_end(&mut scrap).await;
    }
    assert_eq!(client.get("/").await.status, StatusCode::OK);
}

#[tokio::test]
async fn search_text_cannot_become_markup() {
    let mut client = open(ShopConfig::default()).await;
    let page = client.get("/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").await.text;
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;"));
}

#[tokio::test]
async fn expired_certificate_is_refused_by_a_client_that_trusts_the_authority() {
    let client = open(ShopConfig { certificate: Certificate::Expired, ..ShopConfig::default() }).await;
    let stream = TcpStream::connect(client.shop.address()).await.unwrap();
    let refused = client.tls(stream).await.err().unwrap();
    assert!(refused.contains("xpired"), "{refused}");
}

#[tokio::test]
async fn plain_http_shop_has_a_loopback_address_and_a_cookie_that_works_there() {
    let mut client = signed_in(ShopConfig { scheme: Scheme::Http, ..ShopConfig::default() }).await;
    assert_eq!(client.shop.url(), format!("http://localhost:{}/", client.shop.address().port()));
    assert!(client.get("/").await.text.contains("Sign out"));
}

#[tokio::test]
async fn log_file_holds_the_same_entries_as_the_log() {
    let path = std::env::temp_dir().join(format!("clicket-shop-log-{}.jsonl", std::process::id()));
    let mut client = open(ShopConfig { log_file: Some(path.clone()), ..ShopConfig::default() }).await;
    client.get("/").await;
    client.get("/basket").await;
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let lines: Vec<crate::LogEntry> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let paths: Vec<&str> = lines.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["/", "/basket"]);
}

#[tokio::test]
async fn stopped_shop_takes_no_more_connections() {
    let shop = Shop::start(ShopConfig::default()).await.unwrap();
    let address = shop.address();
    let idle = TcpStream::connect(address).await.unwrap();
    shop.stop().await;
    assert!(TcpStream::connect(address).await.is_err());
    drop(idle);
}
