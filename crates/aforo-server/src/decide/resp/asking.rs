//! Questions of one pipeline that wait for a store: asked together, answered in order.

use aforo::Limiter;
use futures_util::future::join_all;

use super::question::Question;
use super::reply::Reply;

/// The most that one client asks at once.
pub(super) const MOST_ASKED: usize = 64;

/// Questions that wait, each with the place of its answer among what is answered already.
#[derive(Debug, Default)]
pub(super) struct Asking(Vec<Waiting>);

#[derive(Debug)]
struct Waiting {
    place: usize,
    resp3: bool,
    question: Question,
}

impl Asking {
    /// The answer to this belongs after so many bytes of the others.
    pub(super) fn push(&mut self, place: usize, resp3: bool, question: Question) {
        self.0.push(Waiting {
            place,
            resp3,
            question,
        });
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }

    /// Asks all of them and puts their answers into what was written.
    pub(super) async fn answered(self, limiter: &Limiter, written: Vec<u8>) -> Vec<u8> {
        let answers = self.0.iter().map(|waiting| async {
            let mut answer = Vec::new();
            let mut reply = Reply::new(&mut answer, waiting.resp3);
            waiting.question.answer(limiter, &mut reply).await;
            answer
        });
        let answers = join_all(answers).await;
        let mut whole = Vec::new();
        let mut begin = 0;
        for (waiting, answer) in self.0.iter().zip(answers) {
            whole.extend_from_slice(written.get(begin..waiting.place).unwrap_or_default());
            whole.extend(answer);
            begin = waiting.place;
        }
        whole.extend_from_slice(written.get(begin..).unwrap_or_default());
        whole
    }
}
