//! Link arguments of the shared library: its SONAME, and that it is never unloaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target_os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target_os == "linux" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libfarcall.so.0");
        // Unloading a Rust library with thread-local destructors crashes the threads that still
        // have to run them.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
