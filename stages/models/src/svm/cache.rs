//! A cache of the most recently used rows of a kernel matrix.
//!
//! Rows are kept in single precision: twice as many fit, and the gradient, in double precision, uses every
//! row with the same rounding.

use super::panels::ROWS;
use crate::svm::kernel::RbfRows;

/// The index that stands for no slot.
const NONE: u32 = u32::MAX;

/// The cache of rows, indexed by points.
#[derive(Debug)]
pub(crate) struct Cache {
    /// The row in each slot.
    rows: Vec<Vec<f32>>,
    /// The point whose row is in each slot.
    owner: Vec<u32>,
    /// The slot of each point's row.
    place: Vec<u32>,
    /// The ring of slots in order of use, the most recently used first; it begins and ends at a sentinel
    /// after the last slot.
    after: Vec<u32>,
    before: Vec<u32>,
    capacity: usize,
    /// Kernel values computed.
    pub(crate) evaluations: u64,
    packed: Vec<f64>,
}

impl Cache {
    /// Room for `bytes` of rows of `kernel`, at least those of two blocks.
    pub(crate) fn new(kernel: &RbfRows, bytes: usize) -> Self {
        let n = kernel.len();
        let capacity = (bytes / (4 * kernel.width().max(1))).max(2 * ROWS).min(n);
        Self {
            rows: Vec::new(),
            owner: Vec::new(),
            place: vec![NONE; n],
            after: vec![capacity as u32; capacity + 1],
            before: vec![capacity as u32; capacity + 1],
            capacity,
            evaluations: 0,
            packed: Vec::new(),
        }
    }

    /// Removes a slot from the ring.
    fn unlink(&mut self, place: usize) {
        let (before, after) = (self.before[place], self.after[place]);
        self.after[before as usize] = after;
        self.before[after as usize] = before;
    }

    /// Puts a slot that is not in the ring at its front.
    fn link(&mut self, place: usize) {
        let second = self.after[self.capacity];
        self.after[place] = second;
        self.before[place] = self.capacity as u32;
        self.before[second as usize] = place as u32;
        self.after[self.capacity] = place as u32;
    }

    /// Gives a point the least recently used slot, or a new one.
    fn settle(&mut self, point: u32, width: usize) -> usize {
        let place = if self.rows.len() < self.capacity {
            self.rows.push(vec![0.0; width]);
            self.owner.push(point);
            self.rows.len() - 1
        } else {
            let oldest = self.before[self.capacity] as usize;
            self.unlink(oldest);
            self.place[self.owner[oldest] as usize] = NONE;
            self.owner[oldest] = point;
            oldest
        };
        self.place[point as usize] = place as u32;
        self.link(place);
        place
    }

    /// Makes sure that the row of `point` is cached, and returns its slot. If blocks are quicker, missing
    /// rows of the points that `soon` names are computed with it. The rows of the two points requested last
    /// are never evicted.
    pub(crate) fn bring<const N: usize>(
        &mut self,
        kernel: &RbfRows,
        point: usize,
        soon: impl FnOnce() -> [u32; N],
    ) -> usize {
        if self.place[point] != NONE {
            let place = self.place[point] as usize;
            self.unlink(place);
            self.link(place);
            return place;
        }
        let width = kernel.width();
        let mut points = [point; ROWS];
        let mut count = 1;
        if kernel.gains_by_blocks() {
            for other in soon().map(|other| other as usize) {
                let known = points[..count].contains(&other);
                if count < ROWS && !known && self.place[other] == NONE {
                    points[count] = other;
                    count += 1;
                }
            }
        }
        if count < ROWS {
            let place = self.settle(point as u32, width);
            kernel.rows(kernel, [point], [&mut self.rows[place]], &mut self.packed);
            self.evaluations += kernel.len() as u64;
            return place;
        }
        // The requested one is last, so that it is the most recently used.
        let places: [usize; ROWS] =
            std::array::from_fn(|r| self.settle(points[ROWS - 1 - r] as u32, width));
        let mut rows = places.map(|place| std::mem::take(&mut self.rows[place]));
        let points = places.map(|place| self.owner[place] as usize);
        kernel.rows(kernel, points, rows.each_mut().map(Vec::as_mut_slice), &mut self.packed);
        for (place, row) in places.into_iter().zip(rows) {
            self.rows[place] = row;
        }
        self.evaluations += (ROWS * kernel.len()) as u64;
        places[ROWS - 1]
    }

