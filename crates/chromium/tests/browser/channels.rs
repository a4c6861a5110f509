//! Every channel by which a page could speak past the edge, tried from inside, without a window and with one; the kernel's own
//! counts of the browser's network, and a capture of every packet in it, say what was sent.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::{TcpListener, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clicket_chromium::{Confinement, Headed, NamespaceWish, Quarters};

use crate::support::{TestEdge, go, launch_in, sandbox};

/// Channels: name, and a page's body with `HOST` where an address goes that has a listener outside, and `NAME` where a name goes.
const CHANNELS: &[(&str, &str)] = &[
    ("fetch", "<script>fetch('http://HOST/').catch(()=>0)</script>"),
    ("no-cors fetch", "<script>fetch('http://HOST/',{mode:'no-cors'}).catch(()=>0)</script>"),
    ("keepalive fetch", "<script>fetch('http://HOST/',{keepalive:true,mode:'no-cors'}).catch(()=>0)</script>"),
    ("image", "<img src='http://HOST/'>"),
    ("websocket", "<script>new WebSocket('ws://HOST/')</script>"),
    ("stun", "<script>STUN('stun:HOST')</script>"),
    ("beacon", "<script>navigator.sendBeacon('http://HOST/','x')</script>"),
    ("dns-prefetch", "<link rel=dns-prefetch href='//NAME'>"),
    ("preconnect", "<link rel=preconnect href='http://HOST'>"),
    ("worker fetch", "<script>WORKER(\"fetch('http://HOST/',{mode:'no-cors'})\")</script>"),
    (
        "speculation prerender",
        "<script type=speculationrules>{\"prerender\":[{\"urls\":[\"http://HOST/\"],\"eagerness\":\"immediate\"}]}</script>",
    ),
    (
        "report",
        "<script>new ReportingObserver(()=>0).observe()</script><meta http-equiv=content-security-policy content=\"img-src 'none'; report-uri http://HOST/\"><img src=/x>",
    ),
    // From here on only in the soak.
    ("https fetch", "<script>fetch('https://HOST/').catch(()=>0)</script>"),
    ("fetch of a name", "<script>fetch('http://NAME/').catch(()=>0)</script>"),
    ("fetchLater", "<script>self.fetchLater&&fetchLater('http://HOST/',{activateAfter:0})</script>"),
    ("xhr", "<script>const x=new XMLHttpRequest();x.open('GET','http://HOST/');x.send()</script>"),
    ("event source", "<script>new EventSource('http://HOST/')</script>"),
    ("secure websocket", "<script>new WebSocket('wss://HOST/')</script>"),
    ("worker websocket", "<script>WORKER(\"new WebSocket('ws://HOST/')\")</script>"),
    ("worker xhr", "<script>WORKER(\"const x=new XMLHttpRequest();x.open('GET','http://HOST/');x.send()\")</script>"),
    ("worker event source", "<script>WORKER(\"new EventSource('http://HOST/')\")</script>"),
    ("worker import", "<script>WORKER(\"importScripts('http://HOST/')\")</script>"),
    (
        "shared worker",
        "<script>new SharedWorker('data:text/javascript,'+encodeURIComponent(\"fetch('http://HOST/',{mode:'no-cors'})\"))</script>",
    ),
    ("webtransport", "<script>self.WebTransport&&new WebTransport('https://HOST/').ready.catch(()=>0)</script>"),
    ("webtransport to a name", "<script>self.WebTransport&&new WebTransport('https://NAME/').ready.catch(()=>0)</script>"),
    ("turn over udp", "<script>STUN('turn:HOST?transport=udp')</script>"),
    ("turn over tcp", "<script>STUN('turn:HOST?transport=tcp')</script>"),
    ("turns", "<script>STUN('turns:HOST')</script>"),
    ("stun of a name", "<script>STUN('stun:NAME:3478')</script>"),
    ("mdns candidates", "<script>STUN('')</script>"),
    ("srcset", "<img srcset='http://HOST/a 1x, http://HOST/b 2x'>"),
    ("picture", "<picture><source srcset='http://HOST/'><img></picture>"),
    ("script", "<script src='http://HOST/'></script>"),
    ("module", "<script type=module src='http://HOST/'></script>"),
    ("module preload", "<link rel=modulepreload href='http://HOST/'>"),
    ("dynamic import", "<script>import('http://HOST/').catch(()=>0)</script>"),
    ("style", "<link rel=stylesheet href='http://HOST/'>"),
    ("css import", "<style>@import 'http://HOST/';</style>"),
    ("css picture", "<style>body{background:url(http://HOST/)}</style>"),
    ("font", "<style>@font-face{font-family:x;src:url(http://HOST/)}body{font-family:x}</style>text"),
    ("video", "<video src='http://HOST/' preload=auto autoplay muted></video>"),
    ("poster", "<video poster='http://HOST/'></video>"),
    ("audio", "<audio src='http://HOST/' preload=auto autoplay></audio>"),
    ("track", "<video><track default src='http://HOST/'></video>"),
    ("object", "<object data='http://HOST/'></object>"),
    ("embed", "<embed src='http://HOST/'>"),
    ("svg image", "<svg><image href='http://HOST/'/></svg>"),
    ("svg use", "<svg><use href='http://HOST/#a'/></svg>"),
    ("frame", "<iframe src='http://HOST/'></iframe>"),
    (
        "sandboxed frame",
        "<iframe sandbox=allow-scripts srcdoc=\"<script>fetch('http://HOST/',{mode:'no-cors'})</script>\"></iframe>",
    ),
    ("icon", "<link rel=icon href='http://HOST/'>"),
    ("manifest", "<link rel=manifest href='http://HOST/'>"),
    ("prefetch", "<link rel=prefetch href='http://HOST/'>"),
    ("preload", "<link rel=preload as=image href='http://HOST/'>"),
    (
        "speculation prefetch",
        "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"http://HOST/\"],\"eagerness\":\"immediate\"}]}</script>",
    ),
    ("anchor ping", "<a id=a href='#x' ping='http://HOST/'>a</a><script>a.click()</script>"),
    ("download link", "<a id=a href='http://HOST/' download>a</a><script>a.click()</script>"),
    ("window", "<script>open('http://HOST/')</script>"),
    ("form in a frame", "<iframe name=f></iframe><form id=g action='http://HOST/' target=f></form><script>g.submit()</script>"),
    (
        "post in a frame",
        "<iframe name=f></iframe><form id=g method=post action='http://HOST/' target=f></form><script>g.submit()</script>",
    ),
    ("worklet", "<script>CSS.paintWorklet&&CSS.paintWorklet.addModule('http://HOST/').catch(()=>0)</script>"),
    ("audio worklet", "<script>new AudioContext().audioWorklet?.addModule('http://HOST/').catch(()=>0)</script>"),
    (
        "payment method",
        "<script>try{new PaymentRequest([{supportedMethods:'https://HOST/pay'}],{total:{label:'x',amount:{currency:'EUR',value:'1'}}}).canMakePayment().catch(()=>0)}catch{}</script>",
    ),
    (
        "credential",
        "<script>navigator.credentials.get({identity:{providers:[{configURL:'https://HOST/',clientId:'1'}]}}).catch(()=>0)</script>",
    ),
    ("attribution", "<img attributionsrc='http://HOST/'>"),
    ("local network", "<script>fetch('http://127.0.0.1:PORT/',{targetAddressSpace:'local'}).catch(()=>0)</script>"),
    ("localhost", "<script>fetch('http://localhost:PORT/',{mode:'no-cors'}).catch(()=>0)</script>"),
    ("loopback of six", "<script>fetch('http://[::1]:PORT/',{mode:'no-cors'}).catch(()=>0)</script>"),
    ("any address", "<script>fetch('http://0.0.0.0:PORT/',{mode:'no-cors'}).catch(()=>0)</script>"),
    ("decimal address", "<script>fetch('http://2130706433:PORT/',{mode:'no-cors'}).catch(()=>0)</script>"),
    ("metadata", "<script>fetch('http://169.254.169.254/',{mode:'no-cors'}).catch(()=>0)</script>"),
];

