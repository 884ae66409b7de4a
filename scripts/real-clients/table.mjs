// The table of what was seen: for a terminal, and as a page of the documentation.

/** @typedef {{ word: string, note?: string }} Cell */
/** @typedef {Readonly<Record<string, Cell>>} Column */
/** @typedef {import("./client.d.ts").Client} Client */

/** What is looked at, in the order of the page; the second is what the row is called. */
const ROWS = /** @type {const} */ ([
  ["listed", "tools listed through `toolcrib connect`"],
  ["call", "a call"],
  ["change", "a change of the list"],
  ["restart", "Toolcrib killed and started again"],
  ["elicitation", "elicitation"],
  ["resources", "resources, for the model"],
  ["deny", "deny: not run, and the model reads the rule"],
  ["files", "the same for a file that it writes, or patches"],
  ["ask", "ask, without a person"],
  ["allow", "allow: run without a question"],
  ["pass", "pass: as without Toolcrib"],
  ["subagent", "a call of a subagent is judged"],
  ["typed", "a shell to type into is refused"],
  ["once", "a call to Toolcrib's own gateway is in the log once"],
  ["log", "`toolcrib audit` has the client and its session"],
  ["status", "`guard status`: holds, its version, the last call"],
  ["comments", "comments in the file with the hook"],
  ["arguments", "a hook can change the arguments of a call"],
  ["changed", "what another hook of yours made of the arguments is judged"],
  ["off", "the repository's settings turn hooks off"],
  ["managed", "the same with the machine's files (`--managed`)"],
  ["answered", "deny by a Toolcrib that runs, and nobody else to ask"],
  ["held", "deny while the Toolcrib that runs does not answer"],
  ["killed", "the program that judges is killed"],
  ["slow", "the program that judges hangs"],
  ["lineKilled", "the whole line of the hook is killed"],
  ["lineHangs", "the whole line of the hook hangs"],
]);

/** @param {ReadonlyMap<Client, Column>} columns */
export function toText(columns) {
  let text = "";
  for (const [{ title, version }, column] of columns) {
    text += `${title} ${version}\n`;
    for (const [row, what] of ROWS) {
      const cell = column[row];
      if (cell === undefined) continue;
      const { word, note } = cell;
      text += `  ${what.replaceAll("`", "").padEnd(58)} ${word}${note === undefined ? "" : `: ${note}`}\n`;
    }
  }
  return text;
}

/**
 * The page, with the notes under the table: one note for each text, whichever clients it is about.
 * @param {ReadonlyMap<Client, Column>} columns
 * @param {{ date: string, platform: string }} when
 */
export function toPage(columns, { date, platform }) {
  /** @type {string[]} */
  const notes = [];
  /** @param {Cell | undefined} cell */
  const show = (cell) => {
    if (cell === undefined) return "not tried";
    if (cell.note === undefined) return cell.word;
    const known = notes.indexOf(cell.note);
    const at = known === -1 ? notes.push(cell.note) : known + 1;
    return `${cell.word} [${at}](#notes)`;
  };
  const all = [...columns];
  const lines = [
    `| | ${all.map(([{ title, version }]) => `${title} ${version}`).join(" | ")} |`,
    `|---|${all.map(() => "---|").join("")}`,
    ...ROWS.map(([row, what]) => `| ${what} | ${all.map(([, column]) => show(column[row])).join(" | ")} |`),
  ];
  const listed = notes.map((note, at) => `${at + 1}. ${toMarkdown(note)}`);
  return `${INTRODUCTION.replace("DATE", date).replace("PLATFORM", platform)}\n${lines.join("\n")}\n\n## Notes\n\n${listed.join("\n")}\n${END}`;
}

/** What clients say is text, not Markdown. @param {string} note */
const toMarkdown = (note) => note.replace(/[\\`*_<>[\]|]/g, "\\$&");

const INTRODUCTION = `# Real clients

What the real programs do with Toolcrib as their MCP server and as their [guard](guard.md): seen on DATE on PLATFORM, without a
screen, each with an empty home, no network and a scripted model. \`node scripts/real-clients.mjs --write\` installs them outside
of the checkout and writes this page.

*RUNS* and *no* are gaps of the client: those of the guard stand in \`toolcrib guard status\` too. A dash says that there is nothing to try.
`;

const END = `
## What the rows are

- The entry for the MCP server is what \`toolcrib up --write\` writes. The change is a tool more, and the client's model has to see it in
  the same session. Toolcrib is killed as a crash would do it, and the next calls have to reach the one that \`toolcrib connect\` starts.
- The hook is what \`toolcrib guard install\` writes; Codex is made to trust it. The calls are \`touch ran.txt\` in the client's own shell, with
  one rule about it. Allow was tried where the client would not run it otherwise, all others where it asks its person for nothing.
- No Toolcrib runs where the hook is tried, so it decides by itself, but in the rows that name one: first with everything broken that the
  hook could start, so that only the one that runs can have said it, then with that one stopped.
- Files are written with the tool that a model gets, which for GPT models is a patch at Codex, Copilot CLI and opencode.
- Toolcrib's answers never change the arguments of a call. A hook of somebody else may, and then what runs is not what was judged.
- The repository's settings are those with which its files can turn hooks off; at Codex the folder is a trusted one. With the machine's files
  the same repository is tried, and the rule is one of \`/etc/toolcrib/policy.yaml\`.
- *RUNS* where the line is killed or hangs says that the client goes on as if nobody had said no.
`;
