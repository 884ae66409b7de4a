// Runs the real clients against a model on loopback, and says what they do with Toolcrib: node scripts/real-clients.mjs --help
// Nothing of them is part of the checkout, and no gate needs them.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { claudeCode } from "./real-clients/clients/claude-code.mjs";
import { codex } from "./real-clients/clients/codex.mjs";
import { copilotCli } from "./real-clients/clients/copilot-cli.mjs";
import { geminiCli } from "./real-clients/clients/gemini-cli.mjs";
import { opencode } from "./real-clients/clients/opencode.mjs";
import { qwenCode } from "./real-clients/clients/qwen-code.mjs";
import { checkGateway } from "./real-clients/gateway-checks.mjs";
import { GUARD_CHECKS } from "./real-clients/guard-checks.mjs";
import { HOOK_CHECKS } from "./real-clients/hook-checks.mjs";
import { install } from "./real-clients/install.mjs";
import { MACHINE } from "./real-clients/machine.mjs";
import { toPicture } from "./real-clients/picture.mjs";
import { recordEvents } from "./real-clients/record-events.mjs";
import { showStatus } from "./real-clients/show-status.mjs";
import { toPage, toText } from "./real-clients/table.mjs";
import { ensureReady } from "./setup.mjs";

const CLIENTS = [claudeCode, codex, geminiCli, copilotCli, qwenCode, opencode];
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = join(ROOT, "docs", "reference", "real-clients.md");
const EVENTS = join(ROOT, "test", "fixtures", "guard");
/** In a run of this script that a network of its own was made for. */
const ALONE = "REAL_CLIENTS_ALONE";

const HELP = `Usage: node scripts/real-clients.mjs [OPTIONS]

Installs ${CLIENTS.map(({ title, version }) => `${title} ${version}`).join(", ")}
from npm (1.4 GB) and runs each without a screen: with an empty home of its own,
a scripted model, and on Linux with no network but loopback. Prints what they do
with Toolcrib.

Options:
  --client NAME      only this one: ${CLIENTS.map(({ name }) => name).join(", ")};
                     may be repeated
  --folder FOLDER    where the clients are installed
                     (${join(tmpdir(), "real-clients")})
  --row ROW          only this row of the guard, by its name in the code; may be
                     repeated
  --patience SECONDS how long one run of a client may take (240)
  --write            write docs/reference/real-clients.md; needs all clients
  --record           write what each client tells its hook into
                     test/fixtures/guard, instead of the checks
  --show             write the pictures of guard status in docs/images, as
                     --write does too, instead of the checks
  -h, --help         show this text
`;

/** @typedef {import("./real-clients/client.d.ts").Client} Client */

process.exitCode = await main().catch((error) => {
  process.stderr.write(`real-clients: ${error instanceof Error ? error.message : error}\n`);
  return 1;
});

async function main() {
  const options = readOptions();
  if (typeof options === "number") return options;
  if (!ensureReady(ROOT)) return 1;
  const stop = new AbortController();
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM"]))
    process.on(name, () => stop.abort(new Error(`stopped by ${name}`)));
  const { clients, folder, patience } = options;
  /** @type {Map<Client, string>} */
  const installed = new Map();
  for (const client of clients) installed.set(client, await install(client, folder, stop.signal));
  if (process.env[ALONE] === undefined && process.platform === "linux") return runAlone();
  /** @type {Map<Client, import("./real-clients/table.mjs").Column>} */
  const columns = new Map();
  for (const [client, modules] of installed) {
    const asked = { client, modules, patience, signal: stop.signal };
    if (options.records) writeEvents(client, await recordEvents(asked));
    else if (!options.shows) columns.set(client, await check(asked, options.rows));
  }
  if (options.records) return 0;
  if (options.writes || options.shows) await writePictures(installed, { patience, signal: stop.signal });
  if (options.shows) return 0;
  process.stdout.write(toText(columns));
  if (options.writes) writeFileSync(PAGE, toPage(columns, { date: today(), platform: "Linux" }));
  return 0;
}