/// Channels that `make test` takes.
const FEW: usize = 12;

const HELPERS: &str = "<script>
const STUN = (url) => { const c = new RTCPeerConnection(url ? { iceServers: [{ urls: url, username: 'u', credential: 'p' }] } : {});
  c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)) };
const WORKER = (text) => new Worker(URL.createObjectURL(new Blob([text])));
</script>";

/// A listener outside: it hears whoever gets past the edge.
struct Canary {
    tcp: TcpListener,
    udp: UdpSocket,
    port: u16,
}

impl Canary {
    fn listen() -> Canary {
        let tcp = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let udp = UdpSocket::bind(("0.0.0.0", port)).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        Canary { tcp, udp, port }
    }

    fn heard_nothing(&self) -> bool {
        let quiet = |error: std::io::Error| error.kind() == ErrorKind::WouldBlock;
        self.tcp.accept().is_err_and(quiet)
            && self.udp.recv(&mut [0; 64]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }
}

/// One of the kernel's counters of a process's network, such as `Udp` and `OutDatagrams`.
fn counter(pid: u32, group: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/net/snmp")).unwrap();
    let mut lines = text.lines().filter(|line| line.starts_with(&format!("{group}: ")));
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    let at = names.split(' ').position(|found| found == name).unwrap();
    values.split(' ').nth(at).unwrap().parse().unwrap()
}

/// A capture of every packet in the browser's network, from outside the browser.
struct Witness {
    capture: Child,
    said: BufReader<std::process::ChildStdout>,
}

impl Witness {
    /// Nothing where the network is not the browser's own, or this machine lacks the rights or the tools.
    fn of(pid: u32, confinement: &Confinement) -> Option<Witness> {
        if *confinement != Confinement::System {
            return None;
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/witness.py");
        let mut command = Command::new("nsenter");
        command.args(["-t", &pid.to_string(), "-n", "python3", script]).stdout(Stdio::piped());
        let mut capture = command.spawn().ok()?;
        let mut said = BufReader::new(capture.stdout.take()?);
        let mut first = String::new();
        said.read_line(&mut first).ok()?;
        if first.trim() == "ready" {
            return Some(Witness { capture, said });
        }
        let _ = capture.wait();
        eprintln!("\n##### NOT CAPTURED: nsenter and python3 with the right to capture are missing #####\n");
        None
    }

    /// Everything that was sent, as `tcp 127.0.0.1 3128`, once each.
    fn heard(mut self) -> Vec<String> {
        self.capture.kill().unwrap();
        self.capture.wait().unwrap();
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        said.lines().map(str::to_owned).collect()
    }
}

/// Ports that somebody listens on in the network of a process: the edge's own.
fn listening(pid: u32) -> Vec<u16> {
    let sockets = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).unwrap();
    let listens =
        sockets.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>()).filter(|words| words[3] == "0A");
    listens.map(|words| u16::from_str_radix(words[1].split(':').nth(1).unwrap(), 16).unwrap()).collect()
}

