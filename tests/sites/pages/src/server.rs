//! The listening side: loopback, plain HTTP/1.1, reads only.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::folder::{Answer, Folder};

const CONNECTIONS_MAX: usize = 128;
const HEADER_WAIT: Duration = Duration::from_secs(30);
const HEADER_BYTES_MAX: usize = 64 * 1024;
const CONNECTION_WAIT: Duration = Duration::from_secs(300);

/// A folder that is being served. Dropping it ends that.
pub struct Pages {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Pages {
    /// Listens on a free loopback port and serves until dropped.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(folder: Folder) -> io::Result<Pages> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        Ok(Pages { address, accepting: tokio::spawn(accept(listener, Arc::new(folder))) })
    }

    /// `http://localhost:PORT`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://localhost:{}", self.address.port())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, folder: Arc<Folder>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, most likely: waiting is all that helps.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let folder = Arc::clone(&folder);
        tokio::spawn(async move {
            let _ = tokio::time::timeout(CONNECTION_WAIT, serve(stream, folder)).await;
            drop(permit);
        });
    }
}

async fn serve(stream: TcpStream, folder: Arc<Folder>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let folder = Arc::clone(&folder);
        async move { Ok::<_, Infallible>(respond(&folder, &request)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_WAIT)
        .max_buf_size(HEADER_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let _ = connection.await;
}

fn respond<B>(folder: &Folder, request: &Request<B>) -> Response<Full<Bytes>> {
    let answer = match *request.method() {
        Method::GET | Method::HEAD => folder.read(request.uri().path()),
        _ => Answer::refused(StatusCode::METHOD_NOT_ALLOWED),
    };
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = answer.status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(location) = answer.location.and_then(|location| HeaderValue::from_str(&location).ok()) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
