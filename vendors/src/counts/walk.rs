//! Steps as blocks between branches, their loops, and what one run of them costs.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::Step;

/// How often a loop of some depth runs, and how its branches count.
#[derive(Clone, Copy, Debug)]
pub struct Trips {
    /// Iterations.
    pub count: f64,
    /// How what branches can skip counts.
    pub skipped: Skipped,
}

/// How the parts of a loop that branches can skip count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// In all iterations.
    Always,
    /// Both ways of a branch in half of them: such branches choose a limb by its number.
    Half,
    /// Once in all, as a case of a switch by the number of the iteration. The largest part that can be skipped counts in all
    /// iterations but the last.
    OnceButLargest,
}

/// The blocks of a kernel.
pub struct Blocks {
    costs: Vec<f64>,
    next: Vec<Vec<usize>>,
    /// By its first block, the blocks of a loop.
    loops: BTreeMap<usize, BTreeSet<usize>>,
}

impl Blocks {
    /// Divides steps into blocks, and finds the loops. Fails with the label that a branch names and no place has.
    pub fn of(steps: &[Step]) -> Result<Self, String> {
        // The block of each step; a label begins one, a branch ends one.
        let (mut block_of, mut block, mut is_new) = (Vec::new(), 0, true);
        for step in steps {
            if matches!(step, Step::Label(_)) && !is_new {
                block += 1;
            }
            is_new = matches!(step, Step::Label(_));
            block_of.push(block);
            if matches!(step, Step::Branch { .. }) {
                block += 1;
                is_new = true;
            }
        }
        let count = block_of.last().map_or(0, |last| last + 2);
        let (mut costs, mut next) = (vec![0.0; count], vec![Vec::new(); count]);
        let mut falls = vec![true; count];
        let labels: BTreeMap<&str, usize> = steps
            .iter()
            .enumerate()
            .filter_map(|(at, step)| match step {
                Step::Label(label) => Some((&label[..], at)),
                _ => None,
            })
            .collect();
        for (step, &block) in steps.iter().zip(&block_of) {
            match step {
                Step::Label(_) => {}
                Step::Instruction(cost) => costs[block] += cost,
                Step::Branch { cost, target, always } => {
                    costs[block] += cost;
                    falls[block] = !always;
                    let at = labels.get(&target[..]).ok_or_else(|| target.clone())?;
                    next[block].push(block_of[*at]);
                }
            }
        }
        for block in 0..count.saturating_sub(1) {
            if falls[block] && !next[block].contains(&(block + 1)) {
                next[block].push(block + 1);
            }
        }
        let loops = loops(&next);
        Ok(Blocks { costs, next, loops })
    }

    /// True if there is a loop.
    pub fn have_loops(&self) -> bool {
        !self.loops.is_empty()
    }

    /// The cost of all; `trips` has the loops by depth, from the outermost on.
    pub fn cost(&self, trips: &[Trips]) -> f64 {
        let all = (0..self.costs.len()).collect();
        self.part(0, &all, Trips { count: 1.0, skipped: Skipped::Always }, trips)
    }

    /// The cost of the outermost loop with the most instructions; none without loops.
    pub fn cost_of_largest_loop(&self, trips: &[Trips]) -> Option<f64> {
        let size = |blocks: &BTreeSet<usize>| blocks.iter().map(|&block| self.costs[block]).sum::<f64>();
        let (head, blocks) = self.loops.iter().max_by(|a, b| size(a.1).total_cmp(&size(b.1)))?;
        let (first, inner) = trips.split_first()?;
        Some(self.part(*head, blocks, *first, inner))
    }

