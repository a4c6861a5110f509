use super::*;

async fn read(bytes: &[u8], sender: Sender) -> Result<Frame, FrameFault> {
    read_frame(&mut &bytes[..], sender, 1_000).await
}

#[tokio::test]
async fn a_frame_is_read_whole_and_its_bytes_are_kept() {
    let text = [0x81, 0x85, 1, 2, 3, 4, b'h' ^ 1, b'e' ^ 2, b'l' ^ 3, b'l' ^ 4, b'o' ^ 1];
    let frame = read(&text, Sender::Page).await.unwrap();
    assert_eq!(
        (frame.kind, frame.is_last, frame.payload().as_slice(), frame.bytes()),
        (Kind::Text, true, &b"hello"[..], &text[..])
    );
    let mut long = vec![0x02, 126, 1, 0];
    long.extend([7; 256]);
    let frame = read(&long, Sender::Origin).await.unwrap();
    assert_eq!((frame.kind, frame.is_last, frame.payload().len()), (Kind::Binary, false, 256));
}

#[tokio::test]
async fn what_is_no_frame_is_not_read() {
    let faults = [
        (&[][..], Sender::Origin, FrameFault::Ended),
        (&[0x81][..], Sender::Origin, FrameFault::Broken),
        (&[0x81, 3, 1][..], Sender::Origin, FrameFault::Broken),
        (&[0xc1, 0][..], Sender::Origin, FrameFault::Malformed),
        (&[0x83, 0][..], Sender::Origin, FrameFault::Malformed),
        (&[0x81, 0][..], Sender::Page, FrameFault::Malformed),
        (&[0x81, 0x80, 0, 0, 0, 0][..], Sender::Origin, FrameFault::Malformed),
        (&[0x09, 0][..], Sender::Origin, FrameFault::Malformed),
        (&[0x89, 126, 1, 0][..], Sender::Origin, FrameFault::Malformed),
        (&[0x82, 126, 0xff, 0xff][..], Sender::Origin, FrameFault::TooBig),
        (&[0x82, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff][..], Sender::Origin, FrameFault::TooBig),
    ];
    for (bytes, sender, fault) in faults {
        assert_eq!(read(bytes, sender).await.err(), Some(fault), "{bytes:?}");
    }
}
