//! Boolean equations.

use crate::plans::case::{Of, timed};
use crate::plans::{Case, Verb};
#[cfg(not(target_arch = "wasm32"))]
use wgalois::task::Problem;
#[cfg(not(target_arch = "wasm32"))]
use wgalois_boolean::Speeds;
use wgalois_boolean::{Equations, Query, Solve, SolveInput, generate};

/// Variables, equations and degree.
type Shape = (usize, usize, usize);

pub fn systems() -> Vec<Case> {
    let shapes: [(&str, &[Shape]); 3] = [
        ("degree 2", &[(16, 16, 2), (22, 22, 2), (28, 28, 2), (32, 32, 2), (36, 36, 2), (40, 40, 2)]),
        ("degree 2, twice as many equations", &[(16, 32, 2), (24, 48, 2), (32, 64, 2), (40, 80, 2)]),
        ("degree 3", &[(16, 16, 3), (20, 20, 3), (24, 24, 3), (28, 28, 3)]),
    ];
    shapes
        .into_iter()
        .flat_map(|(series, shapes)| shapes.iter().map(move |&shape| case(series, shape)))
        .collect()
}

fn case(series: &'static str, (variables, equations, degree): Shape) -> Case {
    Case::new((Verb::Solve, series), format!("{variables} variables"), move || {
        let system = generate::random(variables, equations, degree, 1, true)?.equations;
        let problem = Solve::of(&system).with_query(Query::All);
        let of = Of::new(
            problem,
            move || Ok(system.clone()),
            async |plan, device, system: &Equations| {
                let (time, ((solutions, _), _)) =
                    timed(plan.compute_async(device, SolveInput::new(system))).await?;
                Ok((time, solutions))
            },
            |_, system, solutions| {
                let lists_all = solutions.is_complete && !solutions.list.is_empty();
                wgalois::Wrong::unless(lists_all, "the planted solution is missing")?;
                solutions.check(system).map(drop)
            },
        );
        // As the program does, which keeps the speeds of a device.
        #[cfg(not(target_arch = "wasm32"))]
        let of = of.refined(|problem, device| {
            let is_long = problem.plan(device)?.cost().time >= Speeds::WORTH_MEASURING;
            let speeds = if is_long { Some(Speeds::kept(device)?) } else { Speeds::known(device) };
            Ok(speeds.map_or_else(|| problem.clone(), |speeds| problem.clone().with_speeds(speeds)))
        });
        Ok(of)
    })
}