/** @returns what was asked for, or the status to end with */
function readOptions() {
  /** @param {string} text */
  const refuse = (text) => {
    process.stderr.write(`real-clients: ${text}; --help shows what there is\n`);
    return 2;
  };
  /** @type {ReturnType<typeof parse>} */
  let values;
  try {
    values = parse();
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const names = values.client ?? CLIENTS.map(({ name }) => name);
  const unknown = names.find((name) => !CLIENTS.some((client) => client.name === name));
  if (unknown !== undefined) return refuse(`there is no client ${unknown}`);
  const seconds = Number(values.patience);
  if (!Number.isFinite(seconds) || seconds <= 0) return refuse(`--patience needs seconds, not ${values.patience}`);
  const clients = CLIENTS.filter(({ name }) => names.includes(name));
  const rows = values.row;
  const strange = rows?.find((row) => !(row in HOOK_CHECKS || row in GUARD_CHECKS));
  if (strange !== undefined) return refuse(`there is no row ${strange}`);
  if ((values.write || values.show) && (rows !== undefined || clients.length < CLIENTS.length))
    return refuse("--write and --show need all clients and rows");
  return {
    rows,
    clients,
    folder: values.folder,
    patience: seconds * 1_000,
    writes: values.write,
    records: values.record,
    shows: values.show,
  };
}

function parse() {
  return parseArgs({
    options: {
      client: { type: "string", multiple: true },
      folder: { type: "string", default: join(tmpdir(), "real-clients") },
      row: { type: "string", multiple: true },
      patience: { type: "string", default: "240" },
      write: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      show: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  }).values;
}

/** Starts this script again where there is no network but loopback. @returns {Promise<number>} its status */
function runAlone() {
  const script = `ip link set lo up || exit
mount -t tmpfs none /mnt && mkdir /mnt/etc /mnt/etc-work /mnt/lib /mnt/lib-work \\
  && mount -t overlay -o lowerdir=/etc,upperdir=/mnt/etc,workdir=/mnt/etc-work none /etc \\
  && mount -t overlay -o lowerdir=/var/lib,upperdir=/mnt/lib,workdir=/mnt/lib-work none /var/lib \\
  && export ${MACHINE}=1
exec "$@"`;
  const own = [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const options = process.getuid?.() === 0 ? ["--net", "--mount"] : ["--net", "--mount", "--map-root-user"];
  // Ctrl-C reaches both; this one waits until the other has cleaned up.
  const child = spawn("unshare", [...options, "sh", "-c", script, "sh", ...own], {
    stdio: "inherit",
    env: { ...process.env, [ALONE]: "1" },
  });
  return new Promise((resolve, reject) => {
    child.once("error", () => reject(new Error("a network with loopback only needs unshare of util-linux")));
    child.once("close", (status) => resolve(status ?? 1));
  });
}

/** @param {import("./real-clients/stage.mjs").Installed} installed @param {readonly string[] | undefined} rows those of its guard that are asked for */
async function check(installed, rows) {
  const { title } = installed.client;
  /** @type {Record<string, import("./real-clients/table.mjs").Cell>} */
  const column = {};
  if (rows === undefined) {
    process.stderr.write(`${title}: as a client of the gateway …\n`);
    Object.assign(column, await checkGateway(installed));
  }
  for (const [row, look] of Object.entries({ ...HOOK_CHECKS, ...GUARD_CHECKS })) {
    if (rows !== undefined && !rows.includes(row)) continue;
    process.stderr.write(`${title}: ${row} …\n`);
    column[row] = await look(installed);
  }
  return column;
}

/** @param {Client} client @param {object} events */
function writeEvents({ name }, events) {
  mkdirSync(EVENTS, { recursive: true });
  writeFileSync(join(EVENTS, `${name}.json`), `${JSON.stringify(events, null, 2)}\n`);
  process.stdout.write(`${name}: ${Object.keys(events).join(", ")}\n`);
}

/** @param {ReadonlyMap<Client, string>} installed @param {{ patience: number, signal: AbortSignal }} limits */
async function writePictures(installed, limits) {
  const text = await showStatus(installed, limits);
  process.stdout.write(text);
  for (const scheme of /** @type {const} */ (["light", "dark"]))
    writeFileSync(join(ROOT, "docs", "images", `guard-status-${scheme}.svg`), toPicture(text, scheme));
}

function today() {
  return new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}
