CREATE TABLE "{namespace}_counters" (
    partition bytea NOT NULL,
    kind smallint NOT NULL,
    tag bigint NOT NULL,
    policy text NOT NULL,
    consumer text,
    state bytea,
    used bigint NOT NULL DEFAULT 0,
    capacity bigint NOT NULL DEFAULT 0,
    period_start bigint NOT NULL DEFAULT 0,
    period_end bigint NOT NULL DEFAULT 0,
    as_of bigint NOT NULL DEFAULT 0,
    expires bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (partition, kind, tag)
) WITH (fillfactor = 80);

CREATE INDEX "{namespace}_counters_expires" ON "{namespace}_counters" (expires);

CREATE INDEX "{namespace}_counters_consumer" ON "{namespace}_counters" (consumer)
    WHERE consumer IS NOT NULL;

CREATE VIEW "{namespace}_usage" AS
SELECT
    consumer,
    policy,
    timestamptz 'epoch' + period_start * interval '1 microsecond' AS period_start,
    timestamptz 'epoch' + period_end * interval '1 microsecond' AS period_end,
    used,
    capacity,
    greatest(capacity - used, 0) AS remaining,
    timestamptz 'epoch' + as_of * interval '1 microsecond' AS as_of,
    encode(partition, 'hex') AS partition
FROM "{namespace}_counters"
WHERE consumer IS NOT NULL AND state IS NOT NULL;
