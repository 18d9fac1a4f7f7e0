//! A stage with an artifact of some size: every row depends on every row of every input, so that a wrong bit anywhere
//! shows in everything that follows.

use std::{sync::Arc, time::Duration};

use arrow_array::{Int64Array, RecordBatch, cast::AsArray, types::Int64Type};
use pipeline::{
    Result,
    stage::{Context, Needs, Stage, Stop},
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::trace::Trace;

#[derive(Serialize, Deserialize)]
pub struct Bulk {
    pub rows: usize,
    pub plus: i64,
    pub worker: bool,
    pub sleep_ms: u64,
}

impl Stage for Bulk {
    const KIND: &'static str = "bulk";
    const MODULE: &'static str = "toy::bulk";

    fn needs(&self) -> Needs {
        if self.worker { Needs::worker(8) } else { Needs { memory_mib: 1, ..Needs::default() } }
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let _trace = Trace::start(cx);
        std::thread::sleep(Duration::from_millis(self.sleep_ms));
        let roles: Vec<String> = cx.roles().map(str::to_owned).collect();
        let mut sum = self.plus;
        for role in roles {
            let input = cx.input(&role)?;
            for value in input.column(0).as_primitive::<Int64Type>().values() {
                sum = sum.wrapping_mul(31).wrapping_add(*value);
            }
        }
        let mut rng = ChaCha12Rng::seed_from_u64(sum.cast_unsigned());
        let values: Int64Array = (0..self.rows).map(|_| rng.next_u64().cast_signed()).collect();
        let table = RecordBatch::try_from_iter([("value", Arc::new(values) as _)])
            .map_err(|e| Stop::Failed(e.to_string()))?;
        Ok(cx.write("main", &table)?)
    }
}
