//! What is a command and what is not.

use super::*;

/// The arguments of the command that `input` is, all of it.
fn command(input: &str) -> Vec<String> {
    let mut command = Command::default();
    match parse(input.as_bytes(), &mut command) {
        Parsed::Command(used) => {
            assert_eq!(used, input.len(), "{input:?}");
            let text = |part: &&[u8]| String::from_utf8_lossy(part).into_owned();
            command.arguments().iter().map(text).collect()
        }
        other => panic!("{input:?} is {other:?}"),
    }
}

fn parsed(input: &[u8]) -> Parsed {
    parse(input, &mut Command::default())
}

#[test]
fn commands_are_arrays_of_bulk_strings() {
    assert_eq!(command("*1\r\n$4\r\nPING\r\n"), ["PING"]);
    assert_eq!(command("*2\r\n$4\r\nPING\r\n$0\r\n\r\n"), ["PING", ""]);
    assert_eq!(
        command("*2\r\n$1\r\na\r\n$4\r\n\r\n\r\n\r\n"),
        ["a", "\r\n\r\n"]
    );
    assert!(command("*0\r\n").is_empty());
    assert!(command("*-1\r\n").is_empty());
}

#[test]
fn commands_are_lines() {
    assert_eq!(command("PING\r\n"), ["PING"]);
    assert_eq!(
        command("  CL.THROTTLE  user123\t15 30 60\n"),
        ["CL.THROTTLE", "user123", "15", "30", "60"]
    );
    assert!(command("\r\n").is_empty());
}

#[test]
fn a_beginning_is_no_command_yet() {
    let whole = "*3\r\n$4\r\nECHO\r\n$2\r\nab\r\n$10\r\n0123456789\r\n";
    for end in 0..whole.len() {
        assert_eq!(
            parsed(&whole.as_bytes()[..end]),
            Parsed::Incomplete,
            "{end}"
        );
    }
    assert_eq!(command(whole).len(), 3);
    assert_eq!(parsed(b"PIN"), Parsed::Incomplete);
}

#[test]
fn one_command_after_the_other() {
    let mut command = Command::default();
    let used = parse(b"PING\r\n*1\r\n$4\r\nQUIT\r\n", &mut command);
    assert_eq!(used, Parsed::Command(6));
    assert_eq!(command.arguments(), [b"PING"]);
}

#[test]
fn what_is_broken_is_said_at_once() {
    for (input, broken) in [
        ("*x\r\n", Broken::ArrayLength),
        ("*\r\n", Broken::ArrayLength),
        ("*1\rx", Broken::ArrayLength),
        ("*99999999999999999999", Broken::ArrayLength),
        ("*9223372036854775807\r\n", Broken::TooManyArguments),
        ("*17\r\n", Broken::TooManyArguments),
        ("*1\r\n:5\r\n", Broken::NotABulkString),
        ("*1\r\n*1\r\n", Broken::NotABulkString),
        ("*1\r\n$-1\r\n", Broken::ArgumentLength),
        ("*1\r\n$16385\r\n", Broken::ArgumentLength),
        ("*1\r\n$9223372036854775807\r\n", Broken::ArgumentLength),
        ("*1\r\n$2\r\nabc\r\n", Broken::LongerThanItsLength),
        ("$4\r\nPING\r\n", Broken::NotACommand),
        ("\u{16}\u{3}\u{1}", Broken::NotACommand),
        ("PI\u{0}NG\r\n", Broken::NotACommand),
        (
            "a b c d e f g h i j k l m n o p q\r\n",
            Broken::TooManyArguments,
        ),
    ] {
        assert_eq!(
            parsed(input.as_bytes()),
            Parsed::Broken(broken),
            "{input:?}"
        );
    }
}

#[test]
fn http_is_known_by_its_first_line() {
    for line in [
        "POST / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\n",
        "Host: localhost:6380\r\n",
        "host: a\r\n",
        "post ",
    ] {
        assert_eq!(
            parsed(line.as_bytes()),
            Parsed::Broken(Broken::Http),
            "{line:?}"
        );
    }
    assert_eq!(command("GET key\r\n"), ["GET", "key"]);
}

#[test]
fn nothing_is_read_without_end() {
    let line = vec![b'a'; 4096];
    assert_eq!(parsed(&line), Parsed::Broken(Broken::LineTooLong));
    assert_eq!(parsed(&line[1..]), Parsed::Incomplete);
    let mut frame = b"*4\r\n".to_vec();
    for _ in 0..2 {
        frame.extend_from_slice(b"$16384\r\n");
        frame.extend_from_slice(&vec![0; 16384]);
        frame.extend_from_slice(b"\r\n");
    }
    assert_eq!(parsed(&frame), Parsed::Broken(Broken::FrameTooLarge));
}

#[test]
fn integers_are_read_whole() {
    assert_eq!(integer(b"0"), Some(0));
    assert_eq!(integer(b"-9223372036854775808"), Some(i64::MIN));
    assert_eq!(integer(b"9223372036854775807"), Some(i64::MAX));
    assert_eq!(integer(b"+7"), Some(7));
    for wrong in [
        "",
        "-",
        "+",
        "1 ",
        " 1",
        "1.5",
        "--1",
        "9223372036854775808",
        "0x1",
        "\u{663}",
    ] {
        assert_eq!(integer(wrong.as_bytes()), None, "{wrong:?}");
    }
}
