//! Errors of the driver, caught where they arise.

/// Runs `calls` to the driver and returns their result with the first error that the driver reports.
pub(super) fn within<T>(device: &wgpu::Device, calls: impl FnOnce() -> T) -> (T, Option<wgpu::Error>) {
    let scopes = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let result = calls();
    // Outside a browser the errors of a scope are available at once. All scopes are popped, innermost first, before the first
    // error is returned.
    let faults: Vec<_> = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop())).collect();
    (result, faults.into_iter().flatten().next())
}
