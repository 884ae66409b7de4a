import type { Claim, ClaimedSystem } from "./claim.ts";

const INTRO = `# What you know from elsewhere

You know Copilot CLI, Claude Code, the Copilot SDK, VS Code or DeerFlow: this page lists what each of them does with tools, and
whether Toolcrib does the same. *Works* means as you know it. What is different is so on purpose, and the reason stands beside it.
The last column names the test that shows it, with its file in the repository.

Tests check that each of these tests exists, and that this page is what the table in \`test/claims\` says;
\`npx vitest run test/claims -u\` writes it again.
`;

/** The page \`docs/reference/coverage.md\`. */
export function buildCoveragePage(systems: readonly ClaimedSystem[]): string {
  const sections = systems.map(({ title, about, parts }) => {
    const tables = Object.entries(parts).map(([part, claims]) => `### ${part}\n\n${buildTable(claims)}`);
    return [`## ${title}`, about, ...tables].join("\n\n");
  });
  return `${[INTRO, ...sections.map((section) => `${section}\n`)].join("\n")}`;
}

function buildTable(claims: readonly Claim[]): string {
  const rows = claims.map(({ claim, stands, test: [file, name] }) => {
    const state = stands === "works" ? "works" : `different: ${stands.different}`;
    return `| ${claim} | ${state} | [${file.replace(/(?:\.test)?\.ts$/, "")}](../../${file}): ${toCell(name)} |`;
  });
  return ["| What you count on | Here | Test |", "|---|---|---|", ...rows].join("\n");
}

/** Names of tests may have signs that mean something in a table or on the site, and numbers of rules, which are for contributors. */
function toCell(name: string): string {
  const plain = name.replace(/ \([A-Z]\d+(?:, [A-Z]\d+)*\)/g, "");
  return plain.replace(/[|*_[\]<>{}]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