/// The port that refuses every connection, where all goes that the browser would send outside our pages: it is on its command line.
fn dead_end(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap();
    let line = String::from_utf8_lossy(&line).into_owned();
    let proxy = line.split(['\0', ' ']).find_map(|argument| argument.strip_prefix("--proxy-server=http://")).unwrap();
    format!("tcp {}", proxy.replace(':', " "))
}

fn is_soak() -> bool {
    std::env::var_os("CLICKET_SOAK").is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_channel_of_a_page_leads_past_the_edge_soak() {
    try_channels(NamespaceWish::WhereItCanBeHad, Headed::No).await;
    if is_soak() {
        // Flags and proxy must hold alone too.
        try_channels(NamespaceWish::DangerouslyWithout, Headed::No).await;
    }
}

/// A window needs a display. Without one this starts its own and runs itself again there.
#[tokio::test(flavor = "multi_thread")]
async fn no_channel_of_a_page_with_a_window_leads_past_the_edge_soak() {
    const AGAIN: &str = "CLICKET_ON_ITS_OWN_DISPLAY";
    if std::env::var_os(AGAIN).is_some() {
        try_channels(NamespaceWish::WhereItCanBeHad, Headed::Yes).await;
        try_channels(NamespaceWish::DangerouslyWithout, Headed::Yes).await;
        return;
    }
    if !is_soak() {
        return;
    }
    // The browser's user has no cookie for the display, so it asks for none.
    let started = Command::new("Xvfb")
        .args(["-displayfd", "1", "-ac", "-screen", "0", "1280x1000x24"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut screen) = started else {
        eprintln!("\n##### SKIPPED, NOT TESTED: a browser with a window needs Xvfb (apt install xvfb) #####\n");
        return;
    };
    let mut display = String::new();
    BufReader::new(screen.stdout.take().unwrap()).read_line(&mut display).unwrap();
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "channels::no_channel_of_a_page_with_a_window_leads_past_the_edge_soak", "--nocapture"]);
    let ended = again.env(AGAIN, "1").env("DISPLAY", format!(":{}", display.trim())).status().unwrap();
    screen.kill().unwrap();
    screen.wait().unwrap();
    assert!(ended.success());
}

