//! Tests of receivers, in the same machine as those of stubs.

mod needed;
mod plans;
mod shapes;
mod texts;
mod trial;
