/**
 * Changes of the tables, each applied once, in this order; their number is the version of the file. A released one never
 * changes. Each table belongs to the module that it names.
 */
export const MIGRATIONS: readonly string[] = [
  // storage/state-tables.ts: keyed entries of any kind. `number` grows with each new entry, `revision` is that of its last write.
  `CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    revision INTEGER NOT NULL,
    written_at INTEGER NOT NULL,
    UNIQUE (kind, key)
  ) STRICT;
  CREATE INDEX entries_by_kind ON entries (kind);
  CREATE TABLE secrets (name TEXT PRIMARY KEY, secret TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
  // app/call-usage.ts: minutes and cost of calls by day (since 1970), run of the program, and name.
  `CREATE TABLE call_usage (
    name TEXT NOT NULL,
    day INTEGER NOT NULL,
    run TEXT NOT NULL,
    minutes REAL NOT NULL,
    spend REAL NOT NULL,
    PRIMARY KEY (name, day, run)
  ) STRICT, WITHOUT ROWID;`,
  // service/server/keys/key-usage.ts: amounts by mark of a key or budget, and by quarter of an hour (since 1970).
  `CREATE TABLE key_usage (
    mark TEXT NOT NULL,
    slice INTEGER NOT NULL,
    amount REAL NOT NULL,
    PRIMARY KEY (mark, slice)
  ) STRICT, WITHOUT ROWID;`,
]
