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
/** Set where /etc and /var/lib are of this process and what it starts alone. */
export const MACHINE = "REAL_CLIENTS_MACHINE";
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

/** @param {string} root */
function createFiles(root) {
  /** @param {string} path @param {string | object} content */
  const write = (path, content) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
    return file;
  };
  return {
    write,
    /** A file of the machine. @param {string} file @param {object} content */
    writeMachine(file, content) {
      if (process.env[MACHINE] === undefined) throw new Error(`${file} is not ours to write`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(content));
    },
    /** Puts a program on the path. @param {string} name @param {readonly string[]} command */
    provide(name, command) {
      const words = command.map((word) => `'${word}'`).join(" ");
      chmodSync(write(join("bin", name), `#!/bin/sh\nexec ${words} "$@"\n`), 0o755);
    },
    /** A hook of the person's own, which has this command run in place of every other. @param {import("./client.d.ts").HookFile} file @param {string} command */
    addHook({ path, content, change }, command) {
      if (change === null) return void write(path, content(command, {}));
      const known = existsSync(join(root, path)) ? JSON.parse(readFileSync(join(root, path), "utf8")) : {};
      const other = write(
        "bin/other",
        `#!/bin/sh\ncat > /dev/null\nprintf '%s' '${JSON.stringify(change(command))}'\n`,
      );
      chmodSync(other, 0o755);
      write(path, content(other, known));
    },
    /** @param {string} path @returns {string} nothing where there is no such file */
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : ""),
  };
}

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
  /** @type {number[]} */
  const held = [];
  const files = createFiles(root);
  const { write } = files;
  /** @param {readonly string[]} command @param {Readonly<Record<string, string>>} [more] @param {number} [patience] */
  const run = (command, more = {}, patience = PATIENCE) =>
    start(command, { cwd: workspace, env: { ...env, ...more }, patience, signal });
  const machine = {
    home,
    workspace,
    ...files,
    run,
    /** @param {readonly string[]} args */
    ask: (...args) => run([process.execPath, BIN, ...args]),
    /** @param {readonly string[]} args */
    async toolcrib(...args) {
      const ended = await machine.ask(...args);
      if (ended.status === 0) return ended.out;
      throw new Error(`toolcrib ${args.join(" ")} ended with ${ended.status}:\n${ended.err}`);
    },
    /** The processes of Toolcrib that run here. @returns {Promise<number[]>} */
    async running() {
      const { running } = JSON.parse(await machine.toolcrib("status", "--json"));
      return running.map((/** @type {{ pid: number }} */ { pid }) => pid);
    },
    /** Has every Toolcrib that runs here stop answering, until `close`. */
    async hold() {
      for (const pid of await machine.running()) {
        process.kill(pid, "SIGSTOP");
        held.push(pid);
      }
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
      for (const pid of held) process.kill(pid, "SIGCONT");
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
  machine.provide("toolcrib", [process.execPath, BIN]);
  return machine;
}

/** @typedef {ReturnType<typeof createMachine>} Machine */

/** @param {string} line @returns {unknown} */
function parse(line) {
  return JSON.parse(line);
}
