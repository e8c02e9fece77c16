//! One run: a contender on an instance.

use std::ops::ControlFlow;

use enes::{ModelChoice, Outcome, Restarts, Run, Settings};

use super::contender::{Contender, Search};
use super::counted::Counted;
use super::family::{Family, Member};
use super::landscape::Landscape;
use crate::error::ReproduceError;
use crate::peer::Peers;
use crate::plan::Plan;
use crate::run::RunRecord;
use crate::runner::Task;

/// Evaluations for each dimension.
const BUDGET: u64 = 4000;
/// No run gets more, so that 80 dimensions can be afforded.
const LARGEST_BUDGET: u64 = 160_000;

#[derive(Clone, Copy)]
pub(super) struct Spec {
    pub(super) family: Family,
    pub(super) member: &'static Member,
    pub(super) d: usize,
    pub(super) search: Search,
    pub(super) contender: Contender,
    pub(super) run: u64,
}

impl Spec {
    /// `asymmetric/sphere1`.
    pub(super) fn function(&self) -> String {
        format!("{}/{}", self.family.name(), self.member.name)
    }

    pub(super) fn budget(&self) -> u64 {
        (BUDGET * self.d as u64).min(LARGEST_BUDGET)
    }

    /// Where there is one basin, only the target and the budget end a search.
    pub(super) fn goes_to_the_end(&self) -> bool {
        !self.family.is_multimodal()
    }

    fn settings(&self, landscape: &Landscape, seed: u64) -> Settings {
        let settings = Settings::new(landscape.start(), landscape.sigma)
            .model(if self.contender == Contender::Ranks { ModelChoice::RankOnly } else { ModelChoice::Auto })
            .restarts(if self.search == Search::Restarts { Restarts::Auto } else { Restarts::Off })
            .seed(seed)
            // Under noise a value at least as good says nothing.
            .target((!landscape.is_noisy()).then_some(landscape.target))
            .max_evaluations(self.budget());
        match self.goes_to_the_end() {
            true => settings
                .tolx(None)
                .tolfun(None)
                .tolfunhist(None)
                .tolstagnation(None)
                .tolflatfitness(None)
                .noeffect(false),
            false => settings,
        }
    }

    fn search_here(&self, counted: &Counted<'_>, settings: &Settings) -> Result<Searched, ReproduceError> {
        let outcome = Run::new(settings)
            .observe(|es| {
                counted.judge(es.mean());
                if counted.has_reached() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .minimize(|x| counted.evaluate(x))?;
        let Outcome { generations, stop, seconds, .. } = outcome;
        let population = settings.population_size();
        Ok(Searched { population, generations, stop: stop.name().to_string(), seconds })
    }
}

/// What a search says of itself.
pub(super) struct Searched {
    pub(super) population: usize,
    pub(super) generations: u64,
    pub(super) stop: String,
    pub(super) seconds: f64,
}

impl Task for Spec {
    fn key(&self) -> String {
        let (experiment, solver) = (self.search.experiment(), self.contender.solver());
        let peer = if solver.is_enes() { String::new() } else { format!("/{}", solver.name()) };
        format!("{experiment}/{}/{}/d{}/{}{peer}", self.contender.name(), self.function(), self.d, self.run)
    }

    fn weight(&self) -> f64 {
        super::expected::seconds(self)
    }

    fn seconds(&self) -> Option<f64> {
        Some(self.weight())
    }

    fn execute(&self, plan: Plan, peers: Option<&Peers>) -> Result<RunRecord, ReproduceError> {
        let seed = plan.seed.wrapping_mul(100_003).wrapping_add(self.run);
        let landscape = Landscape::new(self.family, self.member, self.d, seed)?;
        let counted = Counted::new(&landscape, self.budget(), seed);
        let searched = match (self.contender.solver().is_enes(), peers) {
            (true, _) => self.search_here(&counted, &self.settings(&landscape, seed))?,
            (false, Some(peers)) => super::bridge::search(self, &landscape, &counted, seed, peers)?,
            (false, None) => return Err(ReproduceError::Usage("a run of a peer needs Python".into())),
        };
        let success = counted.has_reached();
        Ok(RunRecord {
            key: self.key(),
            experiment: self.search.experiment().to_string(),
            variant: self.contender.name().to_string(),
            solver: self.contender.solver(),
            function: self.function(),
            d: self.d,
            n: searched.population,
            distance: self.family.start(self.d).0,
            run: self.run,
            evaluations: counted.evaluations(),
            generations: searched.generations,
            value: counted.best(),
            off: counted.off(),
            success,
            stop: if success { "ftarget".to_string() } else { searched.stop },
            reused: 0.0,
            seconds: searched.seconds,
            trace: Vec::new(),
            path: Vec::new(),
        })
    }
}
