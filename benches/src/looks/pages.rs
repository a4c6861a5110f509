//! Generated pages: what ordinary ones are made of, in any number of elements.

use std::fmt::Write as _;

/// Name of the button that is pressed; how often it was pressed stands in `#said`.
pub(crate) const PRESSED: &str = "Press me";

const STYLE: &str = "body{font:14px sans-serif;margin:8px}ul{display:flex;flex-wrap:wrap;gap:8px;list-style:none}.card{border:1px solid #ccc;\
border-radius:8px;overflow:hidden;padding:8px;width:240px}.cards{display:grid;grid-template-columns:repeat(4,1fr);gap:8px}\
.body{display:flex;gap:4px}label{display:block}td{padding:4px}";

const HEAD: &str = "<!doctype html><html lang=en><title>Many</title>";

/// The button that is pressed, and the word that it was.
const TARGET: &str = "<header><h1>Many things</h1><button id=target onclick=\"said.textContent=++pressed\">Press me</button><output id=said>0</output></header>\
<script>var pressed=0</script>";

/// Navigation lists, forms, tables, nested cards, links and buttons in turn, about `elements` elements.
pub(crate) fn mixed(elements: usize) -> String {
    page(elements, &[navigation, form, table, cards])
}

/// A grid of cards that clip what they hold: the dearest page of those that were measured.
pub(crate) fn grid(elements: usize) -> String {
    page(elements, &[cards])
}

/// One long table whose rows have a link and a button each.
pub(crate) fn rows(elements: usize) -> String {
    page(elements, &[table])
}

fn page(elements: usize, blocks: &[fn(usize) -> String]) -> String {
    let mut html = format!("{HEAD}<style>{STYLE}</style>{TARGET}<main>");
    let mut count = opened(&html);
    for (n, block) in blocks.iter().cycle().enumerate() {
        let next = block(n);
        count += opened(&next);
        if count > elements {
            break;
        }
        html.push_str(&next);
    }
    html.push_str("</main>");
    html
}

/// How many elements a piece of this file's markup opens.
fn opened(html: &str) -> usize {
    html.as_bytes().windows(2).filter(|pair| pair[0] == b'<' && pair[1].is_ascii_alphabetic()).count()
}

fn navigation(n: usize) -> String {
    let mut html = format!("<nav aria-label='Part {n}'><ul>");
    for item in 0..6 {
        let _ = write!(html, "<li><a href=/part/{n}/{item}>Item {n} {item}</a></li>");
    }
    html + "</ul></nav>"
}

fn form(n: usize) -> String {
    let mut html = format!("<section><h2>Form {n}</h2><form action=/send/{n} method=post>");
    for field in ["First name", "Last name", "E-mail"] {
        let _ = write!(html, "<label>{field} <input name='{field}'></label>");
    }
    html + "<label>Size <select name=size><option>Small<option>Large</select></label><label><input type=checkbox name=gift> Gift</label><button>Send</button></form></section>"
}

fn table(n: usize) -> String {
    let mut html =
        format!("<section><h2>Table {n}</h2><table><thead><tr><th>Name<th>Price<th>Open<th>Remove</tr></thead><tbody>");
    for row in 0..10 {
        let _ = write!(
            html,
            "<tr><td>Thing {n} {row}</td><td><span>{}</span> <b>EUR</b></td><td><a href=/thing/{n}/{row}>Open</a></td><td><button type=button>Remove</button></td></tr>",
            (n * 31 + row * 7) % 1_000
        );
    }
    html + "</tbody></table></section>"
}

fn cards(n: usize) -> String {
    let mut html = format!("<section class=cards><h2>Cards {n}</h2>");
    for card in 0..4 {
        let _ = write!(
            html,
            "<article class=card><div class=top><h3>Card {n} {card}</h3><span>new</span></div><div class=body><div><div><p>Some words on <em>thing {card}</em> of {n}.</p></div></div><a href=/card/{n}/{card}>More</a></div><div><button type=button>Keep</button><button type=button>Share</button></div></article>"
        );
    }
    html + "</section>"
}
