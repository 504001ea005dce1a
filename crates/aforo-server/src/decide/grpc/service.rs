//! `ShouldRateLimit`.

use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::rc::Rc;

use aforo::Limiter;
use aforo::decide::{BroughtQuota, Descriptor};
use aforo_policy::Refusal;
use futures_util::future::Either;
use tonic::server::UnaryService;
use tonic::{Request, Response, Status};

use super::asked::Asked;
use super::attributes::{self, NotARequest};
use super::desk::Desk;
use super::messages::{Code, RateLimitRequest, RateLimitResponse};
use super::response;

type Answer = Result<Response<RateLimitResponse>, Status>;

/// `ShouldRateLimit`, asked of a desk.
pub(super) struct ShouldRateLimit(pub(super) Rc<Desk>);

impl UnaryService<RateLimitRequest> for ShouldRateLimit {
    type Response = RateLimitResponse;
    type Future = Either<Ready<Answer>, Pin<Box<dyn Future<Output = Answer>>>>;

    fn call(&mut self, request: Request<RateLimitRequest>) -> Self::Future {
        let request = request.into_inner();
        if let Some(answer) = at_once(&self.0, &request) {
            return Either::Left(ready(answer.map(Response::new)));
        }
        let desk = Rc::clone(&self.0);
        Either::Right(Box::pin(async move {
            let answer = in_time(&desk, &request).await;
            answer.map(Response::new)
        }))
    }
}

/// The answer where nothing has to be waited for.
fn at_once(desk: &Desk, request: &RateLimitRequest) -> Option<Result<RateLimitResponse, Status>> {
    let limiter = &desk.limiter;
    if !limiter.has_domain(&request.domain) {
        return None;
    }
    let asked = match Asked::of(request) {
        Ok(asked) => asked,
        Err(error) => return Some(Err(Status::invalid_argument(error.to_string()))),
    };
    let quotas = match quotas(desk, &asked) {
        Ok(quotas) => quotas,
        Err(status) => return Some(Err(status)),
    };
    let descriptors = descriptors(&asked, &quotas);
    let decided = limiter.decide_descriptors_now(&request.domain, &descriptors)?;
    Some(match decided {
        Ok(decided) => Ok(response::of_descriptors(&decided)),
        Err(refusal) => Err(refused(&refusal)),
    })
}

async fn in_time(desk: &Desk, request: &RateLimitRequest) -> Result<RateLimitResponse, Status> {
    let limiter = &desk.limiter;
    let asked = Asked::of(request);
    let asked = asked.map_err(|error| Status::invalid_argument(error.to_string()))?;
    if !limiter.has_domain(&request.domain) {
        return as_request(desk, &request.domain, &asked).await;
    }
    let quotas = quotas(desk, &asked)?;
    let descriptors = descriptors(&asked, &quotas);
    let decided = limiter.decide_descriptors(&request.domain, &descriptors);
    let decided = decided.await.map_err(|refusal| refused(&refusal))?;
    Ok(response::of_descriptors(&decided))
}

/// The quotas that came with the descriptors.
fn quotas(desk: &Desk, asked: &Asked<'_>) -> Result<Vec<Option<Rc<BroughtQuota>>>, Status> {
    if asked.descriptors().all(|(one, _)| one.limit.is_none()) {
        return Ok(Vec::new());
    }
    let quota = |numbers| {
        desk.quotas.of(numbers).map_err(|_| {
            Status::invalid_argument("the limit of a descriptor cannot be counted exactly")
        })
    };
    asked
        .descriptors()
        .map(|(one, _)| one.limit.map(quota).transpose())
        .collect()
}

fn descriptors<'a>(
    asked: &'a Asked<'_>,
    quotas: &'a [Option<Rc<BroughtQuota>>],
) -> Vec<Descriptor<'a>> {
    let quotas = quotas.iter().map(Option::as_deref);
    let quotas = quotas.chain(std::iter::repeat(None));
    let described = asked.descriptors().zip(quotas);
    described
        .map(|((one, entries), limit)| Descriptor {
            entries,
            hits: one.hits,
            limit,
        })
        .collect()
}

/// Descriptors of a domain that the file does not have are read as what a request says.
async fn as_request(
    desk: &Desk,
    domain: &str,
    asked: &Asked<'_>,
) -> Result<RateLimitResponse, Status> {
    if !counts_requests(&desk.limiter) {
        desk.tell_of_unknown(domain);
        return Ok(response::uncounted(Code::Ok, asked.count()));
    }
    let (request, client) = match attributes::request(asked.entries()) {
        Ok(request) => request,
        // An error would let it pass wherever Envoy is told to go on without this service.
        Err(NotARequest::Malformed) => {
            return Ok(response::uncounted(Code::OverLimit, asked.count()));
        }
        Err(NotARequest::NoAddress) => {
            return Err(Status::invalid_argument(
                "expected an address in the entry remote_address: no [[descriptors]] has this domain",
            ));
        }
        Err(NotARequest::Contradictory) => {
            return Err(Status::invalid_argument(
                "expected descriptors that say the same of one request",
            ));
        }
    };
    let ruling = match asked.most_hits() {
        0 => desk.limiter.peek_request(request, Some(client)).await,
        hits => {
            let deciding = desk.limiter.decide_requests(request, hits, Some(client));
            deciding.await
        }
    };
    Ok(response::of_request(&ruling, asked.count()))
}

/// Whether the file has policies for requests.
fn counts_requests(limiter: &Limiter) -> bool {
    let settings = limiter.settings();
    !settings.plans.is_empty()
        || !settings.groups.is_empty()
        || !settings.routes.is_empty()
        || !settings.edge.is_empty()
}

/// What a policy needs and a descriptor has not is Envoy's configuration, not its client's doing.
fn refused(refusal: &Refusal) -> Status {
    Status::invalid_argument(refusal.to_string())
}
