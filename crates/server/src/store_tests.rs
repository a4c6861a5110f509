use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

#[test]
fn a_token_works_once_and_is_remembered_as_used() {
    let store = Store::default();
    let now = Instant::now();
    let token = store.put("page", now + TOKEN_MS);
    assert_eq!(token.len(), 43);
    assert_eq!(store.take(&token, now).unwrap(), "page");
    let again = store.take(&token, now).unwrap_err();
    assert_eq!((again.code, again.error.as_str()), (Code::InvalidToken, "this token was used"));
}

#[test]
fn a_token_that_ran_out_says_so_whoever_notices_first() {
    let store = Store::default();
    let now = Instant::now();
    let (late, swept) = (store.put(1, now + TOKEN_MS), store.put(2, now + TOKEN_MS));
    assert_eq!(store.take(&late, now + TOKEN_MS).unwrap_err().code, Code::ExpiredToken);
    assert_eq!(store.expire(&swept), Some(2));
    for token in [&late, &swept] {
        assert_eq!(store.take(token, now).unwrap_err().code, Code::ExpiredToken);
    }
    assert_eq!(store.take(&"x".repeat(43), now).unwrap_err().code, Code::InvalidToken);
}

#[test]
fn of_a_hundred_thousand_who_race_for_one_token_one_wins() {
    let store = Store::default();
    let now = Instant::now();
    let token = store.put((), now + TOKEN_MS);
    let won = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                for _ in 0..10_000 {
                    if store.take(&token, now).is_ok() {
                        won.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(won.into_inner(), 1);
}

#[test]
fn what_is_remembered_of_ended_tokens_is_bounded() {
    let store = Store::default();
    let now = Instant::now();
    for _ in 0..TOMBSTONES_MAX + 10 {
        let token = store.put((), now + TOKEN_MS);
        store.take(&token, now).unwrap();
    }
    assert_eq!(store.lock().ended.len(), TOMBSTONES_MAX);
}
