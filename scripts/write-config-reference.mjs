// Writes what is published from the table of configuration keys: toolcrib.schema.json, and the tables in
// docs/reference/configuration.md. Needs a build: npm run build && node scripts/write-config-reference.mjs && npm run fix
import { readFileSync, writeFileSync } from "node:fs";

/** @param {string} path */
const at = (path) => new URL(`../${path}`, import.meta.url);
const { toFileSchema } = await import(at("dist/config/shape/json-schema.js").href);
const { toKeyTable } = await import(at("dist/config/shape/key-table.js").href);
const { toAtOnceTable } = await import(at("dist/config/shape/trust-table.js").href);

writeFileSync(at("toolcrib.schema.json"), `${JSON.stringify(toFileSchema(), null, 2)}\n`);

const reference = at("docs/reference/configuration.md");
const text = readFileSync(reference, "utf8");
const tables = new Map([
  ["keys", toKeyTable()],
  ["at-once", toAtOnceTable()],
]);
writeFileSync(
  reference,
  text.replace(
    /(<!-- (keys|at-once) -->\n)[\s\S]*?(\n<!-- \/\2 -->)/g,
    (_, open, name, close) => `${open}\n${tables.get(name)}\n${close}`,
  ),
);
