use super::*;

#[test]
fn the_steady_clock_counts_what_the_machine_slept_too() {
    let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
    let seconds: f64 = uptime.split_whitespace().next().unwrap().parse().unwrap();
    assert!((since_boot().as_secs_f64() - seconds).abs() < 1.0, "{:?} against {seconds} s", since_boot());
}

#[test]
fn the_steady_clock_goes_forward() {
    let clock = Clock::start();
    let first = clock.elapsed_ms();
    std::thread::sleep(Duration::from_millis(20));
    assert!(clock.elapsed_ms() >= first + 15);
}
