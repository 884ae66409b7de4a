import { expect, it } from "vitest";
import { tellingLine } from "./telling-line.ts";

it.each([
  ["nothing", null, null],
  ["blank lines", "\n  \n", null],
  ["the last line", "starting\nset ACME_KEY\n\n", "set ACME_KEY"],
  [
    "the error of a Node program that crashed",
    "node:internal/modules/cjs/loader:1215\n  throw err;\n  ^\n\nError: Cannot find module '/x.mjs'\n    at Module._load (node:internal:1:2) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
    "Error: Cannot find module '/x.mjs'",
  ],
  [
    "what a Node program threw that is no error",
    "x.mjs:1\nthrow 5\n^\n5\n(Use `node --trace-uncaught`)\n\nNode.js v22.0.0",
    "(Use `node --trace-uncaught`)",
  ],
  [
    "why npx found no package",
    "npm error code E404\nnpm error 404 Not Found - GET https://host/acme\nnpm error 404\nnpm error A complete log of this run can be found in: /log\n",
    "npm error 404 Not Found - GET https://host/acme",
  ],
  ["a long line, cut", "x".repeat(300), `${"x".repeat(200)}…`],
])("says %s", (_, stderr, line) => {
  expect(tellingLine(stderr)).toBe(line);
});
