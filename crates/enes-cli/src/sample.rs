//! An even sample of a long sequence: every item of a short one, every second, fourth … of a longer one.

/// At most `most` items, the first among them.
#[derive(Clone, Debug)]
pub(crate) struct Sample<T> {
    kept: Vec<T>,
    most: usize,
    stride: u64,
    seen: u64,
    /// The latest item, where it is not kept.
    latest: Option<T>,
}

impl<T> Sample<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Vec::new(), most: most.max(2), stride: 1, seen: 0, latest: None }
    }

    pub(crate) fn push(&mut self, item: T) {
        self.latest = None;
        if self.seen.is_multiple_of(self.stride) {
            self.kept.push(item);
        } else {
            self.latest = Some(item);
        }
        self.seen += 1;
        if self.kept.len() == self.most {
            let mut keep = false;
            self.kept.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
    }

    pub(crate) fn items(&self) -> &[T] {
        &self.kept
    }

    /// The sample, and the last item of the sequence.
    pub(crate) fn into_items(mut self) -> Vec<T> {
        self.kept.extend(self.latest);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn a_long_sequence_keeps_few_items_both_ends_among_them() {
        for length in [1, 2, 99, 100, 101, 12_345] {
            let mut sample = Sample::new(100);
            (0..length).for_each(|i| sample.push(i));
            let items = sample.into_items();
            assert!(items.len() <= 100 && items.len() >= length.min(50));
            assert_eq!((items[0], items[items.len() - 1]), (0, length - 1));
        }
    }
}
