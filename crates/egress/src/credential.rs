//! The password between the browser and the edge, so that no other local process can use the road.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rustls::crypto::CryptoProvider;
use subtle::ConstantTimeEq;

use crate::edge::EdgeError;

/// Random bytes in a password: 192 bits can't be guessed over a socket.
const PASSWORD_BYTES: usize = 24;

/// The user and password that the browser answers the edge's challenge with. Made anew for each run.
///
/// Invariant: it has no `Debug` or `Display` that shows the password.
pub struct ProxyCredential {
    user: String,
    password: String,
    expected: String,
}

impl ProxyCredential {
    pub(crate) fn make(provider: &CryptoProvider) -> Result<Self, EdgeError> {
        let user = "clicket".to_owned();
        let password = random_text(provider, PASSWORD_BYTES)?;
        let expected = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        Ok(Self { user, password, expected })
    }

    /// The user name.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The password, for the answer over DevTools and nothing else.
    #[must_use]
    pub fn password(&self) -> &str {
        &self.password
    }

    /// Compares a `Proxy-Authorization` value in constant time.
    pub(crate) fn admits(&self, value: Option<&[u8]>) -> bool {
        value.is_some_and(|value| bool::from(value.ct_eq(self.expected.as_bytes())))
    }
}

impl std::fmt::Debug for ProxyCredential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProxyCredential").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Random text that is safe in an address and a header.
pub(crate) fn random_text(provider: &CryptoProvider, bytes: usize) -> Result<String, EdgeError> {
    let mut buffer = vec![0; bytes];
    provider.secure_random.fill(&mut buffer).map_err(|_| EdgeError::NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(buffer))
}
