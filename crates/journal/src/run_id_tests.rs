use super::RunId;

const NONCE: [u8; 8] = [0x1a, 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x70, 0x81];

#[test]
fn a_run_is_named_by_its_utc_second_and_nonce() {
    let cases = [
        (0, "19700101T000000"),
        (951_782_400_000, "20000229T000000"),
        (1_709_251_199_999, "20240229T235959"),
        (1_796_037_753_456, "20261130T112233"),
        (4_107_542_399_000, "21000228T235959"),
        (u64::MAX, "99991231T235959"),
    ];
    for (at_unix_ms, instant) in cases {
        assert_eq!(RunId::new(at_unix_ms, NONCE).to_string(), format!("{instant}-1a2b3c4d5e6f7081"));
    }
}

#[test]
fn a_name_read_back_is_the_run_for_every_day_until_2200() {
    for day in 0..84_000_u64 {
        let run = RunId::new(day * 86_400_000 + day * 997 % 86_400_000, NONCE);
        assert_eq!(run.to_string().parse(), Ok(run));
    }
}

#[test]
fn names_sort_as_their_start_times_do() {
    let mut runs: Vec<RunId> = (0..500_u64).map(|n| RunId::new(n * 77_777_777_777 % 9_000_000_000_000, NONCE)).collect();
    let mut names: Vec<String> = runs.iter().map(RunId::to_string).collect();
    runs.sort();
    names.sort();
    assert_eq!(names, runs.iter().map(RunId::to_string).collect::<Vec<_>>());
}

#[test]
fn what_is_not_exactly_a_name_is_refused() {
    let wrong = [
        "",
        "20261130T112233",
        "20261130T112233-",
        "20261130T112233-1A2B3C4D5E6F7081",
        "20261130t112233-1a2b3c4d5e6f7081",
        "20261130T112233-1a2b3c4d5e6f70811",
        "20261131T112233-1a2b3c4d5e6f7081",
        "20250229T112233-1a2b3c4d5e6f7081",
        "20261330T112233-1a2b3c4d5e6f7081",
        "20260030T112233-1a2b3c4d5e6f7081",
        "20261130T240000-1a2b3c4d5e6f7081",
        "20261130T116033-1a2b3c4d5e6f7081",
        "20261130T112260-1a2b3c4d5e6f7081",
        "19691231T235959-1a2b3c4d5e6f7081",
        "120261130T112233-1a2b3c4d5e6f7081",
        "20261130T1122330-1a2b3c4d5e6f7081",
        "2026+130T112233-1a2b3c4d5e6f7081",
        "../20261130T112233-1a2b3c4d5e6f7081",
        "20261130T112233-1a2b3c4d5e6f7081\n",
        "2026113éT112233-1a2b3c4d5e6f7081",
    ];
    for text in wrong {
        assert!(text.parse::<RunId>().is_err(), "{text:?}");
    }
}
