//! Measuring a device record: each rate is the time of a kernel that does one thing, again and again.

mod fields;
pub mod kernels;
mod stopwatch;
#[cfg(test)]
mod tests;
mod tune;

use web_time::Instant;

use super::compile_queue::Haste;
use super::device_record::{Origin, Products};
use super::{
    Arithmetic, CANARY, CanaryBuffers, CanaryParams, DeviceRecord, Family, Gpu, Kernel, Options, Variant,
};
use crate::Result;
use crate::timeline::Timeline;
use kernels::*;
use stopwatch::Stopwatch;

/// Bytes of the vectors of copies, which must be longer than a GPU's caches (an H200 has 50 MiB), and on a software driver.
const VECTOR: usize = 64 << 20;
const SOFTWARE_VECTOR: usize = 16 << 20;
/// Bytes of a transfer between host and device.
const TRANSFER: usize = 32 << 20;
/// The most rounds of a thread: llvmpipe silently ends a loop after 65,535 iterations.
const MOST_ROUNDS: u32 = 32_768;

impl Gpu {
    /// Measures this device: its record without the products of larger fields.
    pub fn measure(&self) -> Result<DeviceRecord> {
        self.measured(None, &[], &mut || ())
    }

    /// Measures what a record lacks: all of it if there is none, and the products of these families. Kernels that `meanwhile` begins to
    /// compile wait, or have a few of the cores, until what is left is measured by the device's clock.
    ///
    /// ```text
    /// host     compile the reference | calls, transfers | compile what is measured   |
    /// device   raise the clock       |                  | raise the clock            | rates
    /// others   compile on a part of the cores           | compile on all
    /// ```
    pub(super) fn measured(
        &self,
        known: Option<DeviceRecord>,
        families: &[Family],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<DeviceRecord> {
        let gpu = self.apart();
        let is_missing = |family: &Family| known.as_ref().is_none_or(|record| !record.knows(*family));
        let families: Vec<Family> = families.iter().copied().filter(is_missing).collect();
        let measuring = gpu.opened.pipelines.queue.measure();
        if gpu.measures_by_its_clock() {
            meanwhile();
        }
        let watch = Stopwatch::new(&gpu)?;
        let host = match &known {
            Some(_) => None,
            None => Some(gpu.host_rates(&watch)?),
        };
        drop(measuring);
        watch.busy_while(|| gpu.compile_rates(host.is_some(), &families))?;
        watch.warm_up()?;
        let mut record = match (known, host) {
            (None, Some(host)) => gpu.record_of(&watch, host)?,
            (known, _) => known.unwrap_or_else(|| self.device_record().clone()),
        };
        for family in families {
            let products = gpu.products(&watch, family)?;
            match family {
                Family::Words => record.words = products,
                Family::Bits255 => record.bits255 = Some(products),
                Family::Bits381 => record.bits381 = Some(products),
            }
        }
        log::debug!("measured: {record:?}");
        Ok(record)
    }

    /// True if rates of this device do not depend on what the host does: it has a clock, memory of its own, and a driver that
    /// takes calls of other threads.
    fn measures_by_its_clock(&self) -> bool {
        self.has_timestamps() && self.adapter().is_discrete() && self.takes_threads()
    }

    /// The rates that depend on the host, which should do nothing else. The time to compile the reference kernel is measured
    /// while the device raises its clock.
    fn host_rates(&self, watch: &Stopwatch) -> Result<HostRates> {
        let compile = watch.busy_while(|| self.times_to_compile(watch))?;
        Ok(HostRates { compile, call: watch.call()?, transfers: self.transfers()? })
    }

    /// Compiles the kernels of a measurement, of all rates or of the products of these families alone.
    fn compile_rates(&self, all: bool, families: &[Family]) -> Result<()> {
        let mut wanted: Vec<(&'static Kernel, Variant, Arithmetic)> = Vec::new();
        // The products take longest, and begin first.
        let words = all.then_some(Family::Words);
        for family in families.iter().copied().chain(words) {
            let (kernel, variant, _) = of_products(family);
            wanted.extend(self.arithmetics().map(|arithmetic| (kernel, variant.clone(), arithmetic)));
        }
        if all {
            let plain = Variant::plain(WORKGROUP);
            let arithmetic = self.arithmetic_of(plain.family());
            let simple = [&COPY, &GATHER, &LOOK_UP, &LOGIC, &EXCHANGE];
            wanted.extend(simple.map(|kernel| (kernel, plain.clone(), arithmetic)));
        }
        let compile = |(kernel, variant, arithmetic): &(&'static Kernel, Variant, Arithmetic)| {
            self.pipeline_with(kernel, variant, *arithmetic, Haste::AtOnce)
        };
        self.each(&wanted, compile).map(drop)
    }

    /// The record of this device, with the rates that depend on the host.
    fn record_of(&self, watch: &Stopwatch, host: HostRates) -> Result<DeviceRecord> {
        let HostRates { compile: [compile, compile_again], call, transfers } = host;
        let simple = |kernel, rounds, each: f64| -> Result<f64> {
            let pipeline = self.pipeline(kernel, &Variant::plain(WORKGROUP))?;
            Ok(each * f64::from(rounds) * watch.threads_per_second(&pipeline, rounds)?)
        };
        let canary = self.pipeline(&CANARY, &Variant::plain(WORKGROUP))?;
        let multiply_adds = 4096.0
            * watch.threads_of(|recorder, groups| {
                let buffers = CanaryBuffers { sink: watch.sink()? };
                let params = CanaryParams { rounds: 4096, never: u32::MAX };
                recorder.dispatch(&canary, "canary", &buffers, &params, groups)
            })?;
        let exchange = self.pipeline(&EXCHANGE, &Variant::plain(WORKGROUP))?;
        Ok(DeviceRecord {
            device: self.adapter().name.clone(),
            origin: Origin::Measured,
            copied_bytes: self.copied_bytes(watch)?,
            gathered_words: self.gathered_words(watch)?,
            lookups: simple(&LOOK_UP, 512, 4.0)?,
            multiply_adds,
            logic: simple(&LOGIC, 1024, 8.0)?,
            exchange: watch.alone(&exchange, 4096)?,
            dispatch: watch.dispatch()?,
            call,
            upload: transfers.upload,
            download: transfers.download,
            staging: transfers.staging,
            compile,
            compile_again,
            opening: self.opening().as_secs_f64().max(1e-3),
            words: self.products(watch, Family::Words)?,
            bits255: None,
            bits381: None,
        })
    }

    /// The same device with a timeline of its own: a measurement is no part of the work that is recorded, or in which a test
    /// loses the device.
    fn apart(&self) -> Gpu {
        self.with_options(Options {
            timeline: Timeline::default(),
            lose_after: None,
            profile: false,
            ..self.options().clone()
        })
    }

    /// Seconds to compile the reference kernel, whose text no driver has seen, and to compile it again. A software driver
    /// translates a kernel when it first runs.
    fn times_to_compile(&self, watch: &Stopwatch) -> Result<[f64; 2]> {
        // The time differs from call to call.
        let salt = web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH);
        let salt = salt.unwrap_or_default().subsec_nanos();
        let variant = field_products(Family::Bits255, salt);
        let time = || -> Result<f64> {
            let begin = Instant::now();
            let pipeline = self.compile_anew(&FIELD_PRODUCTS, &variant, Arithmetic::PORTABLE)?;
            if self.adapter().is_software() {
                watch.time(|recorder| watch.rounds(recorder, &pipeline, 1, 1))?;
            }
            Ok(begin.elapsed().as_secs_f64())
        };
        let first = time()?;
        // A known kernel takes a few milliseconds, of which an interruption would be a large part.
        let mut again = (0..3).map(|_| time()).collect::<Result<Vec<f64>>>()?;
        again.sort_by(f64::total_cmp);
        Ok([first, again[again.len() / 2]])
    }

    /// The products of a family, with both arithmetics.
    fn products(&self, watch: &Stopwatch, family: Family) -> Result<Products> {
        let (kernel, variant, each) = of_products(family);
        let rounds = if family == Family::Words { 512 } else { 64 };
        let measure = |arithmetic| -> Result<[f64; 2]> {
            let pipeline = self.pipeline_with(kernel, &variant, arithmetic, Haste::AtOnce)?;
            let rate = each * f64::from(rounds) * watch.threads_per_second(&pipeline, rounds)?;
            Ok([rate, watch.alone(&pipeline, 8 * rounds)? / each])
        };
        let mut arithmetics = self.arithmetics();
        let portable = Arithmetic { int64: false, ..self.arithmetic() };
        let [portable, portable_latency] = measure(arithmetics.next().unwrap_or(portable))?;
        let int64 = arithmetics.next().map(measure).transpose()?;
        let latency = match int64 {
            Some([rate, latency]) if rate > portable => latency,
            _ => portable_latency,
        };
        Ok(Products { int64: int64.map(|[rate, _]| rate), portable, latency })
    }

    /// The arithmetics that kernels may have: portable, and then with 64-bit integers where the device has them.
    fn arithmetics(&self) -> impl Iterator<Item = Arithmetic> + use<> {
        let own = self.arithmetic();
        [false, true]
            .into_iter()
            .filter(move |int64| own.int64 || !int64)
            .map(move |int64| Arithmetic { int64, ..own })
    }

    /// The bytes of the vectors of a copy.
    fn vector_bytes(&self) -> usize {
        let most = if self.adapter().is_software() { SOFTWARE_VECTOR } else { VECTOR };
        let binding = usize::try_from(self.limits().max_storage_buffer_binding_size).unwrap_or(most);
        1 << most.min(binding).max(WORKGROUP as usize * 16).ilog2()
    }

    fn copied_bytes(&self, watch: &Stopwatch) -> Result<f64> {
        let bytes = self.vector_bytes();
        let source = self.zeros::<[u32; 4]>(bytes / 16)?;
        let target = self.zeros::<[u32; 4]>(bytes / 16)?;
        let pipeline = self.pipeline(&COPY, &Variant::plain(WORKGROUP))?;
        let (len, count) = ((bytes / 16) as u32, 8);
        let time = watch.time(|recorder| {
            for _ in 0..count {
                let buffers = CopyBuffers { source_words: source.whole()?, target_words: target.written()? };
                recorder.dispatch(
                    &pipeline,
                    "copy",
                    &buffers,
                    &CopyParams { len },
                    len.div_ceil(WORKGROUP),
                )?;
            }
            Ok(())
        })?;
        Ok(2.0 * f64::from(count) * bytes as f64 / time.as_secs_f64())
    }

    fn gathered_words(&self, watch: &Stopwatch) -> Result<f64> {
        let words = self.zeros::<u32>(self.vector_bytes() / 4)?;
        let (pipeline, rounds) = (self.pipeline(&GATHER, &Variant::plain(WORKGROUP))?, 64);
        let mask = words.len() as u32 - 1;
        let threads = watch.threads_of(|recorder, groups| {
            let buffers = GatherBuffers { words: words.whole()?, sink: watch.sink()? };
            let params = RoundsParams { rounds, mask, never: u32::MAX };
            recorder.dispatch(&pipeline, "gather", &buffers, &params, groups)
        })?;
        Ok(f64::from(rounds) * threads)
    }

    /// The rates of transfers. The first ones make the buffers through which they go, and take longer.
    fn transfers(&self) -> Result<Transfers> {
        let data = vec![1u32; TRANSFER.min(self.vector_bytes()) / 4];
        let bytes = 4.0 * data.len() as f64;
        let mut vector = self.zeros::<u32>(data.len())?;
        // The threads of the host wake, and the driver gets what it needs for any transfer.
        let small = data.len() / 32;
        vector.write(0, &data[..small])?;
        vector.read(0..small)?;
        let mut both = || -> Result<[f64; 2]> {
            let begin = Instant::now();
            vector.write(0, &data)?;
            // A read waits for the write.
            vector.read(0..1)?;
            let upload = begin.elapsed();
            let begin = Instant::now();
            vector.download()?;
            Ok([upload, begin.elapsed()].map(|time| time.as_secs_f64().max(1e-9)))
        };
        let first = both()?;
        // The staging buffers are there now.
        let again = [both()?, both()?];
        let [upload, download] = [0, 1].map(|way| again[0][way].min(again[1][way]));
        let staging = (first[0] - upload + first[1] - download) / (2.0 * bytes);
        Ok(Transfers { upload: bytes / upload, download: bytes / download, staging: staging.max(1e-13) })
    }
}

/// The kernel that multiplies elements of a family, its variant, and the products of a round.
fn of_products(family: Family) -> (&'static Kernel, Variant, f64) {
    match family {
        Family::Words => (&WORD_PRODUCTS, word_products(), 2.0),
        _ => (&FIELD_PRODUCTS, field_products(family, 0), 1.0),
    }
}

/// The rates that depend on the host.
struct HostRates {
    /// Seconds to compile the reference kernel, and to compile it again.
    compile: [f64; 2],
    call: f64,
    transfers: Transfers,
}

/// The rates of transfers, as a record has them.
struct Transfers {
    upload: f64,
    download: f64,
    staging: f64,
}
