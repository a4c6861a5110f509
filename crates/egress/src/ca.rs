//! The certificate authority of one browser process: made at start, never written down, gone with the process.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, PublicKeyData, SanType,
};
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest, Sha256};

use crate::edge::EdgeError;

/// How far back a certificate is valid, for a clock that was set back during the run.
const BACKDATED: Duration = Duration::from_secs(24 * 3600);

/// How long a certificate is valid; no run is longer.
const VALID: Duration = Duration::from_secs(48 * 3600);

/// Makes the certificates that the browser sees. One key serves every host: it never leaves this process.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    host_key: KeyPair,
    spki_sha256_base64: String,
    provider: Arc<CryptoProvider>,
    made: Mutex<Made>,
    made_max: usize,
}

#[derive(Default)]
struct Made {
    by_host: HashMap<String, Arc<ServerConfig>>,
    order: VecDeque<String>,
}

impl Authority {
    pub(crate) fn make(provider: Arc<CryptoProvider>, made_max: usize) -> Result<Self, EdgeError> {
        let ca_key = KeyPair::generate().map_err(|_| EdgeError::NoCertificate)?;
        let host_key = KeyPair::generate().map_err(|_| EdgeError::NoCertificate)?;
        let spki = ca_key.subject_public_key_info();
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "Clicket, this run only");
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        set_validity(&mut params);
        let issuer = CertifiedIssuer::self_signed(params, ca_key).map_err(|_| EdgeError::NoCertificate)?;
        let spki_sha256_base64 = STANDARD.encode(Sha256::digest(spki));
        Ok(Self { issuer, host_key, spki_sha256_base64, provider, made: Mutex::default(), made_max })
    }

    /// The SHA-256 of the authority's public key as `--ignore-certificate-errors-spki-list` takes it.
    pub(crate) fn spki_sha256_base64(&self) -> &str {
        &self.spki_sha256_base64
    }

    /// The authority's certificate.
    pub(crate) fn certificate(&self) -> CertificateDer<'static> {
        self.issuer.der().clone()
    }

    /// The server side of a handshake as `host`: HTTP/1.1 only, the authority's certificate in the chain.
    pub(crate) fn server_config(&self, host: &str) -> Result<Arc<ServerConfig>, EdgeError> {
        if let Some(known) = self.lock().by_host.get(host) {
            return Ok(Arc::clone(known));
        }
        let config = Arc::new(self.make_config(host)?);
        self.keep(host, &config);
        Ok(config)
    }

    fn make_config(&self, host: &str) -> Result<ServerConfig, EdgeError> {
        let chain = vec![self.leaf(host)?, self.certificate()];
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.host_key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|_| EdgeError::NoCertificate)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|_| EdgeError::NoCertificate)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }

    fn leaf(&self, host: &str) -> Result<CertificateDer<'static>, EdgeError> {
        let mut params = CertificateParams::default();
        let name = match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(address) => SanType::IpAddress(address),
            Err(_) => SanType::DnsName(host.try_into().map_err(|_| EdgeError::NoCertificate)?),
        };
        // Without a name of its own: browsers read the alternative names only.
        params.distinguished_name = DistinguishedName::new();
        params.subject_alt_names = vec![name];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        set_validity(&mut params);
        let signed = params.signed_by(&self.host_key, &self.issuer).map_err(|_| EdgeError::NoCertificate)?;
        Ok(signed.der().clone())
    }

    fn keep(&self, host: &str, config: &Arc<ServerConfig>) {
        let mut made = self.lock();
        if made.by_host.insert(host.to_owned(), Arc::clone(config)).is_none() {
            made.order.push_back(host.to_owned());
        }
        while made.order.len() > self.made_max {
            if let Some(oldest) = made.order.pop_front() {
                made.by_host.remove(&oldest);
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn set_validity(params: &mut CertificateParams) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let epoch = rcgen::date_time_ymd(1970, 1, 1);
    params.not_before = epoch + now.saturating_sub(BACKDATED);
    params.not_after = epoch + now + VALID;
}
