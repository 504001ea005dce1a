//! The Redis protocol: never panics, never reads beyond what it was given, and commands do not
//! depend on how they were cut into pieces.

// The program is no library: its parser uses nothing of the crate around it.
#[path = "../../crates/aforo-server/src/decide/resp/wire/mod.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, missing_docs)]
mod wire;

use wire::{Command, Parsed, parse};

const TOKENS: [&str; 28] = [
    "*1\r\n",
    "*2\r\n",
    "*5\r\n",
    "*0\r\n",
    "*-1\r\n",
    "*",
    "$4\r\n",
    "$0\r\n",
    "$1\r\n",
    "$-1\r\n",
    "$",
    "\r\n",
    "\r",
    "\n",
    "PING",
    "a",
    "0",
    "9223372036854775807",
    "-",
    " ",
    "CL.THROTTLE",
    "POST ",
    "Host:",
    " HTTP/1.1",
    "*16\r\n",
    "*17\r\n",
    "$11\r\nCL.THROTTLE\r\n",
    "\u{0}",
];

#[test]
fn resp_commands_lie_within_what_was_read() {
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let input = aforo_fuzz::sentence(&TOKENS, bytes).into_bytes();
            let mut rest = &input[..];
            let mut command = Command::default();
            while let Parsed::Command(used) = parse(rest, &mut command) {
                assert!(used > 0 && used <= rest.len(), "{input:?}");
                let said: usize = command.arguments().iter().map(|part| part.len()).sum();
                assert!(said <= used, "{input:?}");
                // A beginning of it is no other command.
                for cut in 1..used {
                    let mut beginning = Command::default();
                    let parsed = parse(&rest[..cut], &mut beginning);
                    assert_eq!(parsed, Parsed::Incomplete, "{input:?} cut at {cut}");
                }
                rest = &rest[used..];
            }
        });
}
