//! Walls against automated browsers: which answers and scripts are a site's way to say that it lets no such browser in. Clicket
//! says so and hands back; it never pretends to be a person.

use serde::{Deserialize, Serialize};

/// Who keeps the wall, as far as the answer tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wall {
    /// Cloudflare's challenge.
    Cloudflare,
    /// DataDome.
    DataDome,
    /// HUMAN, once PerimeterX.
    PerimeterX,
    /// Akamai's bot manager.
    Akamai,
    /// Imperva, once Incapsula.
    Imperva,
    /// The web application firewall of Amazon.
    AwsWaf,
    /// A hCaptcha widget.
    HCaptcha,
    /// A reCAPTCHA widget.
    ReCaptcha,
    /// A Turnstile widget.
    Turnstile,
    /// HTTP authentication, whose prompt is never answered.
    HttpAuthentication,
    /// Nobody says; the status alone does.
    Status,
}

impl Wall {
    /// In words for a person.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Cloudflare => "a Cloudflare challenge",
            Self::DataDome => "a DataDome challenge",
            Self::PerimeterX => "a HUMAN (PerimeterX) challenge",
            Self::Akamai => "Akamai's bot protection",
            Self::Imperva => "Imperva's bot protection",
            Self::AwsWaf => "an AWS WAF challenge",
            Self::HCaptcha => "a page with nothing but a hCaptcha",
            Self::ReCaptcha => "a page with nothing but a reCAPTCHA",
            Self::Turnstile => "a page with nothing but a Turnstile check",
            Self::HttpAuthentication => "a request for a name and password by HTTP authentication, which is never answered",
            Self::Status => "no page",
        }
    }
}

/// The wall that a page's answer is, by its status and headers (names in lower case).
#[must_use]
pub fn by_answer(status: u16, headers: &[(String, String)]) -> Option<Wall> {
    let has = |name: &str| headers.iter().any(|(key, _)| key == name);
    let any =
        |name: &str, is: &dyn Fn(&str) -> bool| headers.iter().any(|(key, value)| key == name && is(&value.to_ascii_lowercase()));
    let holds = |name: &str, part: &str| any(name, &|value| value.contains(part));
    let cookie = |part: &str| any("set-cookie", &|value| value.trim_start().starts_with(part));
    if holds("cf-mitigated", "challenge") {
        return Some(Wall::Cloudflare);
    }
    if holds("x-amzn-waf-action", "captcha") || holds("x-amzn-waf-action", "challenge") {
        return Some(Wall::AwsWaf);
    }
    if status == 401 && has("www-authenticate") {
        return Some(Wall::HttpAuthentication);
    }
    let closed = matches!(status, 403 | 429 | 503);
    closed.then(|| {
        if has("x-datadome") || has("x-dd-b") || cookie("datadome=") {
            Wall::DataDome
        } else if headers.iter().any(|(key, _)| key.starts_with("x-px")) || cookie("_px") {
            Wall::PerimeterX
        } else if holds("server", "akamaighost") || cookie("_abck=") {
            Wall::Akamai
        } else if has("x-iinfo") || cookie("incap_ses") || cookie("visid_incap") {
            Wall::Imperva
        } else {
            Wall::Status
        }
    })
}

/// The wall whose script this address is. A page that loads it may have it beside other content, so it is a wall only where there
/// is nothing else.
#[must_use]
pub fn by_script(url: &str) -> Option<Wall> {
    let url = url::Url::parse(url).ok()?;
    let host = url.host_str()?;
    let under = |name: &str| host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    if host == "challenges.cloudflare.com" {
        Some(Wall::Turnstile)
    } else if under("hcaptcha.com") {
        Some(Wall::HCaptcha)
    } else if matches!(host, "www.google.com" | "www.recaptcha.net" | "www.gstatic.com") && url.path().starts_with("/recaptcha/")
    {
        Some(Wall::ReCaptcha)
    } else if under("captcha-delivery.com") {
        Some(Wall::DataDome)
    } else if under("px-cdn.net") || under("px-cloud.net") {
        Some(Wall::PerimeterX)
    } else {
        None
    }
}

#[cfg(test)]
#[path = "wall_tests.rs"]
mod tests;
