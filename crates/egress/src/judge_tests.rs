use clicket_guard::address::HostRules;
use clicket_guard::reach::{Profile, Reach};
use clicket_guard::web::{Origin, WebUrl};
use tokio::sync::mpsc;

use super::{Stop, judged_addresses};
use crate::edge::{Documents, EdgeConfig, assemble};
use crate::limits::EdgeLimits;
use crate::record::RefuseReason;
use crate::resolve::ResolverChoice;

#[path = "../tests/road/two_faces.rs"]
mod two_faces;

use two_faces::{TwoFacedResolver, ips};

#[tokio::test]
async fn what_is_judged_is_what_was_answered_whatever_is_answered_next() {
    let resolver = TwoFacedResolver::says(|number| {
        Ok(if number % 2 == 0 { ips(&["1.1.1.1", "2606:4700::1"]) } else { ips(&["127.0.0.1"]) })
    })
    .await;
    let config = EdgeConfig {
        documents: Documents::Any,
        reach: Reach::new(Profile::Site, &WebUrl::read("https://shop.example/").unwrap(), vec![], vec![], vec![]).unwrap(),
        blind: crate::blind::BlindTo::Origins(Vec::new()),
        grants: Vec::new(),
        host_rules: HostRules::default(),
        extra_roots_pem: Vec::new(),
        downloads: None,
        resolver: ResolverChoice::Servers(vec![resolver.address]),
        limits: EdgeLimits::default(),
    };
    let shared = assemble(config, mpsc::channel(1).0).unwrap();
    let origin = Origin::read("https://shop.example").unwrap();
    for trial in 0..200 {
        let judged = judged_addresses(&shared, &origin).await;
        if trial % 2 == 0 {
            let sockets: Vec<String> = judged.unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(sockets, ["1.1.1.1:443", "[2606:4700::1]:443"], "trial {trial}");
        } else {
            assert!(matches!(judged, Err(Stop::Refused(RefuseReason::Address, _))), "trial {trial}");
        }
    }
}
