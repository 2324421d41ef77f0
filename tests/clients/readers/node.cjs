// Reads the file with DuckDB's package for Node, as Evidence does. `facts.py` says what is told.
"use strict";

const { createHash } = require("node:crypto");
const { createInterface } = require("node:readline");
const { DuckDBInstance, version } = require("@duckdb/node-api");

// How a value that JavaScript gets is written; a value of another type, or of none of these, is
// written so that it differs from what the engine says.
const WRITERS = {
  BOOLEAN: String,
  INTEGER: String,
  BIGINT: String,
  VARCHAR: String,
  // two digits of exponent, as C writes them
  DOUBLE: (number) => number.toExponential(16).replace(/e([+-])(\d)$/, "e$10$2"),
  DECIMAL: (number, type) => number.toFixed(type.scale),
  DATE: (date) => date.toISOString().slice(0, "2026-01-01".length),
  TIMESTAMP: (date) => date.toISOString().replace("Z", "000"), // a Date has milliseconds
};

function digest(texts) {
  const hash = createHash("sha256");
  for (const text of texts) {
    hash.update(text === null ? "-" : `${Buffer.byteLength(text)}:${text}`);
  }
  return hash.digest("hex");
}

function columnFacts(type, comment, values) {
  const write = WRITERS[String(type).split("(")[0]] ?? ((value) => `${type} ${value}`);
  const texts = values.map((value) => (value === null ? null : write(value, type)));
  const known = texts.filter((text) => text !== null);
  const facts = { type: String(type), comment, n_values: known.length, sha256: digest(texts) };
  if (known.length && values.some((value) => value instanceof Date)) {
    known.sort(); // ISO text sorts as time does
    return { ...facts, min: known[0], max: known.at(-1) };
  }
  return facts;
}

async function read(connection) {
  const ask = async (sql) => (await connection.runAndReadAll(sql)).getRowsJS();
  const listed = await ask(
    "select table_name from information_schema.tables where table_schema = 'main'",
  );
  const described = new Map(
    await ask("select table_name, comment from duckdb_tables() where not internal"),
  );
  const comments = new Map(
    await ask(
      "select table_name || '.' || column_name, comment from duckdb_columns() where not internal",
    ),
  );
  const facts = {};
  for (const [table] of listed) {
    const rows = await connection.runAndReadAll(`select * from "${table}"`);
    const types = rows.columnTypes();
    const values = rows.getColumnsJS();
    facts[table] = {
      comment: described.get(table) ?? null,
      n_rows: rows.currentRowCount,
      columns: Object.fromEntries(
        rows
          .columnNames()
          .map((name, index) => [
            name,
            columnFacts(types[index], comments.get(`${table}.${name}`) ?? null, values[index] ?? []),
          ]),
      ),
    };
  }
  return facts;
}

function utcOffset() {
  const minutes = -new Date().getTimezoneOffset();
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(rest).padStart(2, "0")}`;
}

async function main(file) {
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  console.log(JSON.stringify({ version: version().slice(1), utc_offset: utcOffset() }));
  for await (const _ of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await read(connection)));
  }
}

main(process.argv[2]);
