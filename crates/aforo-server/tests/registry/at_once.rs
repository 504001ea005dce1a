//! Several programs on one registry at once.

use std::thread;

use aforo_servers::Postgres;

use crate::scene::Scene;

/// That many `create`s at once, each in a process of its own; how many were done.
fn created(scene: &Scene, id: impl Fn(usize) -> String + Sync) -> usize {
    thread::scope(|scope| {
        let all: Vec<_> = (0..6)
            .map(|number| {
                let id = id(number);
                scope.spawn(move || scene.command(&["create", &id]))
            })
            .collect();
        let verdicts = all.into_iter().map(|one| one.join().unwrap());
        verdicts
            .filter(|verdict| {
                assert!(verdict.code < 2, "{}", verdict.stderr);
                verdict.code == 0
            })
            .count()
    })
}

fn several_at_once(scene: &Scene) {
    // The first to come makes the tables.
    assert_eq!(created(scene, |number| format!("consumer {number}")), 6);
    assert_eq!(created(scene, |_| "one of several".to_owned()), 1);
    let list = scene.json(&["list"]);
    assert_eq!(list["consumers"].as_array().unwrap().len(), 7);
    assert_eq!(
        scene.json(&["audit"])["entries"].as_array().unwrap().len(),
        7
    );
}

#[test]
fn several_programs_share_a_file() {
    several_at_once(&Scene::sqlite());
}

#[test]
fn several_programs_share_a_server() {
    let server = Postgres::start();
    several_at_once(&Scene::at(Some(&server.url())));
}