    /// The row in a slot.
    #[inline]
    pub(crate) fn row(&self, place: usize) -> &[f32] {
        &self.rows[place]
    }

    /// The same rows for only the points `keep`, now numbered in that order and packed as `kernel`; rows of
    /// other points are dropped.
    pub(crate) fn narrowed(self, kernel: &RbfRows, keep: &[u32], bytes: usize) -> Self {
        let mut narrow = Self::new(kernel, bytes);
        narrow.evaluations = self.evaluations;
        for (t, &point) in keep.iter().enumerate() {
            let place = self.place[point as usize];
            if place == NONE || narrow.rows.len() == narrow.capacity {
                continue;
            }
            let to = narrow.settle(t as u32, kernel.width());
            let row = &self.rows[place as usize];
            for (slot, &from) in narrow.rows[to].iter_mut().zip(keep) {
                *slot = row[from as usize];
            }
        }
        narrow
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    /// Points whose rows are computed one at a time (few features) and in blocks (many).
    fn kernels(n: usize) -> [RbfRows; 2] {
        [3, 60].map(|d| {
            let x = Array2::from_shape_fn((n, d), |(i, j)| ((i * 7 + j * 5) as f64).sin());
            RbfRows::new(x.view(), 0.1)
        })
    }

    fn expected(kernel: &RbfRows, point: usize) -> Vec<f32> {
        let mut row = vec![0.0; kernel.width()];
        kernel.rows(kernel, [point], [&mut row], &mut Vec::new());
        row
    }

    #[test]
    fn rows_are_right_and_the_oldest_go_first() {
        for kernel in kernels(40) {
            let row_bytes = 4 * kernel.width();
            let mut cache = Cache::new(&kernel, 9 * row_bytes);
            let mut last = 0;
            for step in 0..400_usize {
                let i = (step * step * 7 + step / 3) % 40;
                let soon = || [1, 4, 9, 16, 25].map(|k| ((i + k) % 40) as u32);
                let place = cache.bring(&kernel, i, soon);
                assert_eq!(cache.row(place), expected(&kernel, i));
                // The row before is still cached.
                let before = cache.place[last];
                assert!(before != NONE && cache.row(before as usize) == expected(&kernel, last));
                last = i;
                assert!(cache.rows.len() <= 9);
            }
            let evaluations = cache.evaluations;
            cache.bring(&kernel, last, || []);
            assert_eq!(cache.evaluations, evaluations, "a row that is there costs nothing");
        }
        let [kernel, _] = kernels(40);
        let mut cache = Cache::new(&kernel, 8 * 4 * kernel.width());
        (0..8).for_each(|i| _ = cache.bring(&kernel, i, || []));
        cache.bring(&kernel, 0, || []);
        cache.bring(&kernel, 8, || []);
        assert!(cache.place[0] != NONE && cache.place[1] == NONE && cache.place[2] != NONE);
    }

    #[test]
    fn narrowed_rows_are_those_of_the_narrowed_kernel() {
        for kernel in kernels(40) {
            let mut cache = Cache::new(&kernel, 1 << 20);
            (0..40).step_by(3).for_each(|i| _ = cache.bring(&kernel, i, || [1, 2, 4, 5]));
            let keep = [3, 4, 9, 20, 36, 39];
            let few = kernel.select(&keep);
            let mut narrow = cache.narrowed(&few, &keep, 1 << 20);
            let evaluations = narrow.evaluations;
            for t in [0, 2, 4, 5] {
                let place = narrow.bring(&few, t, || []);
                assert_eq!(narrow.row(place)[..6], expected(&few, t)[..6]);
            }
            assert_eq!(narrow.evaluations, evaluations);
        }
    }
}
