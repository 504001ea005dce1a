//! Applications in other languages that ask `/v1/decide`.

use std::os::unix::fs::symlink;
use std::time::Duration;

use crate::scene::{Scene, installed, is_whole, programs, runs, wait};

const QUICK: (&str, Duration) = ("30/minute burst 3", Duration::from_secs(2));

fn keeps_its_callers_within_limits(mut scene: Scene) {
    let (passed, denied) = scene.until_denied(QUICK.1);
    is_whole(&denied);
    assert_eq!(passed.json()["hello"], "world");
    assert!(
        passed
            .field("ratelimit")
            .unwrap()
            .starts_with("\"anonymous-")
    );
    wait(&denied);
    assert_eq!(scene.get("").status, 200);
    scene.empty();
    // While Aforo is away, requests pass.
    scene.kill_aforo();
    assert_eq!(scene.get("").status, 200);
}

fn asks(scene: &Scene) -> String {
    let service = scene.aforo.as_ref().unwrap().service("http");
    format!("AFORO=http://{service}")
}

#[test]
fn fastapi_keeps_its_callers_within_limits() {
    let mut scene = Scene::of("python", QUICK.0);
    scene.file("app.py");
    let (asks, python) = (asks(&scene), installed("python"));
    let port = scene.front.port().to_string();
    let served = [
        &*asks, &*python, "-m", "uvicorn", "app:app", "--port", &*port,
    ];
    scene.start("env", &served);
    keeps_its_callers_within_limits(scene);
}

#[test]
fn express_keeps_its_callers_within_limits() {
    runs("node", "--version");
    let mut scene = Scene::of("node", QUICK.0);
    scene.file("app.mjs");
    let modules = programs().join("node_modules");
    assert!(
        modules.join("express").exists(),
        "express is missing: run scripts/test install"
    );
    symlink(modules, scene.folder().join("node_modules")).unwrap();
    let (asks, port) = (asks(&scene), format!("PORT={}", scene.front.port()));
    scene.start("env", &[&asks, &port, "node", "app.mjs"]);
    keeps_its_callers_within_limits(scene);
}
