use super::*;

fn said(given: &str) -> String {
    read(&[given.to_owned()]).map(|_| "fine".to_owned()).unwrap_or_else(|failure| format!("{failure:?}"))
}

#[test]
fn a_file_is_read_once_with_its_name_size_and_digest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.pdf");
    std::fs::write(&path, b"%PDF").unwrap();
    let files = read(&[format!("report={}", path.display())]).unwrap();
    let source = &files[0].source;
    assert_eq!((source.key.as_str(), source.name.as_str(), source.bytes), ("report", "report.pdf", 4));
    assert_eq!(source.sha256, Digest::of(b"%PDF"));
}

#[test]
fn links_folders_devices_and_large_files_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("real"), b"x").unwrap();
    std::os::unix::fs::symlink(at("real"), at("link")).unwrap();
    let large = File::create(at("large")).unwrap();
    large.set_len(FILES_BYTES_MAX + 1).unwrap();
    nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(said(&format!("a={}", at("link").display())).contains("it is a link"));
    assert!(said(&format!("a={}", folder.path().display())).contains("not a regular file"));
    assert!(said(&format!("a={}", at("pipe").display())).contains("not a regular file"), "and nobody waits for a writer");
    assert!(said("a=/dev/zero").contains("not a regular file"));
    assert!(said(&format!("a={}", at("large").display())).contains("together"));
    assert!(said("a=/no/such/file").contains("No such file"));
    assert!(said("Key=/etc/hostname").contains("not a key"));
    let real = format!("a={}", at("real").display());
    assert!(read(&[real.clone(), real]).is_err(), "a key names one file");
}