    /// The cost of the blocks of a loop, or of all, from the first one on.
    fn part(&self, head: usize, blocks: &BTreeSet<usize>, trips: Trips, inner: &[Trips]) -> f64 {
        // A loop inside is one place, that of its first block.
        let inside = |(first, own): &(&usize, &BTreeSet<usize>)| **first != head && own.is_subset(blocks);
        let loops: Vec<_> = self.loops.iter().filter(inside).collect();
        let place = |block: usize| {
            let around = loops.iter().filter(|(_, own)| own.contains(&block));
            around.max_by_key(|(_, own)| own.len()).map_or(block, |(first, _)| **first)
        };
        let places: BTreeMap<usize, usize> = blocks.iter().map(|&block| (block, place(block))).collect();
        let mut ways: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &block in blocks {
            let own = ways.entry(places[&block]).or_default();
            let next =
                self.next[block].iter().filter(|&&next| next != head).filter_map(|next| places.get(next));
            own.extend(next.filter(|&&next| next != places[&block]));
        }
        let cost_at = |at: usize| match self.loops.get(&at).filter(|_| at != head) {
            Some(own) => {
                // A loop deeper than those that are known runs once.
                let once = Trips { count: 1.0, skipped: Skipped::Always };
                let (first, deeper) = inner.split_first().unwrap_or((&once, &[]));
                self.part(at, own, *first, deeper)
            }
            None => self.costs[at],
        };
        let order = in_order(head, &ways);
        // How often a place is reached if branches go either way equally often.
        let mut shares = BTreeMap::from([(head, 1.0)]);
        for at in &order {
            let (share, next) = (shares[at], &ways[at]);
            for next in next {
                *shares.entry(*next).or_insert(0.0) += share / ways[at].len() as f64;
            }
        }
        let is_always = |at: &usize| shares[at] > 1.0 - 1e-9;
        match trips.skipped {
            Skipped::Always => trips.count * order.iter().map(|&at| cost_at(at)).sum::<f64>(),
            Skipped::Half => trips.count * order.iter().map(|at| shares[at] * cost_at(*at)).sum::<f64>(),
            Skipped::OnceButLargest => {
                let always: f64 = order.iter().filter(|at| is_always(at)).map(|&at| cost_at(at)).sum();
                let parts = order.split(is_always);
                let parts: Vec<f64> = parts.map(|part| part.iter().map(|&at| cost_at(at)).sum()).collect();
                let largest = parts.iter().copied().fold(0.0, f64::max);
                trips.count * always + parts.iter().sum::<f64>() + (trips.count - 2.0) * largest
            }
        }
    }
}

/// The places from `head` on, each behind all from which it is reached.
fn in_order(head: usize, ways: &BTreeMap<usize, BTreeSet<usize>>) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::new(), BTreeSet::from([head]));
    // A place with the ways from it that are left.
    let all = |at: usize| ways.get(&at).into_iter().flatten().copied().collect::<Vec<_>>();
    let mut open = vec![(head, all(head))];
    while let Some((at, left)) = open.last_mut() {
        match left.pop() {
            Some(next) if seen.insert(next) => {
                let ways = all(next);
                open.push((next, ways));
            }
            Some(_) => {}
            None => {
                order.push(*at);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The loops of a graph, by their first blocks: an edge back to a block through which all ways to it lead.
fn loops(next: &[Vec<usize>]) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (block, next) in next.iter().enumerate() {
        for &next in next {
            before[next].push(block);
        }
    }
    let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let backward = next.iter().enumerate().flat_map(|(from, next)| next.iter().map(move |&to| (from, to)));
    for (from, head) in backward {
        // All that leads to `from` without `head`. If that includes the first block, the edge is none of a loop.
        let (mut own, mut open) = (BTreeSet::from([head, from]), vec![from]);
        while let Some(block) = open.pop().filter(|&block| block != head) {
            for &block in &before[block] {
                if own.insert(block) {
                    open.push(block);
                }
            }
        }
        if reaches(next, head, from) && (head == 0 || !own.contains(&0)) {
            found.entry(head).or_default().extend(own);
        }
    }
    found
}

fn reaches(next: &[Vec<usize>], from: usize, to: usize) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(block) = open.pop() {
        if block == to {
            return true;
        }
        open.extend(next[block].iter().copied().filter(|&block| seen.insert(block)));
    }
    false
}
