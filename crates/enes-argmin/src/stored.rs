//! The solver in a checkpoint of argmin: settings and, once the run has begun, the optimizer's own checkpoint.

use enes::{Optimizer, Settings};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Enes;

#[derive(Deserialize, Serialize)]
struct Stored {
    settings: Settings,
    optimizer: Option<Vec<u8>>,
}

impl Serialize for Enes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let optimizer = self.optimizer.as_ref().map(Optimizer::to_checkpoint);
        Stored { settings: self.settings.clone(), optimizer }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Enes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(from)?;
        let optimizer = stored.optimizer.map(|bytes| Optimizer::from_checkpoint(&bytes)).transpose();
        Ok(Self { settings: stored.settings, optimizer: optimizer.map_err(serde::de::Error::custom)? })
    }
}