async fn try_channels(wish: NamespaceWish, headed: Headed) {
    let soak = is_soak();
    let window = headed == Headed::Yes;
    let canary = Canary::listen();
    let taken = &CHANNELS[..if soak { CHANNELS.len() } else { FEW }];
    let place = format!("127.0.0.1:{}", canary.port);
    let pages: Vec<(String, String)> = taken
        .iter()
        .enumerate()
        .map(|(at, (_, body))| {
            let body = body.replace("HOST", &place).replace("NAME", "canary.example").replace("PORT", &canary.port.to_string());
            (format!("http://page.test/{at}"), format!("<!doctype html><title>{at}</title>{HELPERS}{body}"))
        })
        .collect();
    let served: Vec<(&str, &str)> = pages.iter().map(|(url, html)| (url.as_str(), html.as_str())).collect();
    let edge = TestEdge::with_pages(&served).await;
    let Some(mut browser) = launch_in(&edge, Quarters::make(sandbox(), wish).await, |config| config.headed = headed).await else {
        return;
    };
    let pid = browser.process_id();
    let witness = Witness::of(pid, browser.confinement());
    for ((name, _), (url, _)) in taken.iter().zip(&pages) {
        go(&mut browser, url).await;
        tokio::time::sleep(Duration::from_millis(if soak { 400 } else { 150 })).await;
        assert!(canary.heard_nothing(), "{name} got past the edge");
        if *browser.confinement() == Confinement::System {
            assert_eq!(counter(pid, "Udp", "OutDatagrams"), 0, "{name} sent datagrams");
        }
    }
    tokio::time::sleep(Duration::from_secs(if soak { 10 } else { 1 })).await;
    assert!(canary.heard_nothing());
    // A socket past the edge, even one that leads nowhere, would show here with another address than loopback's.
    let sockets = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).unwrap();
    if *browser.confinement() == Confinement::System {
        for line in sockets.lines().skip(1) {
            let far = line.split_whitespace().nth(2).unwrap_or_default();
            assert!(far.starts_with("0100007F:") || far.starts_with("00000000:"), "{line}");
        }
        assert_eq!(counter(pid, "Udp", "OutDatagrams"), 0);
    }
    let captured = witness.map(|witness| {
        let edges: Vec<String> = listening(pid).iter().map(|port| format!("tcp 127.0.0.1 {port}")).collect();
        let heard = witness.heard();
        assert!(heard.iter().any(|packet| edges.contains(packet)), "the capture saw not even the edge: {heard:?}");
        let dead_end = dead_end(pid);
        let outside: Vec<&String> = heard.iter().filter(|packet| !edges.contains(packet) && **packet != dead_end).collect();
        assert!(outside.is_empty(), "sent to others than the edge at {edges:?} and {dead_end}: {outside:?}");
        heard.contains(&dead_end)
    });
    eprintln!(
        "{} channels {}, {} requests reached the edge, {}, confinement: {}",
        taken.len(),
        if window { "with a window" } else { "without a window" },
        edge.log().len(),
        match captured {
            None => "not captured",
            Some(false) => "0 packets to others by capture",
            Some(true) => "0 packets to others by capture but for the browser's own, to a port that refuses all",
        },
        browser.confinement().in_words()
    );
}
