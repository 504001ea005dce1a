//! The script that decides, as the servers know it.

use std::sync::LazyLock;

/// The script's text.
pub(super) const TEXT: &str = concat!(
    include_str!("script/usual.lua"),
    include_str!("script/request.lua"),
    include_str!("script/bucket.lua"),
    include_str!("script/windows.lua"),
    include_str!("script/log.lua"),
    include_str!("script/correct.lua"),
    include_str!("script/run.lua"),
);

/// Its SHA-1, by which it is called.
pub(super) fn sha() -> &'static str {
    static SCRIPT: LazyLock<::redis::Script> = LazyLock::new(|| ::redis::Script::new(TEXT));
    SCRIPT.get_hash()
}

/// Keeps the fingerprint of the hash key for long, and says which one was there first.
pub(super) const FINGERPRINT: &str = "\
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return held end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]";
