//! Multi-scalar multiplication on a GPU.

mod evaluate;

#[cfg(test)]
mod tests;
