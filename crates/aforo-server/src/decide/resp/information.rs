//! What a client may ask of the server itself.

use super::reply::Reply;

/// The commands: name, how many arguments with the name (negative: at least), first key.
const COMMANDS: [(&str, i64, i64); 8] = [
    ("aforo.decide", -3, 0),
    ("auth", -2, 0),
    ("cl.throttle", -5, 1),
    ("command", -1, 0),
    ("hello", -1, 0),
    ("info", -1, 0),
    ("ping", -1, 0),
    ("quit", -1, 0),
];

/// `HELLO`: who this is.
pub(super) fn hello(reply: &mut Reply<'_>, protocol: i64) {
    reply.map(6);
    let texts = [("server", "aforo"), ("version", env!("CARGO_PKG_VERSION"))];
    for (name, text) in texts {
        reply.bulk(name.as_bytes());
        reply.bulk(text.as_bytes());
    }
    reply.bulk(b"proto");
    reply.integer(protocol);
    for (name, text) in [("mode", "standalone"), ("role", "master")] {
        reply.bulk(name.as_bytes());
        reply.bulk(text.as_bytes());
    }
    reply.bulk(b"modules");
    reply.array(0);
}

/// `INFO`.
pub(super) fn info(reply: &mut Reply<'_>) {
    let text = format!(
        "# Server\r\nserver:aforo\r\naforo_version:{}\r\nredis_mode:standalone\r\n",
        env!("CARGO_PKG_VERSION")
    );
    reply.bulk(text.as_bytes());
}

/// `COMMAND [COUNT | DOCS | INFO [name …]]`.
pub(super) fn command(reply: &mut Reply<'_>, arguments: &[&[u8]]) {
    let Some((first, names)) = arguments.split_first() else {
        reply.array(COMMANDS.len());
        COMMANDS.iter().for_each(|command| one(reply, command));
        return;
    };
    if first.eq_ignore_ascii_case(b"count") {
        reply.integer(i64::try_from(COMMANDS.len()).unwrap_or(i64::MAX));
    } else if first.eq_ignore_ascii_case(b"docs") {
        reply.map(0);
    } else if first.eq_ignore_ascii_case(b"info") {
        reply.array(names.len());
        for name in names {
            let known = COMMANDS
                .iter()
                .find(|(known, ..)| name.eq_ignore_ascii_case(known.as_bytes()));
            match known {
                Some(command) => one(reply, command),
                None => reply.null(),
            }
        }
    } else {
        reply.error("ERR expected COMMAND, COMMAND COUNT, COMMAND DOCS or COMMAND INFO");
    }
}

/// Name, arity, flags, first key, last key, step.
fn one(reply: &mut Reply<'_>, (name, arity, key): &(&str, i64, i64)) {
    reply.array(6);
    reply.bulk(name.as_bytes());
    reply.integer(*arity);
    reply.array(1);
    reply.simple("fast");
    for _ in 0..3 {
        reply.integer(*key);
    }
}
