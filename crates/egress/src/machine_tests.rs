use clicket_guard::address::{HostRules, Refusal, judge};

use super::{add_to, gateways_v4, gateways_v6};

#[test]
fn this_machines_own_addresses_are_known() {
    let mut rules = HostRules::default();
    add_to(&mut rules);
    assert!(rules.own_addresses.iter().any(|ip| ip.is_loopback()));
}

#[test]
fn gateways_are_read_from_the_route_tables_and_refused() {
    let v4 = "Iface\tDestination\tGateway\tFlags\neth0\t00000000\t08080808\t0003\neth0\t0000A8C0\t00000000\t0001\nodd\n\n";
    let zero = "0".repeat(32);
    let v6 = format!(
        "{zero} 00 {zero} 00 26064700000000000000000000000001 00000400 0 0 3 eth0\n{zero} 00 {zero} 00 {zero} 0 0 0 1 lo\nodd\n"
    );
    let gateways = [gateways_v4(v4), gateways_v6(&v6)].concat();
    assert_eq!(gateways.iter().map(ToString::to_string).collect::<Vec<_>>(), ["8.8.8.8", "2606:4700::1"]);
    let rules = HostRules { infrastructure: gateways.clone(), ..HostRules::default() };
    for ip in gateways {
        assert_eq!(judge(&[ip], 443, &rules).unwrap_err(), Refusal::Infrastructure { ip });
    }
}
