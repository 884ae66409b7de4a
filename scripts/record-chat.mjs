// Records `toolcrib chat` in a terminal, for people to look at: node scripts/record-chat.mjs [FOLDER]
// Each frame is the screen at one moment: NN-NAME.ansi with its colours (cat shows it), NN-NAME.txt without. Needs tmux.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ensureReady } from "./setup.mjs";

const BIN = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const PATIENCE = 30_000;
const SCRIPT = `replies:
  - text: |
      # Two parts

      This project has **two** parts, \`core\` and *surfaces*, as the [map](https://example.com/map) of it says in a sentence that is longer than a row.

      - the first one decides, and a long item goes on below its own beginning
      - the second one shows

      | part | files |
      |---|---|
      | core | \`120\` |
      | surfaces | 80 |

      \`\`\`ts
      const answer = 42;
      \`\`\`

      > Text of a model is text: \\e[31mnot red\\e[0m
  - calls: [{ tool: bash, arguments: { command: "npm test && rm -r build" } }]
  - text: The tests passed.
  - calls: [{ tool: bash, arguments: { command: "sleep 60" } }]
  - text: Never said.
`.replaceAll("\\e", "\u001b");

/** @type {readonly (readonly [name: string, keys: readonly string[], until: string])[]} */
const STEPS = [
  ["starting", [], "starting quiet"],
  ["typed-while-starting", ["What is here?"], "What is here?"],
  ["waits-for-servers", ["Enter"], "> What is here?"],
  ["markdown", [], "Text of a model is text"],
  ["pasted", ["\u001b[200~Error: no\n  at a (a.ts:1)\n  at b (b.ts:2)\u001b[201~"], "at b"],
  ["question", ["Enter"], "Allow it?"],
  ["allowed", ["n", "Enter"], "The tests passed."],
  ["several-lines", ["first line", "M-Enter", "second line"], "second line"],
  ["working", ["Enter"], "sleep 60"],
  ["typed-while-working", ["something else"], "something else"],
  ["stopped", ["C-c"], "the run was stopped"],
];

const [folder = "recordings"] = process.argv.slice(2);
if (!ensureReady()) process.exit(3);
const home = mkdtempSync(join(tmpdir(), "toolcrib-record-"));
const cwd = join(home, "work");
mkdirSync(join(cwd, ".git"), { recursive: true });
mkdirSync(join(home, ".config", "toolcrib"), { recursive: true });
mkdirSync(folder, { recursive: true });
writeFileSync(join(cwd, "talk.yaml"), SCRIPT);
const quiet =
  'mcpServers:\n  quiet: { command: node, args: ["-e", "setTimeout(() => {}, 60000)"], startTimeout: 6000 }\n';
writeFileSync(join(home, ".config", "toolcrib", "config.yaml"), quiet);

/** @param {readonly string[]} args */
const tmux = (...args) =>
  execFileSync("tmux", ["-S", join(home, "tmux"), "-f", "/dev/null", ...args], { encoding: "utf8" });
try {
  const command = `env HOME='${home}' XDG_CONFIG_HOME= XDG_STATE_HOME= TERM=xterm-256color '${process.execPath}' '${BIN}' chat --model scripted:talk.yaml`;
  tmux("new-session", "-d", "-x", "80", "-y", "30", "-c", cwd, command);
  for (const [at, [name, keys, until]] of STEPS.entries()) {
    for (const key of keys) tmux("send-keys", ...(/^[A-Z]-|^Enter$|^n$|^y$/.test(key) ? [key] : ["-l", key]));
    await waitFor(until);
    const frame = join(folder, `${String(at + 1).padStart(2, "0")}-${name}`);
    writeFileSync(`${frame}.ansi`, tmux("capture-pane", "-ep"));
    writeFileSync(`${frame}.txt`, tmux("capture-pane", "-p"));
  }
  console.log(`${STEPS.length} frames are in ${folder}`);
} finally {
  tmux("kill-server");
  rmSync(home, { recursive: true, force: true });
}

/** @param {string} text */
async function waitFor(text) {
  for (const end = performance.now() + PATIENCE; performance.now() < end; await pass(100))
    if (tmux("capture-pane", "-p").includes(text)) return;
  throw new Error(`the terminal does not show ${JSON.stringify(text)}:\n${tmux("capture-pane", "-p")}`);
}
