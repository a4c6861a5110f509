//! The handshake with the real origin, and what its failures are called.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use clicket_guard::web::Origin;

use crate::edge::EdgeError;
use crate::limits::{EdgeLimits, within};
use crate::record::FailKind;

/// HTTP/2 in a handshake (RFC 9113 section 3.2).
pub(crate) const ALPN_H2: &[u8] = b"h2";

/// The same trust, with HTTP/2 offered first.
pub(crate) fn offering_h2(config: &ClientConfig) -> ClientConfig {
    let mut config = config.clone();
    config.alpn_protocols.insert(0, ALPN_H2.to_vec());
    config
}

/// Trust in the system's roots and in those that the operator added.
pub(crate) fn origin_config(provider: Arc<CryptoProvider>, extra_pem: &[Vec<u8>]) -> Result<ClientConfig, EdgeError> {
    let mut roots = RootCertStore::empty();
    // A machine without roots trusts nobody, and each origin then says so by itself.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for pem in extra_pem {
        let mut found = 0_usize;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|_| EdgeError::BadRoot)?;
            roots.add(certificate).map_err(|_| EdgeError::BadRoot)?;
            found += 1;
        }
        if found == 0 {
            return Err(EdgeError::BadRoot);
        }
    }
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| EdgeError::NoCertificate)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Shakes hands as the origin's name and verifies its certificate for that name.
pub(crate) async fn shake_hands(
    config: Arc<ClientConfig>,
    origin: &Origin,
    stream: TcpStream,
    limits: &EdgeLimits,
) -> Result<TlsStream<TcpStream>, FailKind> {
    let bare = origin.host().trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(bare).map_err(|_| FailKind::Tls)?;
    match within(limits.origin_tls_ms, TlsConnector::from(config).connect(name, stream)).await {
        Some(Ok(stream)) => Ok(stream),
        Some(Err(error)) => Err(kind_of(&error)),
        None => Err(FailKind::TlsTimeout),
    }
}

/// Whether an origin ended a connection because no certificate was shown; with TLS 1.3 that is said after the handshake.
pub(crate) fn asks_for_certificate(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(cause) = next {
        let inside = cause.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref()?.downcast_ref::<rustls::Error>());
        let said = cause.downcast_ref::<rustls::Error>().or(inside);
        if matches!(said, Some(rustls::Error::AlertReceived(rustls::AlertDescription::CertificateRequired))) {
            return true;
        }
        next = cause.source();
    }
    false
}

fn kind_of(error: &std::io::Error) -> FailKind {
    if asks_for_certificate(error) {
        return FailKind::CertificateRequired;
    }
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(certificate)) => certificate_kind(certificate),
        Some(rustls::Error::NoCertificatesPresented) => FailKind::CertificateBad,
        Some(_) => FailKind::Tls,
        None => FailKind::ConnectionLost,
    }
}

fn certificate_kind(error: &CertificateError) -> FailKind {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => FailKind::CertificateExpired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => FailKind::CertificateNotYetValid,
        // A known root's name under another key is a stranger as well.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => FailKind::CertificateUntrusted,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => FailKind::CertificateWrongName,
        _ => FailKind::CertificateBad,
    }
}
