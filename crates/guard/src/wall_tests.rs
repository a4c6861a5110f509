use super::{Wall, by_answer, by_script};

fn answer(status: u16, headers: &[(&str, &str)]) -> Option<Wall> {
    let headers: Vec<(String, String)> = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    by_answer(status, &headers)
}

#[test]
fn a_wall_is_known_by_status_and_headers() {
    for (status, headers, wall) in [
        (403, vec![("cf-mitigated", "challenge"), ("server", "cloudflare")], Wall::Cloudflare),
        (200, vec![("cf-mitigated", "challenge")], Wall::Cloudflare),
        (202, vec![("x-amzn-waf-action", "challenge")], Wall::AwsWaf),
        (403, vec![("x-datadome", "protected")], Wall::DataDome),
        (403, vec![("set-cookie", "datadome=x; Path=/")], Wall::DataDome),
        (403, vec![("set-cookie", "_pxhd=x")], Wall::PerimeterX),
        (403, vec![("server", "AkamaiGHost")], Wall::Akamai),
        (403, vec![("x-iinfo", "1-2-3")], Wall::Imperva),
        (401, vec![("www-authenticate", "Basic realm=x")], Wall::HttpAuthentication),
        (403, vec![], Wall::Status),
        (429, vec![], Wall::Status),
        (503, vec![], Wall::Status),
    ] {
        assert_eq!(answer(status, &headers), Some(wall), "{status} {headers:?}");
    }
}

#[test]
fn an_ordinary_page_behind_such_a_keeper_is_no_wall() {
    for (status, headers) in [
        (200, vec![("server", "cloudflare"), ("set-cookie", "_abck=x")]),
        (200, vec![("x-datadome", "protected"), ("set-cookie", "datadome=x")]),
        (200, vec![("set-cookie", "_px3=x")]),
        (404, vec![("server", "AkamaiGHost")]),
        (401, vec![]),
        (500, vec![]),
    ] {
        assert_eq!(answer(status, &headers), None, "{status} {headers:?}");
    }
}

#[test]
fn a_challenge_s_script_is_known_by_its_host() {
    for (url, wall) in [
        ("https://challenges.cloudflare.com/turnstile/v0/api.js", Wall::Turnstile),
        ("https://js.hcaptcha.com/1/api.js", Wall::HCaptcha),
        ("https://www.google.com/recaptcha/api.js", Wall::ReCaptcha),
        ("https://geo.captcha-delivery.com/captcha/", Wall::DataDome),
    ] {
        assert_eq!(by_script(url), Some(wall));
    }
    for url in ["https://www.google.com/maps", "https://evilhcaptcha.com/a.js", "https://a.example/recaptcha/api.js", "x"] {
        assert_eq!(by_script(url), None, "{url}");
    }
}
