use super::Digest;

const OF_ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn the_digest_of_abc_is_the_one_in_fips_180() {
    assert_eq!(Digest::of(b"abc").to_string(), OF_ABC);
    assert_eq!(OF_ABC.parse(), Ok(Digest::of(b"abc")));
    assert_eq!(serde_json::to_string(&Digest::of(b"abc")).unwrap(), format!("\"{OF_ABC}\""));
}

#[test]
fn a_digest_has_one_text_only() {
    let upper = OF_ABC.to_uppercase();
    let upper_hex = format!("sha256:{}", &upper[7..]);
    let (short, long, bare) = (&OF_ABC[..OF_ABC.len() - 1], format!("{OF_ABC}0"), &OF_ABC[7..]);
    let split_letter = format!("sha256:{}é", &OF_ABC[7..OF_ABC.len() - 2]);
    for wrong in ["", "sha256:", &upper, &upper_hex, short, &long, bare, &split_letter, &format!(" {OF_ABC}")] {
        assert!(wrong.parse::<Digest>().is_err(), "{wrong:?}");
    }
}
