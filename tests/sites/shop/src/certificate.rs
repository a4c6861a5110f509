//! A throw-away authority and one certificate from it, made at start and never written by the library.

use std::io;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd};
use rustls::ServerConfig;
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::config::Certificate;

/// The authority's certificate for those who are to trust it, and the server's side of TLS.
pub(crate) struct Identity {
    pub(crate) ca_pem: String,
    pub(crate) tls: Arc<ServerConfig>,
}

/// Makes the authority and a certificate for `names`.
pub(crate) fn make(names: &[String], certificate: Certificate) -> io::Result<Identity> {
    let ca_key = KeyPair::generate().map_err(io::Error::other)?;
    let ca_params = authority()?;
    let ca_pem = ca_params.self_signed(&ca_key).map_err(io::Error::other)?.pem();
    let issuer = Issuer::new(ca_params, ca_key);

    let key = KeyPair::generate().map_err(io::Error::other)?;
    let leaf = leaf(names, certificate)?.signed_by(&key, &issuer).map_err(io::Error::other)?;
    let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], private)
        .map_err(io::Error::other)?;
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Identity { ca_pem, tls: Arc::new(tls) })
}

fn authority() -> io::Result<CertificateParams> {
    let mut params = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
    params.distinguished_name.push(DnType::CommonName, "Shop throw-away authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2049, 12, 31);
    Ok(params)
}

fn leaf(names: &[String], certificate: Certificate) -> io::Result<CertificateParams> {
    let mut params = CertificateParams::new(names.to_vec()).map_err(io::Error::other)?;
    if let Some(name) = names.first() {
        params.distinguished_name.push(DnType::CommonName, name.as_str());
    }
    let (from, until) = match certificate {
        Certificate::Fresh => (2020, 2049),
        Certificate::Expired => (2020, 2021),
    };
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(until, 1, 1);
    Ok(params)
}
