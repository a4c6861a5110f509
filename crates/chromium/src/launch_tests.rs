use super::*;

#[test]
fn root_never_runs_the_browser_as_itself() {
    let root = Uid::from_raw(0);
    assert!(matches!(run_as(&Sandbox::AsSelf, root), Err(LaunchError::RootNeedsUser)));
    let named = Sandbox::AsUser { name: "root".to_owned() };
    assert!(matches!(run_as(&named, root), Err(LaunchError::RootNeedsUser)));
}

#[test]
fn a_missing_user_says_how_to_make_one() {
    let named = Sandbox::AsUser { name: "nobody-of-this-name".to_owned() };
    let text = run_as(&named, Uid::from_raw(0)).unwrap_err().to_string();
    assert!(text.contains("useradd --system"), "{text}");
}

#[test]
fn the_environment_carries_no_token_and_no_proxy() {
    let profile = Profile::make(None, None).unwrap();
    let names: Vec<String> = environment(Headed::No, &profile).into_iter().map(|(name, _)| name).collect();
    for name in &names {
        assert!(!name.to_lowercase().contains("proxy") && !name.contains("TOKEN") && !name.contains("KEY"), "{name}");
    }
    assert!(names.len() <= 8);
}

#[tokio::test]
async fn the_dead_port_refuses_every_connection() {
    let held = DeadPort::take().unwrap();
    let error = tokio::net::TcpStream::connect(held.address).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
}
