//! Tests of the parser.

mod layouts;
mod speed;
