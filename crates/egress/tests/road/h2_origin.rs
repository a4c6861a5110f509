//! An origin that speaks HTTP/2 frame by frame, so that it can do what a library would not.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};

use rustls::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const PREFACE_BYTES: usize = 24;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
pub const REFUSED_STREAM: u32 = 7;
pub const CANCEL: u32 = 8;
pub const HTTP_1_1_REQUIRED: u32 = 13;

/// What the origin does with a request.
#[derive(Clone)]
pub enum Frames {
    Answers,
    /// The first request of each connection is answered, the others are reset with this code.
    ResetsAllButFirst(u32),
    Resets(u32),
    /// Says that nothing of it was looked at, and closes.
    GoesAway,
    /// Answers the first request, then says that nothing further is looked at, and closes.
    AnswersAndGoesAway,
    /// Leaves no room for a body and never answers.
    NoWindow,
    /// Answers with these headers, each as long as said.
    ManyHeaders {
        count: usize,
        bytes: usize,
    },
    /// A head that never ends.
    EndlessHead,
    /// Provisional answers without end.
    EndlessEarly,
    /// A body without end.
    EndlessBody,
    /// A head and no body.
    Stalls,
    /// Answers and then asks for a sign of life, for ever.
    Pings,
    /// Answers with this status.
    Status(&'static str),
    NeverAnswers,
}

/// What was seen of the other side.
#[derive(Default)]
pub struct Seen {
    pub connections: AtomicUsize,
    /// Streams that were opened, over all connections.
    pub requests: AtomicUsize,
    /// Bytes that the other side took.
    pub taken: AtomicU64,
    /// Connections that ended.
    pub ended: AtomicUsize,
    /// Bytes of request bodies.
    pub body_bytes: AtomicUsize,
}

pub struct H2Origin {
    pub address: SocketAddr,
    pub seen: Arc<Seen>,
}

impl H2Origin {
    pub async fn open(config: Arc<ServerConfig>, frames: Frames) -> Self {
        let acceptor = TlsAcceptor::from(offering_h2(&config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let seen = Arc::clone(&origin.seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, frames, seen) = (acceptor.clone(), frames.clone(), Arc::clone(&seen));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    seen.connections.fetch_add(1, SeqCst);
                    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                        // How it ended is what a test asks about.
                        let _ = Wire { stream, seen: Arc::clone(&seen), window: 65_535 }.serve(&frames).await;
                    } else {
                        speak_http1(stream, &seen).await;
                    }
                    seen.ended.fetch_add(1, SeqCst);
                });
            }
        });
        origin
    }

    pub fn requests(&self) -> usize {
        self.seen.requests.load(SeqCst)
    }

    pub fn connections(&self) -> usize {
        self.seen.connections.load(SeqCst)
    }
}

pub fn offering_h2(config: &ServerConfig) -> Arc<ServerConfig> {
    let mut config = config.clone();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Arc::new(config)
}

async fn speak_http1(mut stream: TlsStream<TcpStream>, seen: &Seen) {
    let mut bytes = [0; 4_096];
    while stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {
        seen.requests.fetch_add(1, SeqCst);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 3\r\n\r\nold").await;
    }
}

struct Wire {
    stream: TlsStream<TcpStream>,
    seen: Arc<Seen>,
    /// What a new stream may send before it is given more.
    window: i64,
}

struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Wire {
    async fn serve(&mut self, frames: &Frames) -> std::io::Result<()> {
        self.stream.read_exact(&mut [0; PREFACE_BYTES]).await?;
        let no_window = [0, 4, 0, 0, 0, 0];
        let settings: &[u8] = if matches!(frames, Frames::NoWindow) { &no_window } else { &[] };
        self.write(SETTINGS, 0, 0, settings).await?;
        let mut requests = 0;
        loop {
            let frame = self.read().await?;
            match frame.kind {
                HEADERS => {
                    self.seen.requests.fetch_add(1, SeqCst);
                    self.answer(frames, frame.stream, requests).await?;
                    requests += 1;
                }
                SETTINGS if frame.flags & 1 == 0 => {
                    for setting in frame.payload.chunks(6).filter(|setting| setting[..2] == [0, 4]) {
                        self.window = i64::from(u32::from_be_bytes(setting[2..].try_into().unwrap()));
                    }
                    self.write(SETTINGS, 1, 0, &[]).await?;
                }
                PING if frame.flags & 1 == 0 => self.write(PING, 1, 0, &frame.payload).await?,
                DATA => {
                    self.seen.body_bytes.fetch_add(frame.payload.len(), SeqCst);
                }
                GOAWAY => return Ok(()),
                _ => {}
            }
        }
    }

    async fn answer(&mut self, frames: &Frames, stream: u32, number: usize) -> std::io::Result<()> {
        match frames {
            Frames::Answers => self.ok(stream).await,
            Frames::ResetsAllButFirst(_) | Frames::AnswersAndGoesAway if number == 0 => self.ok(stream).await,
            Frames::ResetsAllButFirst(code) | Frames::Resets(code) => self.write(RESET, 0, stream, &code.to_be_bytes()).await,
            Frames::GoesAway | Frames::AnswersAndGoesAway => {
                self.write(GOAWAY, 0, 0, &[0; 8]).await?;
                self.stream.shutdown().await?;
                Err(std::io::ErrorKind::ConnectionAborted.into())
            }
            Frames::NoWindow | Frames::NeverAnswers => Ok(()),
            Frames::ManyHeaders { count, bytes } => self.many_headers(stream, *count, *bytes).await,
            Frames::EndlessHead => {
                self.write(HEADERS, 0, stream, &[0x88]).await?;
                let piece = literal("x", "y").repeat(500);
                loop {
                    self.write(CONTINUATION, 0, stream, &piece).await?;
                }
            }
            Frames::EndlessEarly => {
                let early = [literal(":status", "103"), literal("link", "</a>; rel=preload")].concat();
                loop {
                    self.write(HEADERS, END_HEADERS, stream, &early).await?;
                }
            }
            Frames::EndlessBody => self.endless_body(stream).await,
            Frames::Stalls => self.write(HEADERS, END_HEADERS, stream, &html()).await,
            Frames::Pings => {
                self.ok(stream).await?;
                loop {
                    self.write(PING, 0, 0, &[7; 8]).await?;
                }
            }
            Frames::Status(status) => self.write(HEADERS, END_HEADERS | END_STREAM, stream, &literal(":status", status)).await,
        }
    }

    async fn ok(&mut self, stream: u32) -> std::io::Result<()> {
        self.write(HEADERS, END_HEADERS, stream, &html()).await?;
        self.write(DATA, END_STREAM, stream, b"new").await
    }

    async fn many_headers(&mut self, stream: u32, count: usize, bytes: usize) -> std::io::Result<()> {
        let value = "v".repeat(bytes);
        let block: Vec<u8> = (0..count).fold(html(), |mut block, number| {
            block.extend(literal(&format!("x-{number}"), &value));
            block
        });
        let mut pieces = block.chunks(16_000).peekable();
        let mut kind = HEADERS;
        while let Some(piece) = pieces.next() {
            let last = if pieces.peek().is_none() { END_HEADERS } else { 0 };
            let ends = if kind == HEADERS { END_STREAM } else { 0 };
            self.write(kind, last | ends, stream, piece).await?;
            kind = CONTINUATION;
        }
        Ok(())
    }

    /// Keeps to the windows that the edge gives.
    async fn endless_body(&mut self, stream: u32) -> std::io::Result<()> {
        self.write(HEADERS, END_HEADERS, stream, &html()).await?;
        let mut room = self.window;
        loop {
            while room < 16_384 {
                let frame = self.read().await?;
                if frame.kind == RESET || frame.kind == GOAWAY {
                    return Err(std::io::ErrorKind::ConnectionAborted.into());
                }
                if frame.kind == 8 && frame.stream == stream {
                    room += i64::from(u32::from_be_bytes(frame.payload[..4].try_into().unwrap()));
                }
            }
            self.write(DATA, 0, stream, &[0; 16_384]).await?;
            room -= 16_384;
        }
    }

    async fn read(&mut self) -> std::io::Result<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).await?;
        let mut payload = vec![0; usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2])];
        self.stream.read_exact(&mut payload).await?;
        let stream = u32::from_be_bytes([head[5] & 0x7f, head[6], head[7], head[8]]);
        Ok(Frame { kind: head[3], flags: head[4], stream, payload })
    }

    async fn write(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> std::io::Result<()> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut frame = vec![length[1], length[2], length[3], kind, flags];
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        self.stream.write_all(&frame).await?;
        self.stream.flush().await?;
        self.seen.taken.fetch_add(u64::try_from(frame.len()).unwrap(), SeqCst);
        Ok(())
    }
}

/// A header field without indexing and without Huffman coding (RFC 7541 section 6.2.2).
fn literal(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![0];
    for text in [name, value] {
        match u8::try_from(text.len()) {
            Ok(short) if short < 127 => bytes.push(short),
            _ => {
                bytes.push(127);
                let mut rest = text.len() - 127;
                while rest >= 128 {
                    bytes.push(u8::try_from(rest % 128).unwrap() | 128);
                    rest /= 128;
                }
                bytes.push(u8::try_from(rest).unwrap());
            }
        }
        bytes.extend(text.as_bytes());
    }
    bytes
}

/// `:status: 200` of the static table, and a type.
fn html() -> Vec<u8> {
    [vec![0x88], literal("content-type", "text/html")].concat()
}
