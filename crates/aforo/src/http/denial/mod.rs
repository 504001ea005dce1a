//! The answer to a request that does not go on.

mod asked;
mod decision_id;
mod refused;

pub use asked::Asked;
pub use decision_id::DecisionId;
pub use refused::Refused;

use ::http::Response;
use aforo_policy::Responses;

use super::Shown;
use crate::AnswerBody;

/// The answer to a request that does not go on: status, fields and body.
pub fn answer(
    refused: &Refused<'_>,
    shown: &Shown<'_>,
    responses: &Responses,
    asked: &Asked<'_>,
) -> Response<AnswerBody> {
    let _ = (refused, shown, responses, asked);
    Response::new(AnswerBody::default())
}
