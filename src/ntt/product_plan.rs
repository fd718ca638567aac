//! From a product to its plan.

use std::fmt;

use super::product::{Convolution, Product};
use super::{Form, cost, gpu};
use crate::Result;
use crate::task::{self, Cost, OneEngine, Plan, Problem, Profile, Shares, Traffic};

/// The plan of a [`Product`] on one device.
#[derive(Clone, Debug)]
pub struct ProductPlan {
    pub(super) product: Product,
    /// The transforms; None if a factor is empty.
    pub(super) convolution: Option<Convolution>,
    pub(super) length: usize,
    pub(super) engine: Engine,
    cost: Cost,
}

#[derive(Clone, Debug)]
pub(super) enum Engine {
    Cpu {
        threads: usize,
    },
    Gpu(Option<gpu::ProductPlan>),
    /// Several GPUs share the products of a batch.
    Group(Shares<ProductPlan>),
}

impl Problem for Product {
    type Plan = ProductPlan;

    fn plan_for(&self, profile: &Profile) -> Result<ProductPlan> {
        if let task::Engine::Group(members) = &profile.engine {
            let plan = |batch, profile: &Profile| self.with_batch(batch).plan_for(profile);
            let shares = Shares::plan(profile, members, self.batch(), plan)?;
            let (cost, convolution) = (shares.cost(), self.convolution()?);
            let (product, length, engine) = (*self, self.length()?, Engine::Group(shares));
            return Ok(ProductPlan { product, convolution, length, engine, cost });
        }
        let plan = ProductPlan::unchecked(self, profile)?;
        plan.cost.check(profile, "this product")?;
        Ok(plan)
    }
}

impl Plan for ProductPlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        match &self.engine {
            Engine::Cpu { .. } => Traffic::default(),
            Engine::Gpu(plan) => {
                let factors = self.product.folded().iter().sum::<usize>() as u64;
                let one = Traffic {
                    upload: if plan.is_some() { 4 * factors } else { 0 },
                    download: 4 * self.transform_len().unwrap_or(0) as u64,
                    dispatches: Some(plan.as_ref().map_or(0, gpu::ProductPlan::dispatches) as u64),
                };
                one.times(self.product.batch() as u64)
            }
            Engine::Group(shares) => shares.traffic(),
        }
    }
}

impl ProductPlan {
    /// The plan, without a check of the memory that it takes.
    pub(super) fn unchecked(product: &Product, profile: &Profile) -> Result<Self> {
        let convolution = product.convolution()?;
        let (engine, cost) = match profile.one_engine() {
            OneEngine::Cpu(threads) => {
                let cost = cost::product_on_cpu(product, convolution.as_ref(), threads)?;
                (Engine::Cpu { threads }, cost)
            }
            OneEngine::Gpu(gpu) => {
                let plan =
                    convolution.map(|convolution| gpu::ProductPlan::new(&convolution, gpu)).transpose()?;
                let cost = cost::product_on_gpu(product, plan.as_ref(), gpu)?;
                (Engine::Gpu(plan), cost)
            }
        };
        Ok(ProductPlan { product: *product, convolution, length: product.length()?, engine, cost })
    }

    /// The product.
    pub fn product(&self) -> &Product {
        &self.product
    }

    /// n, the length of its transforms; None if a factor is empty.
    pub fn transform_len(&self) -> Option<usize> {
        self.convolution.map(|convolution| convolution.n())
    }

    /// The dispatches of one product on a GPU; None on the CPU engine.
    pub fn dispatches(&self) -> Option<usize> {
        match &self.engine {
            Engine::Cpu { .. } => None,
            Engine::Gpu(plan) => Some(plan.as_ref().map_or(0, gpu::ProductPlan::dispatches)),
            Engine::Group(shares) => shares.largest().and_then(ProductPlan::dispatches),
        }
    }

    /// Bytes of tables, on the host for the CPU engine and on the device for a GPU.
    pub(super) fn table_bytes(&self) -> u64 {
        match (&self.engine, &self.convolution) {
            (Engine::Gpu(Some(plan)), _) => plan.table_bytes(),
            (Engine::Cpu { .. }, Some(convolution)) => cost::convolution_tables(convolution),
            _ => 0,
        }
    }

    /// Bytes of tables that stay on the host: those of the CPU engine.
    pub(super) fn host_table_bytes(&self) -> u64 {
        match &self.engine {
            Engine::Cpu { .. } => self.table_bytes(),
            Engine::Gpu(_) | Engine::Group(_) => 0,
        }
    }
}

impl fmt::Display for ProductPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b], prime) = (self.product.lengths(), self.product.prime());
        let ring = match self.product.form() {
            Form::Linear => String::new(),
            Form::Cyclic(n) => format!(", x^{n} - 1"),
            Form::Negacyclic(n) => format!(", x^{n} + 1"),
        };
        writeln!(f, "factors        {a} and {b} coefficients modulo {prime}{ring}")?;
        match &self.convolution {
            None => writeln!(f, "transforms     none")?,
            Some(Convolution { log_n, .. }) => writeln!(f, "transforms     of 2^{log_n} words")?,
        }
        match &self.engine {
            Engine::Cpu { threads } => writeln!(f, "engine         CPU, {threads} threads")?,
            Engine::Gpu(_) => {
                writeln!(f, "engine         GPU")?;
                writeln!(f, "dispatches     {}", self.dispatches().unwrap_or(0))?;
            }
            Engine::Group(shares) => {
                let plan = |batch, profile: &Profile| self.product.with_batch(batch).plan_for(profile);
                return shares.write(f, "products", plan);
            }
        }
        self.cost.fmt(f)
    }
}
