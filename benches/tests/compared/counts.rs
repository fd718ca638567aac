//! The bytes and dispatches that plans of the compared forms count, on a device that computes nothing.

use wgalois::field::BABY_BEAR;
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::{Order, Transform};
use wgalois::task::{Cost, Engine, Problem, Profile, Traffic};
use wgalois::timeline::{Phase, Timeline};
use wgalois::{Device, Error};
use wgalois_benches::compared::four_step::{self, FourStep, Transpose, transpose_forms};
use wgalois_benches::compared::small::{self, Small};
use wgalois_benches::compared::textbook::{self, Textbook};

#[test]
fn forms_that_are_compared_take_the_bytes_and_dispatches_that_their_plans_count() {
    let timeline = Timeline::with_events();
    let gpu = Gpu::idle(Options { timeline: timeline.clone(), ..Options::default() }).unwrap();
    let device = Device::Gpu(gpu);
    let check = |(plan, counted, cost): (String, Traffic, Cost), work: &mut dyn FnMut()| {
        let sum = |phase| -> u64 {
            let events = timeline.recording().events;
            events.iter().filter(|event| event.phase == phase).map(|event| event.bytes).sum()
        };
        let now = || [sum(Phase::Upload), sum(Phase::Download), timeline.dispatches().values().sum()];
        let before = now();
        work();
        let after = now();
        let counted = [counted.upload, counted.download, counted.dispatches.unwrap()];
        assert_eq!(counted, [0, 1, 2].map(|i| after[i] - before[i]), "{plan}");
        let bytes = counted[0];
        assert!(cost.device_bytes >= bytes && cost.host_bytes >= bytes, "{plan}");
    };
    let words = Transform::new(BABY_BEAR, 1 << 14).unwrap();
    for transform in [words, words.inverted(), words.with_output(Order::BitReversed).with_batch(3)] {
        let plan = Textbook::new(&transform, textbook::Options::default()).plan(&device).unwrap();
        let prepared = plan.prepare(&device).unwrap();
        check((plan.to_string(), plan.traffic(), plan.cost()), &mut || {
            _ = prepared.run(&mut vec![0; transform.len()]).unwrap()
        });
    }
    for (form, transform) in four_step::forms().flat_map(|form| [(form, words), (form, words.inverted())]) {
        let plan = FourStep::new(&transform, form).plan(&device).unwrap();
        let prepared = plan.prepare(&device).unwrap();
        check((plan.to_string(), plan.traffic(), plan.cost()), &mut || {
            _ = prepared.run(&mut vec![0; 1 << 14]).unwrap()
        });
    }
    for form in transpose_forms() {
        let plan = Transpose::new(&words, form).plan(&device).unwrap();
        let prepared = plan.prepare(&device).unwrap();
        check((plan.to_string(), plan.traffic(), plan.cost()), &mut || {
            _ = prepared.run(&mut vec![0; 1 << 14]).unwrap()
        });
    }
    for batch in [0, 1, 100] {
        let transform = Transform::new(BABY_BEAR, small::POINTS).unwrap().with_batch(batch);
        let plan = Small::new(&transform, small::forms()[0]).plan(&device).unwrap();
        let prepared = plan.prepare(&device).unwrap();
        check((plan.to_string(), plan.traffic(), plan.cost()), &mut || {
            _ = prepared.run(&mut vec![0; transform.len()]).unwrap()
        });
    }
    // More words than a binding, and more than the memory, holds.
    let profile = device.profile();
    let long = Transform::new(BABY_BEAR, 1 << 20).unwrap();
    for profile in [
        Profile { device_memory: 1 << 20, ..profile.clone() },
        Profile { host_memory: 1 << 20, ..profile.clone() },
        portable_profile(1 << 20),
    ] {
        let textbook = Textbook::new(&long, textbook::Options::default());
        assert!(matches!(textbook.plan_for(&profile), Err(Error::OutOfMemory(_))));
        let form = four_step::forms().next().unwrap();
        assert!(matches!(FourStep::new(&long, form).plan_for(&profile), Err(Error::OutOfMemory(_))));
    }
}

/// The profile of a device whose bindings hold so many bytes.
fn portable_profile(binding_bytes: u64) -> Profile {
    let mut profile = Device::Gpu(Gpu::idle(Options::portable()).unwrap()).profile();
    if let Engine::Gpu(gpu) = &mut profile.engine {
        gpu.binding_bytes = binding_bytes;
    }
    profile
}
