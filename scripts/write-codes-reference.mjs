import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CODES } from "../dist/core/codes/codes.js";

const rows = Object.entries(CODES)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([c, { kind, means }]) => `| \`${c}\` | ${kind} | ${means} |`);
writeFileSync(
  fileURLToPath(new URL("../docs/reference/codes.md", import.meta.url)),
  `# Codes

Every error, notice and reason has a stable code. An *error* ends the command (exit status 3; 2 for wrong usage, 1 for a tool
that does not exist). A *notice* is reported beside the answer. A *reason* says why a gate did not pass a tool, or why a call
was allowed, asked about or denied.

| code | kind | means |
|---|---|---|
${rows.join("\n")}
`,
);
