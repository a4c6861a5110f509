//! A site that does not let an automated browser in is named, whenever it happens, and nothing is tried on it.

use crate::page_server::{Got, PageServer, Reply, html};

const PAGE: &str =
    "<!doctype html><title>Shop</title><h1>Shop</h1><a href=\"/list\">See the list</a> <a href=\"/staff\">Staff room</a>";

fn site(got: &Got) -> Reply {
    match got.path.as_str() {
        "/list" => Reply {
            head: "403 Forbidden\r\ncontent-type: text/html\r\ncf-mitigated: challenge".into(),
            body: b"<h1>Just a moment</h1><button>Verify</button>".to_vec(),
        },
        "/staff" => Reply {
            head: "401 Unauthorized\r\ncontent-type: text/html\r\nwww-authenticate: Basic realm=\"staff\"".into(),
            body: b"<h1>Who are you</h1><button>Again</button>".to_vec(),
        },
        _ => html(PAGE),
    }
}

#[test]
fn a_wall_at_a_later_step_ends_the_run_with_its_name() {
    for (goal, said) in [("Press See the list", "Cloudflare"), ("Press Staff room", "HTTP authentication")] {
        let server = PageServer::start(site);
        let (code, report, all) = server.run(goal, &["--expect-text", "never there"]);
        assert_eq!((code, report["reason"]["reason"].as_str()), (3, Some("blocked_by_site")), "{all}");
        assert!(report["reason"]["detail"].as_str().unwrap().contains(said), "{all}");
        assert_eq!(report["steps"].as_array().unwrap().len(), 1, "{all}");
    }
}
