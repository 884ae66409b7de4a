import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CODES } from "../dist/core/codes/codes.js";

const rows = Object.entries(CODES)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([c, { kind, means }]) => `| \`${c}\` | ${kind} | ${means} |`);
writeFileSync(
  fileURLToPath(new URL("../docs/reference/codes.md", import.meta.url)),
  `# Codes

Everything that Toolcrib says about a tool, a list or a configuration carries a stable code. An *error* ends the command
(exit status 3; 2 for wrong usage, 1 for a tool that does not exist), a *notice* is told beside the answer, a *reason*
stands in the trace of a tool and says why a gate did not pass it. Numbers such as G9 are those of the rules that tests
and comments cite.

| code | kind | means |
|---|---|---|
${rows.join("\n")}
`,
);
