//! `wgalois bench group`.

use crate::bench::prelude::*;
use wgalois::curve::Bls12_381;
use wgalois::field::BABY_BEAR;
use wgalois_benches::group::Compared;

/// Time the same work on one GPU and on all GPUs of a group, by the host's clock
///
/// With data `on the devices` every GPU holds its share, all begin at the same moment, and the time ends when
/// the last one is done, with the host's last step. With data `in host memory` it is the time of a whole call
/// of the library. The results of one GPU and of all are compared. Before each sample the work runs once for
/// nothing, to raise the GPUs' clocks. Without --ntt, --msm and --rank, all three are timed at small sizes.
/// `--device all` is every GPU of the host; 0,1 the first two; 0,0 the first GPU twice.
#[derive(clap::Args)]
pub struct Group {
    /// Numbers of points of multi-scalar multiplications on BLS12-381
    #[arg(long, value_name = "SIZES")]
    msm: Option<Sizes>,
    /// Numbers of rows and columns of random matrices whose rank is determined
    #[arg(long, value_name = "SIZES")]
    rank: Option<Sizes>,
    /// Number of points of the transforms over Baby Bear's field
    #[arg(long, value_name = "SIZES")]
    ntt: Option<Sizes>,
    /// Number of transforms at a time
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = count::<u32>(2..=1 << 20))]
    batch: u32,
    /// Number of samples of each time
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count::<u32>(1..=10_000))]
    samples: u32,
    #[command(flatten)]
    csv: Csv,
}

impl Run for Group {
    fn outputs(&self) -> Outputs {
        Outputs { files: self.csv.outputs(), ..Outputs::default() }
    }

    fn run(&self, context: &Context) -> Result<()> {
        let all = self.ntt.is_none() && self.msm.is_none() && self.rank.is_none();
        let sizes = |given: &Option<Sizes>, default: u32| match given {
            Some(sizes) => sizes.0.clone(),
            None if all => vec![default],
            None => Vec::new(),
        };
        let group = context.group()?;
        let compared = Compared::new(&group, self.samples as usize);
        let mut rows: Vec<Row> = Vec::new();
        let mut measure = |name, sizes: Vec<u32>, power: u32, rows_of: &dyn Fn(u32) -> Result<Vec<Row>>| {
            let effort = |log_n: u32| 1u64 << (power * log_n).min(56);
            let progress = context.bar(name, sizes.iter().map(|&log_n| effort(log_n)).sum());
            for log_n in sizes {
                rows.extend(rows_of(log_n)?);
                progress.advance(effort(log_n));
            }
            Ok::<_, Error>(())
        };
        measure("transforms", sizes(&self.ntt, 12), 1, &|log_n| {
            compared.transforms(BABY_BEAR, log_n, self.batch as usize)
        })?;
        measure("multiplications", sizes(&self.msm, 12), 1, &|log_n| compared.msm::<Bls12_381>(1 << log_n))?;
        measure("ranks", sizes(&self.rank, 10), 3, &|log_n| compared.rank(1 << log_n))?;
        self.csv.report(context, &rows)?;
        print_rows(context, &rows)?;
        judge(&rows, rows.len())
    }
}
