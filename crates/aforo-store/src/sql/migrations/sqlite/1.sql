CREATE TABLE "{namespace}_counters" (
    partition BLOB NOT NULL,
    kind INTEGER NOT NULL,
    tag INTEGER NOT NULL,
    policy TEXT NOT NULL,
    consumer TEXT,
    state BLOB,
    used INTEGER NOT NULL DEFAULT 0,
    capacity INTEGER NOT NULL DEFAULT 0,
    period_start INTEGER NOT NULL DEFAULT 0,
    period_end INTEGER NOT NULL DEFAULT 0,
    as_of INTEGER NOT NULL DEFAULT 0,
    expires INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (partition, kind, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX "{namespace}_counters_expires" ON "{namespace}_counters" (expires);

CREATE INDEX "{namespace}_counters_consumer" ON "{namespace}_counters" (consumer)
    WHERE consumer IS NOT NULL;

CREATE VIEW "{namespace}_usage" AS
SELECT
    consumer,
    policy,
    strftime('%Y-%m-%dT%H:%M:%fZ', period_start / 1000000.0, 'unixepoch') AS period_start,
    strftime('%Y-%m-%dT%H:%M:%fZ', period_end / 1000000.0, 'unixepoch') AS period_end,
    used,
    capacity,
    max(capacity - used, 0) AS remaining,
    strftime('%Y-%m-%dT%H:%M:%fZ', as_of / 1000000.0, 'unixepoch') AS as_of,
    lower(hex(partition)) AS partition
FROM "{namespace}_counters"
WHERE consumer IS NOT NULL AND state IS NOT NULL;
