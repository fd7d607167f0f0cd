//! Another static library in Rust, with a runtime of its own that has to unwind.

/// 1024, if a panic can be caught.
#[unsafe(no_mangle)]
pub extern "C" fn neighbour_in_rust(value: i32) -> i32 {
    std::panic::set_hook(Box::new(|_| {}));
    std::panic::catch_unwind(|| {
        assert!(value >= 0, "caught");
        value
    })
    .unwrap_or(1024)
}
