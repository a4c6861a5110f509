use super::*;

fn frames(stream: &[u8], chunk: usize) -> Result<Vec<Vec<u8>>, TooLarge> {
    let mut framer = Framer::new(64);
    let mut whole = Vec::new();
    for piece in stream.chunks(chunk) {
        framer.push(piece, |message| whole.push(message.to_vec()))?;
    }
    Ok(whole)
}

#[test]
fn messages_come_out_alike_whatever_the_chunks() {
    let stream = b"{\"id\":1}\0\0garbage \xff\xfe\0last\0unfinished";
    let wanted: Vec<Vec<u8>> = vec![b"{\"id\":1}".to_vec(), vec![], b"garbage \xff\xfe".to_vec(), b"last".to_vec()];
    for chunk in 1..=stream.len() {
        assert_eq!(frames(stream, chunk), Ok(wanted.clone()), "chunk {chunk}");
    }
}

#[test]
fn a_message_without_end_is_refused_at_the_cap() {
    for chunk in [1, 7, 64, 65, 1_000] {
        assert_eq!(frames(&[b'x'; 1_000], chunk), Err(TooLarge), "chunk {chunk}");
    }
    let mut late = vec![b'x'; 65];
    late.push(0);
    assert_eq!(frames(&late, 1_000), Err(TooLarge));
}

#[tokio::test]
async fn a_pipe_that_ends_says_that_the_browser_exited() {
    let (from, to) = std::io::pipe().unwrap();
    drop(to);
    assert_eq!(read_messages(from.into(), 64, |_| ()).await, GoneWhy::Exited);
}
