//! How long parsing takes; run with `cargo test --release speed -- --ignored --nocapture`.

use crate::decl::{Declarations, parse_signature};
use crate::types::target::LINUX_X86_64;
use std::hint::black_box;
use std::time::Instant;

fn measure(name: &str, mut run: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..20_000 {
            run();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / 20_000.0);
    }
    println!("{best:8.1} ns  {name}");
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations
        .add("typedef struct point { double x, y; } point_t; int f(point_t *p);")
        .unwrap();
    for prototype in [
        "double pow(double, double)",
        "double pow(double x, double y);",
        "int qsort_like(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))",
        "int printf(const char *, ...)",
        "double f(struct {float x, y, z;}, int)",
    ] {
        measure(prototype, || {
            black_box(parse_signature(None, &LINUX_X86_64, black_box(prototype)).unwrap());
        });
    }
    measure("with declarations: int f(point_t *, point_t)", || {
        let text = black_box("int f(point_t *, point_t)");
        black_box(parse_signature(Some(&declarations), &LINUX_X86_64, text).unwrap());
    });
    measure("find_type(struct point)", || {
        black_box(declarations.find_type(black_box("struct point")).unwrap());
    });
}

#[test]
#[ignore = "a measurement"]
fn speed_of_pow() {
    measure("double pow(double, double)", || {
        black_box(
            parse_signature(None, &LINUX_X86_64, black_box("double pow(double, double)")).unwrap(),
        );
    });
    measure("an allocation of 48 bytes", || {
        black_box(vec![0u8; black_box(48)]);
    });
    println!(
        "{} {} {}",
        size_of::<crate::types::Node>(),
        size_of::<crate::types::Link>(),
        size_of::<crate::decl::operations::Operation>()
    );
}
