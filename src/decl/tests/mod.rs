//! Tests of the parser.

mod speed;
