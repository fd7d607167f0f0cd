//! Tests of receivers, in the same machine as those of stubs.

mod needed;
mod shapes;
mod texts;
mod trial;
