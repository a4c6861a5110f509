use super::*;

#[test]
fn after_three_failures_in_a_row_the_server_rests_and_then_one_call_tries_it() {
    let breaker = Breaker::default();
    let start = Instant::now();
    for _ in 0..2 {
        breaker.failed(start);
        assert!(breaker.admit(start).is_ok());
    }
    breaker.succeeded();
    for _ in 0..FAILURES_MAX {
        assert!(breaker.admit(start).is_ok());
        breaker.failed(start);
    }
    let resting = breaker.admit(start + Duration::from_secs(1)).err().unwrap();
    assert_eq!((resting.failures, resting.wait), (3, Duration::from_secs(29)));
    let later = start + REST;
    assert!(breaker.admit(later).is_ok(), "one tries");
    assert!(breaker.admit(later).is_err(), "and only one");
    breaker.failed(later);
    assert!(breaker.admit(later + Duration::from_secs(29)).is_err());
    assert!(breaker.admit(later + REST).is_ok());
    breaker.succeeded();
    assert!(breaker.admit(later + REST).is_ok() && breaker.admit(later + REST).is_ok());
}
