CREATE TABLE aforo_orgs (
    name TEXT NOT NULL PRIMARY KEY,
    created BIGINT NOT NULL
);

CREATE TABLE aforo_teams (
    name TEXT NOT NULL PRIMARY KEY,
    org TEXT REFERENCES aforo_orgs (name),
    created BIGINT NOT NULL
);

CREATE TABLE aforo_consumers (
    id TEXT NOT NULL PRIMARY KEY,
    contact TEXT,
    plan TEXT,
    team TEXT REFERENCES aforo_teams (name),
    org TEXT REFERENCES aforo_orgs (name),
    created BIGINT NOT NULL
);

CREATE TABLE aforo_api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    consumer TEXT NOT NULL REFERENCES aforo_consumers (id),
    sha256 TEXT NOT NULL UNIQUE,
    label TEXT,
    created BIGINT NOT NULL,
    expires BIGINT,
    revoked BIGINT
);

CREATE INDEX aforo_api_keys_consumer ON aforo_api_keys (consumer);

CREATE TABLE aforo_audit (
    entry {serial} PRIMARY KEY,
    at BIGINT NOT NULL,
    author TEXT NOT NULL,
    action TEXT NOT NULL,
    consumer TEXT NOT NULL,
    detail TEXT NOT NULL
);

CREATE INDEX aforo_audit_consumer ON aforo_audit (consumer, entry);
