//! An axum application with its first limit: `cargo run -p aforo --example axum --features axum`,
//! then `curl -i http://127.0.0.1:3000/` more often than ten times at once.

use std::net::SocketAddr;

use aforo::Limiter;
use axum::{Router, routing::get};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limiter = Limiter::builder()
        .plan("anonymous", ["60/minute burst 10"])
        .build()?;
    let app = Router::new()
        .route("/", get(|| async { "hello" }))
        .layer(limiter.layer());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    Ok(axum::serve(listener, service).await?)
}
