use super::*;
use crate::unshare::enter_as_root;

#[test]
fn a_thread_in_a_namespace_of_its_own_has_loopback_and_reaches_nothing_outside() {
    let outside = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = outside.local_addr().unwrap();
    let work = std::thread::spawn(move || match enter_as_root() {
        Ok(inside) => {
            std::net::TcpStream::connect(inside.listener.local_addr().unwrap()).unwrap();
            let dead = std::net::TcpStream::connect(inside.dead.address).unwrap_err();
            assert_eq!(dead.kind(), io::ErrorKind::ConnectionRefused);
            Some(std::net::TcpStream::connect(address).unwrap_err().kind())
        }
        Err(why) => {
            assert!(!nix::unistd::geteuid().is_root(), "{why}");
            None
        }
    });
    if let Some(met) = work.join().unwrap() {
        assert_eq!(met, io::ErrorKind::ConnectionRefused);
    }
}

#[test]
fn a_process_with_a_way_out_is_not_taken_for_an_empty_one() {
    let ways: usize = std::fs::read_to_string("/proc/self/net/dev").unwrap().lines().skip(2).count();
    assert_eq!(check_empty(std::process::id()).is_ok(), ways <= 1);
}

#[test]
fn a_process_that_is_not_there_is_not_taken_for_an_empty_one() {
    assert!(check_empty(u32::MAX).is_err());
}
