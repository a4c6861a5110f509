use super::*;

fn world(session: &str, unique_id: &str) -> World {
    World { session: session.to_owned(), id: 1, unique_id: unique_id.to_owned() }
}

#[test]
fn frames_of_another_origin_or_process_are_foreign_and_others_are_not() {
    let mut foreign = Foreign::default();
    foreign.on_page_world("http://page.test");
    foreign.on_world("same", "http://page.test", world("S", "1"));
    foreign.on_world("sibling", "http://sub.page.test", world("S", "2"));
    foreign.on_world("process", "http://page.test", world("F", "3"));
    let mut ids: Vec<String> = foreign.worlds("S").into_iter().map(|world| world.unique_id).collect();
    ids.sort();
    assert_eq!(ids, ["2", "3"]);
}

#[test]
fn a_document_is_forgotten_with_its_world_its_session_and_its_successor() {
    let mut foreign = Foreign::default();
    foreign.on_world("A", "://", world("F", "1"));
    foreign.on_world("A", "://", world("F", "2"));
    assert!(!foreign.holds(&world("F", "1")) && foreign.holds(&world("F", "2")));
    foreign.on_world_gone("2");
    assert_eq!(foreign.world("A"), None);
    foreign.on_session("F");
    foreign.on_world("A", "://", world("F", "3"));
    foreign.on_session_gone("F");
    assert!(!foreign.knows("F") && foreign.world("A").is_none());
}

#[test]
fn a_page_without_end_of_frames_fills_no_memory() {
    let mut foreign = Foreign::default();
    for number in 0..10 * FRAMES_KNOWN_MAX {
        let name = number.to_string();
        foreign.on_session(&name);
        foreign.on_asked(&name);
        foreign.on_world(&name, "://", world(&name, &name));
    }
    assert!(foreign.worlds("S").len() <= FRAMES_KNOWN_MAX && foreign.sessions.len() <= FRAMES_KNOWN_MAX);
    assert_eq!(foreign.asked_anywhere(), u64::try_from(FRAMES_KNOWN_MAX).unwrap());
}
