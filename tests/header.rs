//! The checked-in header is what the documentation comments make. `make header` writes it anew.

use std::path::Path;
use std::sync::Mutex;

/// cbindgen tells of what it leaves out by warnings only; here they are failures.
struct Warnings(Mutex<Vec<String>>);

static WARNINGS: Warnings = Warnings(Mutex::new(Vec::new()));

/// The integers that stand for enums where C hands them over. The header has them by the enums' names,
/// which cbindgen does not connect, and a private constant is none of its business.
fn is_expected(warning: &str) -> bool {
    ["StatusNumber", "KindNumber", "AbiNumber", "ThreadsNumber"]
        .iter()
        .any(|name| warning.starts_with(&format!("Can't find {name}.")))
        || warning.ends_with("(not `pub`).")
}

impl log::Log for Warnings {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record<'_>) {
        let text = record.args().to_string();
        if self.enabled(record.metadata()) && !is_expected(&text) {
            self.0.lock().unwrap().push(text);
        }
    }

    fn flush(&self) {}
}

fn generate() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    // The modules' order is the header's.
    let modules = std::fs::read_to_string(root.join("src/capi/mod.rs")).expect("capi");
    let names = modules
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    for name in names {
        builder = builder.with_src(root.join(format!("src/capi/{name}.rs")));
    }
    let mut text = Vec::new();
    builder.generate().expect("cbindgen").write(&mut text);
    String::from_utf8(text).expect("UTF-8")
}

#[test]
fn header_is_current() {
    log::set_logger(&WARNINGS).expect("the only logger");
    log::set_max_level(log::LevelFilter::Warn);
    let generated = generate();
    let warnings = WARNINGS.0.lock().unwrap();
    assert!(warnings.is_empty(), "cbindgen warns: {warnings:#?}");

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/farcall.h");
    if std::env::var_os("FARCALL_UPDATE_HEADER").is_some() {
        std::fs::write(&path, &generated).expect("writing include/farcall.h");
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = checked_in
        .lines()
        .zip(generated.lines())
        .position(|(old, new)| old != new);
    assert!(
        checked_in == generated,
        "include/farcall.h is not what the sources make (first difference at line {}): run `make header`",
        differs.map_or(checked_in.lines().count() + 1, |line| line + 1)
    );
}
