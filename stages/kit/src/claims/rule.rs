//! Combines the answers at the places of a claim into one, as its criterion says.

use super::finding::Answer;

/// How a criterion combines the answers at several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It applies to each place that the paper names separately.
    Each,
    /// It has several parts, all of which have to be met.
    All,
    /// It requires a number of the places.
    AtLeast(usize),
    /// It is met if no place contradicts it, and met in part if at most a third do.
    ThirdMayContradict,
    /// It has several parts, of which the last one only limits it: if that one alone is missed, it is met in part.
    PartlyWithoutLast,
    /// The findings are runs of one measurement, or readings of the paper, which have to agree.
    Agree,
}

/// How often each answer was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The criterion is met.
    pub yes: usize,
    /// The criterion is not met.
    pub no: usize,
    /// The evidence cannot tell.
    pub open: usize,
    /// There is no evidence.
    pub untested: usize,
    /// The last answer.
    pub last: Option<Answer>,
}

impl Tally {
    /// Counts `answers`.
    pub fn of(answers: impl Iterator<Item = Answer>) -> Self {
        let mut tally = Self::default();
        for answer in answers {
            *tally.count(answer) += 1;
            tally.last = Some(answer);
        }
        tally
    }

    fn count(&mut self, answer: Answer) -> &mut usize {
        match answer {
            Answer::Yes => &mut self.yes,
            Answer::No => &mut self.no,
            Answer::Open => &mut self.open,
            Answer::Untested => &mut self.untested,
        }
    }

    fn without(mut self, answer: Answer) -> Self {
        *self.count(answer) -= 1;
        self
    }

    fn undecided(&self) -> usize {
        self.open + self.untested
    }
}

/// The combined answer of several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// The criterion is met.
    Met,
    /// The criterion is met in some places and missed in others.
    InPart,
    /// The criterion is missed.
    Missed,
    /// The evidence cannot tell.
    Open,
}

impl Rule {
    /// The name written to tables.
    #[must_use]
    pub fn told(self) -> String {
        match self {
            Self::Each => "each".to_owned(),
            Self::All => "all".to_owned(),
            Self::AtLeast(least) => format!("at least {least}"),
            Self::ThirdMayContradict => "a third may contradict".to_owned(),
            Self::PartlyWithoutLast => "all, partly without the last".to_owned(),
            Self::Agree => "agree".to_owned(),
        }
    }

    /// The combined answer.
    #[must_use]
    pub fn join(self, tally: Tally) -> Joined {
        let Tally { yes, no, .. } = tally;
        let undecided = tally.undecided();
        match self {
            Self::Each => match (yes, no) {
                (0, 0) => Joined::Open,
                (_, 0) if undecided == 0 => Joined::Met,
                (0, _) if undecided == 0 => Joined::Missed,
                (_, 0) | (0, _) => Joined::Open,
                _ => Joined::InPart,
            },
            Self::All if no > 0 => Joined::Missed,
            Self::All if yes > 0 && undecided == 0 => Joined::Met,
            Self::All => Joined::Open,
            Self::AtLeast(least) if yes >= least => Joined::Met,
            Self::AtLeast(least) if yes + undecided < least => Joined::Missed,
            Self::AtLeast(_) => Joined::Open,
            Self::ThirdMayContradict => match (yes, no) {
                (0, 0) => Joined::Open,
                (_, 0) if undecided == 0 => Joined::Met,
                (_, 0) => Joined::Open,
                // However the undecided places may turn out.
                _ if 3 * (no + undecided) <= yes + no + undecided => Joined::InPart,
                _ if 3 * no > yes + no + undecided => Joined::Missed,
                _ => Joined::Open,
            },
            Self::PartlyWithoutLast => {
                let Some(last) = tally.last else { return Joined::Open };
                match (Self::All.join(tally.without(last)), last) {
                    (Joined::Met, Answer::Yes) => Joined::Met,
                    (Joined::Met, Answer::No) => Joined::InPart,
                    (Joined::Met, _) => Joined::Open,
                    (others, _) => others,
                }
            }
            Self::Agree if no == 0 && yes > 0 && undecided == 0 => Joined::Met,
            Self::Agree if yes == 0 && no > 0 && undecided == 0 => Joined::Missed,
            Self::Agree => Joined::Open,
        }
    }

