CREATE TABLE aforo_overrides (
    entry {serial} PRIMARY KEY,
    consumer TEXT NOT NULL REFERENCES aforo_consumers (id),
    policy TEXT NOT NULL,
    quota TEXT NOT NULL,
    starts BIGINT NOT NULL,
    ends BIGINT,
    reason TEXT,
    created BIGINT NOT NULL
);

CREATE INDEX aforo_overrides_consumer ON aforo_overrides (consumer, policy);
