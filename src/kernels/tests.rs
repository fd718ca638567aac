//! Tests that cover the kernels of all tasks.

mod counts;
mod traces;
