//! Pages from memory, served twice: to Clicket's browser as its proxy with a credential, to the peer's browser directly.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use clicket_chromium::{ProxyRoute, Quarters};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Base64 of `u:p`.
const CREDENTIAL: &str = "Basic dTpw";
const SEED: &str = "/seed";

#[derive(Clone)]
pub(crate) struct Pages(Arc<HashMap<String, String>>);

impl Pages {
    /// By path.
    pub(crate) fn of(pages: Vec<(String, String)>) -> Pages {
        let seed = (SEED.to_owned(), "<title>seed</title>".to_owned());
        Pages(Arc::new(pages.into_iter().chain([seed]).collect()))
    }

    /// To the browser that lives in these quarters.
    pub(crate) fn serve_quarters(&self, quarters: &mut Quarters) -> std::io::Result<ProxyRoute> {
        let listener = quarters.take_listener().ok_or_else(|| std::io::Error::other("the quarters have no listener"))?;
        listener.set_nonblocking(true)?;
        self.serve(TcpListener::from_std(listener)?, Credential::Wanted);
        Ok(ProxyRoute {
            user: "u".to_owned(),
            password: "p".to_owned(),
            seed_url: format!("http://seed.test{SEED}"),
            spki: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_owned(),
        })
    }

    /// To anybody on this machine.
    pub(crate) async fn serve_openly(&self) -> std::io::Result<SocketAddr> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        self.serve(listener, Credential::NotAsked);
        Ok(address)
    }

    fn serve(&self, listener: TcpListener, credential: Credential) {
        let pages = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let pages = pages.clone();
                tokio::spawn(async move { pages.answer(stream, credential).await });
            }
        });
    }

    async fn answer(&self, mut stream: TcpStream, credential: Credential) -> std::io::Result<()> {
        let mut head = Vec::new();
        let mut chunk = [0u8; 4_096];
        while !head.windows(4).any(|window| window == b"\r\n\r\n") {
            match stream.read(&mut chunk).await? {
                0 => return Ok(()),
                read => head.extend_from_slice(chunk.get(..read).unwrap_or_default()),
            }
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let target = head.split(' ').nth(1).unwrap_or_default();
        let path =
            target.strip_prefix("http://").map_or(target, |rest| rest.find('/').map_or("/", |at| rest.get(at..).unwrap_or("/")));
        let answer = if credential == Credential::Wanted && !head.contains(CREDENTIAL) {
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"bench\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
        } else if let Some(html) = self.0.get(path) {
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{html}",
                html.len()
            )
        } else {
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
        };
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Credential {
    Wanted,
    NotAsked,
}
