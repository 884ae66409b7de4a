// A person's machine for one run: an empty home, a workspace, and a toolcrib on the path that can be made to fail.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "./start.mjs";

const BIN = fileURLToPath(new URL("../../bin/toolcrib.js", import.meta.url));
const PATIENCE = 60_000;
/** Characters of what a client said. */
const MOST = 220;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** Where `toolcrib guard install` puts the script that every line runs. */
const SCRIPT = "home/.local/state/toolcrib/guard/hook.sh";

/** What goes wrong before the script runs, or where it asks the program that judges. */
const FAULTS = /** @type {const} */ ({
  "the program is killed": { before: "", program: "kill -9 $$" },
  "the program hangs": { before: "", program: "exec sleep 30" },
  "the line is killed": {
    before: 'grep -q "hook.sh" "/proc/$PPID/cmdline" && kill -9 "$PPID"; kill -9 $$',
    program: "",
  },
  // Longer than any client waits, and no longer, for some wait until it ends by itself.
  "the line hangs": { before: "sleep 20", program: "" },
});

/** @typedef {keyof typeof FAULTS} Fault */

/** @param {AbortSignal} signal */
export function createMachine(signal) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "real-client-")));
  const home = join(root, "home");
  const workspace = join(root, "workspace");
  const bin = join(root, "bin");
  const temp = join(root, "tmp");
  for (const folder of [home, workspace, bin, temp]) mkdirSync(folder);
  mkdirSync(join(workspace, ".git"));
  const events = join(root, "events.jsonl");
  const env = {
    HOME: home,
    PATH: [bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    TMPDIR: temp,
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    // No proxy is asked for what is on loopback, and nothing else is there to be asked.
    NO_PROXY: "127.0.0.1,localhost",
  };
  /** @param {string} path @param {string | object} content */
  const write = (path, content) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
    return file;
  };
  writeFileSync(join(bin, "toolcrib"), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, { mode: 0o755 });
  /** @param {readonly string[]} command @param {Readonly<Record<string, string>>} [more] @param {number} [patience] */
  const run = (command, more = {}, patience = PATIENCE) =>
    start(command, { cwd: workspace, env: { ...env, ...more }, patience, signal });
  return {
    home,
    workspace,
    write,
    run,
    /** @param {readonly string[]} args */
    async toolcrib(...args) {
      const ended = await run([process.execPath, BIN, ...args]);
      if (ended.status === 0) return ended.out;
      throw new Error(`toolcrib ${args.join(" ")} ended with ${ended.status}:\n${ended.err}`);
    },
    /** Makes the installed hook write down what it is told. @param {Fault} [fault] and fail */
    watchHook(fault) {
      const { before, program } = fault === undefined ? { before: "", program: "" } : FAULTS[fault];
      const failing = write("bin/failing", `#!/bin/sh\n${program}\n`);
      chmodSync(failing, 0o755);
      const text = readFileSync(join(root, SCRIPT), "utf8");
      const real = write("bin/hook.sh", program === "" ? text : text.replaceAll(process.execPath, failing));
      const told = `event=$(cat)\nprintf '%s\\n' "$event" >> '${events}'\n`;
      write(SCRIPT, `${told}${before}\nexec <<EVENT\n$event\nEVENT\n. '${real}'\n`);
    },
    /** @param {string} path in the workspace */
    has: (path) => existsSync(join(workspace, path)),
    /** What the client told the hook. @returns {any[]} */
    events: () => (existsSync(events) ? readFileSync(events, "utf8").trim().split("\n").map(parse) : []),
    /** One short line of what a client said, without the places of this machine. @param {string} text */
    brief(text) {
      const line = text
        .replaceAll(workspace, "WORKSPACE")
        .replaceAll(home, "~")
        .replace(COLOURS, "")
        .replace(/\s+/g, " ")
        .trim();
      return line.length > MOST ? `${line.slice(0, MOST)} …` : line;
    },
    /** Ends what clients started in the background, and leaves nothing on the disk. */
    async close() {
      const ended = start([process.execPath, BIN, "down", "--workspace", workspace], {
        ...{
          cwd: workspace,
          env: { ...process.env, ...env },
          patience: PATIENCE,
          signal: new AbortController().signal,
        },
      });
      await ended.catch(() => undefined);
      rmSync(root, { recursive: true, force: true, maxRetries: 3, retryDelay: 200 });
    },
  };
}

/** @typedef {ReturnType<typeof createMachine>} Machine */

/** @param {string} line @returns {unknown} */
function parse(line) {
  return JSON.parse(line);
}
