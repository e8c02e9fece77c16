//! What of the study is run: all of it, or chosen families, members, dimensions, contenders and a number of runs.

use clap::Args;

use super::contender::{Contender, Search};
use super::family::{Family, Member};
use super::spec::Spec;
use crate::arguments::StudyArguments;
use crate::error::ReproduceError;

const DIMENSIONS: [usize; 6] = [2, 5, 10, 20, 40, 80];
const QUICK: [usize; 1] = [2];

/// The seed of the published study. Development uses 1 and those after it; nobody tunes on this one.
const STUDY_SEED: u64 = 190_619;
const DEVELOPMENT_SEED: u64 = 1;

#[derive(Args, Debug)]
pub(crate) struct LandscapesArguments {
    #[command(flatten)]
    pub(crate) study: StudyArguments,

    /// Families, separated by commas [default: all]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    families: Vec<Family>,

    /// Members of the families, as sphere1,max [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    members: Vec<String>,

    /// Dimensions [default: 2,5,10,20,40,80]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = dimension)]
    dims: Vec<usize>,

    /// Who searches [default: all]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    contenders: Vec<Contender>,

    /// One search, or with restarts [default: both, where there is more than one basin]
    #[arg(long, value_enum)]
    search: Option<Search>,

    /// Runs of a cell [default: 15, and 7 from d = 40 on; 2 with --quick]
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
}

fn dimension(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(d) if (2..=1000).contains(&d) => Ok(d),
        _ => Err("a dimension is a number from 2 to 1000".into()),
    }
}

impl LandscapesArguments {
    fn is_part(&self) -> bool {
        self.study.quick
            || !self.families.is_empty()
            || !self.members.is_empty()
            || !self.dims.is_empty()
            || !self.contenders.is_empty()
            || self.search.is_some()
            || self.runs.is_some()
    }

    /// A part of the study in a new folder is development, unless a seed says otherwise.
    pub(crate) fn default_seed(&self) -> u64 {
        if self.is_part() { DEVELOPMENT_SEED } else { STUDY_SEED }
    }

    /// Every run that is asked for.
    pub(super) fn specs(&self) -> Result<Vec<Spec>, ReproduceError> {
        let families = or_all(&self.families, &Family::ALL);
        let contenders = or_all(&self.contenders, &Contender::ALL);
        let dims = or_all(&self.dims, if self.study.quick { &QUICK } else { &DIMENSIONS });
        let known = |name: &String| families.iter().any(|f| f.members().iter().any(|m| m.name == name));
        if let Some(name) = self.members.iter().find(|name| !known(name)) {
            let all: Vec<&str> = families.iter().flat_map(|f| f.members()).map(|m| m.name).collect();
            let what = format!("--members {name} is none of these families; there are {}", all.join(", "));
            return Err(ReproduceError::Usage(what));
        }
        let chosen = |m: &&Member| self.members.is_empty() || self.members.iter().any(|name| name == m.name);
        let mut specs = Vec::new();
        for &d in dims {
            for &family in families {
                let members = family.members();
                let few = if self.study.quick && self.members.is_empty() { 1 } else { members.len() };
                for member in members[..few].iter().filter(chosen) {
                    for search in Search::ALL.into_iter().filter(|s| s.is_for(family)) {
                        if self.search.is_some_and(|only| only != search) {
                            continue;
                        }
                        for &contender in contenders.iter().filter(|c| c.takes_part(search, d)) {
                            let spec = |run| Spec { family, member, d, search, contender, run };
                            specs.extend((0..self.runs_of(d)).map(spec));
                        }
                    }
                }
            }
        }
        specs.retain(|s| !self.study.without_peer || s.contender.solver().is_enes());
        Ok(specs)
    }

    fn runs_of(&self, d: usize) -> u64 {
        self.runs.unwrap_or(match (self.study.quick, d >= 40) {
            (true, _) => 2,
            (false, true) => 7,
            (false, false) => 15,
        })
    }
}

fn or_all<'a, T>(chosen: &'a [T], all: &'a [T]) -> &'a [T] {
    if chosen.is_empty() { all } else { chosen }
}
