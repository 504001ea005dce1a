//! A denial that the application renders itself.

use ::http::{Response, StatusCode, header};

use crate::AnswerBody;

/// A request that does not go on, given to [`LimiterBuilder::on_denied`](crate::LimiterBuilder::on_denied).
#[derive(Debug)]
pub struct Denied {
    pub(crate) response: Response<AnswerBody>,
    pub(crate) policies: Vec<String>,
    pub(crate) consumer: Option<String>,
    pub(crate) plan: Option<String>,
}

/// Renders a denial.
pub(crate) type Render = Box<dyn Fn(Denied) -> Response<AnswerBody> + Send + Sync>;

impl Denied {
    /// The answer's status: 429, or 400, 401, 403, 413, 415, 422, 500, 503; 200 for gRPC, whose
    /// status is in its own field.
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// The Retry-After in whole seconds, if there is one and it is written in seconds.
    pub fn retry_after(&self) -> Option<u64> {
        let value = self.response.headers().get(header::RETRY_AFTER)?;
        value.to_str().ok()?.parse().ok()
    }

    /// The violated policies that may be shown, by name.
    pub fn policies(&self) -> &[String] {
        &self.policies
    }

    /// The consumer's id, when one was verified.
    pub fn consumer(&self) -> Option<&str> {
        self.consumer.as_deref()
    }

    /// The caller's plan.
    pub fn plan(&self) -> Option<&str> {
        self.plan.as_deref()
    }

    /// The standard answer, to be changed where the application wants it: keep its fields, so
    /// that callers know when to come back.
    pub fn into_response(self) -> Response<AnswerBody> {
        self.response
    }
}
