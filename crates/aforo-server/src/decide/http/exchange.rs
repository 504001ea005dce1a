//! One request and its answer.

use std::net::SocketAddr;
use std::rc::Rc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;

use super::answer::{Decisions, Refunded};
use super::connection::{Answering, Questions};
use super::deciding::{Decided, How, Ready};
use super::desk::Desk;
use super::json::Json;
use super::problem::Problem;
use super::wire::{Asked, Question, Refund, read};
use super::{forward_auth, guard, incoming, openapi};

/// Answers a request.
pub(super) async fn answer(
    desk: &Desk,
    peer: SocketAddr,
    questions: &Rc<Questions>,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let answered = match request.uri().path() {
        "/v1/decide" => ask(desk, questions, request, How::Take).await,
        "/v1/peek" => ask(desk, questions, request, How::Look).await,
        "/v1/refund" => refund(desk, questions, request).await,
        "/forward-auth" => {
            let _answering = questions.answering();
            let (parts, _) = request.into_parts();
            Box::pin(forward_auth::answer(desk, peer, parts)).await
        }
        "/openapi.json" => description(desk, request),
        "/healthz" => read_only(&request).map(|()| plain("ok\n")),
        _ => Err(Problem::nothing_here()),
    };
    // Whatever it was, it has been read and is answered.
    drop(questions.answering());
    answered.unwrap_or_else(Problem::response)
}

/// Reads a question whose asker may ask.
async fn question(
    desk: &Desk,
    questions: &Rc<Questions>,
    request: Request<Incoming>,
) -> Result<(Bytes, Answering), Problem> {
    if request.method() != Method::POST {
        return Err(Problem::only("POST"));
    }
    let (parts, body) = request.into_parts();
    guard::check(desk, &parts)?;
    let body = incoming::read(body, desk.body_timeout).await?;
    Ok((body, questions.answering()))
}

async fn ask(
    desk: &Desk,
    questions: &Rc<Questions>,
    request: Request<Incoming>,
    how: How,
) -> Result<Response<Full<Bytes>>, Problem> {
    let (body, _answering) = question(desk, questions, request).await?;
    let unreadable = |error: serde_json::Error| Problem::bad(error.to_string());
    match read(&body).map_err(unreadable)? {
        Asked::One(question) => {
            let ready = desk.ready(*question, how)?;
            let decided = desk.decide(ready, how).await?;
            let mut response = json(&decided.answer());
            show_standing(&decided, response.headers_mut());
            Ok(response)
        }
        Asked::List(list) => {
            let decided = all(desk, list, how).await?;
            let answers: Vec<_> = decided.iter().map(Decided::answer).collect();
            Ok(json(answers.as_slice()))
        }
        Asked::Decisions(list) => {
            let decided = all(desk, list, how).await?;
            let decisions = decided.iter().map(Decided::answer).collect();
            Ok(json(&Decisions { decisions }))
        }
    }
}

/// Decides all of a list, in order, each by itself; none when one of them cannot be asked.
async fn all(desk: &Desk, list: Vec<Question>, how: How) -> Result<Vec<Decided>, Problem> {
    let ready: Result<Vec<Ready>, Problem> = list
        .into_iter()
        .map(|question| desk.ready(question, how))
        .collect();
    let mut decided = Vec::new();
    for ready in ready? {
        decided.push(desk.decide(ready, how).await?);
    }
    Ok(decided)
}

async fn refund(
    desk: &Desk,
    questions: &Rc<Questions>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Problem> {
    let (body, _answering) = question(desk, questions, request).await?;
    if desk.token.is_none() {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "giving back needs an operator's token: expected `token` in [decide]",
        ));
    }
    let Refund { receipt } =
        serde_json::from_slice(&body).map_err(|error| Problem::bad(error.to_string()))?;
    let Some(receipt) = desk.receipts.take(&receipt) else {
        return Err(Problem::new(
            StatusCode::NOT_FOUND,
            "this receipt is unknown, was used, or was forgotten; a receipt is good once, at the \
             instance that gave it",
        ));
    };
    receipt.refund().await;
    Ok(json(&Refunded { refunded: true }))
}

fn description(desk: &Desk, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Problem> {
    read_only(&request)?;
    let (parts, _) = request.into_parts();
    desk.check_host(guard::host(&parts))?;
    let mut response = Response::new(Full::from(openapi::text()));
    let media_type = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(response)
}

fn read_only(request: &Request<Incoming>) -> Result<(), Problem> {
    match *request.method() {
        Method::GET | Method::HEAD => Ok(()),
        _ => Err(Problem::only("GET, HEAD")),
    }
}

fn plain(text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    let media_type = HeaderValue::from_static("text/plain");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

fn json(answer: &(impl Json + ?Sized)) -> Response<Full<Bytes>> {
    let mut text = Vec::with_capacity(1024);
    answer.write(&mut text);
    let mut response = Response::new(Full::from(text));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Shows where the caller stands also on the answer itself.
fn show_standing(decided: &Decided, headers: &mut HeaderMap) {
    for (name, value) in decided.standing() {
        let _full = headers.try_append(name.clone(), value.clone());
    }
}