    /// The direction of the answers: as [`join`](Self::join), but places without evidence are ignored, and
    /// for separate places more than half decide if no other contradicts them.
    #[must_use]
    pub fn lean(self, tally: Tally) -> Joined {
        let tally = Tally { untested: 0, ..tally };
        match (self, tally) {
            (Self::PartlyWithoutLast, Tally { last: Some(Answer::Untested), .. }) => {
                Self::All.join(tally)
            }
            (Self::Each | Self::ThirdMayContradict, Tally { yes, no: 0, open, .. })
                if yes > open =>
            {
                Joined::Met
            }
            (Self::Each, Tally { yes: 0, no, open, .. }) if no > open => Joined::Missed,
            _ => self.join(tally),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(yes: usize, no: usize, open: usize, untested: usize) -> Tally {
        Tally { yes, no, open, untested, last: None }
    }

    #[test]
    fn places_by_themselves() {
        let join = |yes, no, open, untested| Rule::Each.join(tally(yes, no, open, untested));
        assert_eq!(join(2, 0, 0, 0), Joined::Met);
        assert_eq!(join(2, 0, 0, 1), Joined::Open, "one place could not be had");
        assert_eq!(join(1, 1, 0, 0), Joined::InPart);
        assert_eq!(join(0, 2, 0, 0), Joined::Missed);
        assert_eq!(join(0, 2, 1, 0), Joined::Open, "the third place may hold");
        assert_eq!(join(0, 2, 0, 1), Joined::Open);
        assert_eq!(join(0, 0, 2, 0), Joined::Open);
        let lean = |yes, no, open, untested| Rule::Each.lean(tally(yes, no, open, untested));
        assert_eq!(lean(2, 0, 1, 5), Joined::Met);
        assert_eq!(lean(1, 0, 1, 0), Joined::Open);
        assert_eq!(lean(0, 1, 2, 0), Joined::Open);
        assert_eq!(lean(0, 2, 1, 0), Joined::Missed);
        assert_eq!(lean(1, 1, 0, 0), Joined::InPart);
    }

    #[test]
    fn parts_are_all_asked_for() {
        let join = |yes, no, open, untested| Rule::All.join(tally(yes, no, open, untested));
        assert_eq!(join(2, 0, 0, 0), Joined::Met);
        assert_eq!(join(2, 1, 0, 0), Joined::Missed, "a failed part is no part success");
        assert_eq!(join(2, 0, 1, 0), Joined::Open);
        assert_eq!(join(0, 0, 0, 2), Joined::Open);
        assert_eq!(Rule::All.lean(tally(1, 0, 0, 1)), Joined::Met);
        assert_eq!(Rule::All.lean(tally(1, 0, 1, 0)), Joined::Open);
    }

    #[test]
    fn counts_of_places() {
        let join = |yes, no, open, untested| Rule::AtLeast(2).join(tally(yes, no, open, untested));
        assert_eq!(join(2, 1, 0, 0), Joined::Met);
        assert_eq!(join(1, 1, 1, 0), Joined::Open);
        assert_eq!(join(1, 2, 0, 0), Joined::Missed);
        assert_eq!(join(0, 2, 0, 1), Joined::Missed);
        let third = |yes, no, open| Rule::ThirdMayContradict.join(tally(yes, no, open, 0));
        assert_eq!(third(7, 0, 0), Joined::Met);
        assert_eq!(third(6, 0, 1), Joined::Open);
        assert_eq!(third(2, 1, 0), Joined::InPart);
        assert_eq!(third(1, 1, 0), Joined::Missed);
        assert_eq!(third(5, 1, 1), Joined::InPart, "two of seven at most");
        assert_eq!(third(4, 2, 1), Joined::Open, "two or three of seven");
        assert_eq!(third(2, 3, 3), Joined::Missed, "three of eight at least");
    }

    #[test]
    fn the_last_part_alone_makes_it_a_part() {
        use Answer::{No, Open, Untested, Yes};
        let rule = Rule::PartlyWithoutLast;
        let join = |answers: &[Answer]| rule.join(Tally::of(answers.iter().copied()));
        assert_eq!(join(&[Yes, Yes, Yes]), Joined::Met);
        assert_eq!(join(&[Yes, Yes, No]), Joined::InPart);
        assert_eq!(join(&[Yes, No, Yes]), Joined::Missed, "one of the parts is missed");
        assert_eq!(join(&[Yes, No, No]), Joined::Missed);
        assert_eq!(join(&[Yes, Open, No]), Joined::Open, "the parts may yet be missed");
        assert_eq!(join(&[Yes, Yes, Open]), Joined::Open);
        assert_eq!(join(&[Yes, Yes, Untested]), Joined::Open);
        assert_eq!((join(&[Yes]), join(&[])), (Joined::Open, Joined::Open));
        let lean = |answers: &[Answer]| rule.lean(Tally::of(answers.iter().copied()));
        assert_eq!(lean(&[Yes, Untested, Yes]), Joined::Met);
        assert_eq!(lean(&[Yes, Yes, Untested]), Joined::Met);
        assert_eq!(lean(&[Yes, No, Untested]), Joined::Missed);
        assert_eq!(lean(&[Yes, Untested, No]), Joined::InPart);
        assert_eq!(lean(&[Untested, Untested]), Joined::Open);
    }

    #[test]
    fn repeats_have_to_agree() {
        let join = |yes, no| Rule::Agree.join(tally(yes, no, 0, 0));
        assert_eq!(join(2, 0), Joined::Met);
        assert_eq!(join(0, 2), Joined::Missed);
        assert_eq!(join(1, 1), Joined::Open);
    }
}
