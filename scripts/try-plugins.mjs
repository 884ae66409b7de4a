// Installs Toolcrib's plugin into each real client, on an empty machine, and says what of it is there: node scripts/try-plugins.mjs --help
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { claudeCode } from "./real-clients/clients/claude-code.mjs";
import { codex } from "./real-clients/clients/codex.mjs";
import { copilotCli } from "./real-clients/clients/copilot-cli.mjs";
import { geminiCli } from "./real-clients/clients/gemini-cli.mjs";
import { install } from "./real-clients/install.mjs";
import { MAIN, onStage } from "./real-clients/stage.mjs";
import { findTown, nameInTown } from "./real-clients/town.mjs";
import { ensureReady } from "./setup.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TOWN = fileURLToPath(new URL("real-clients/town-server.cjs", import.meta.url));
/** How the description of the skill begins. */
const SKILL = "Why a tool is missing";
/** In a run of this script that a network of its own was made for. */
const ALONE = "TRY_PLUGINS_ALONE";

/** @typedef {import("./real-clients/client.d.ts").Client} Client */

/** What a package brings for other clients. */
const PARTS = ["plugins", ".claude-plugin", ".agents", ".github"];
/** Stands for the folder with these. */
const SOURCE = "SOURCE";

/** Each client's own commands: its check, and what installs the plugin. @type {readonly { client: Client, checks: string[][], installs: string[][] }[]} */
const PLUGINS = [
  {
    client: claudeCode,
    checks: [
      ["plugin", "validate", "--strict", SOURCE],
      ["plugin", "validate", "--strict", `${SOURCE}/plugins/claude-code`],
    ],
    installs: [
      ["plugin", "marketplace", "add", SOURCE],
      ["plugin", "install", "toolcrib@toolcrib"],
    ],
  },
  {
    client: codex,
    checks: [],
    installs: [
      ["plugin", "marketplace", "add", SOURCE],
      ["plugin", "add", "toolcrib@toolcrib"],
    ],
  },
  {
    client: copilotCli,
    checks: [],
    installs: [
      ["plugin", "marketplace", "add", SOURCE],
      ["plugin", "install", "toolcrib@toolcrib"],
    ],
  },
  {
    client: geminiCli,
    checks: [["extensions", "validate", `${SOURCE}/plugins/gemini-cli`]],
    installs: [["extensions", "install", "--consent", `${SOURCE}/plugins/gemini-cli`]],
  },
];

const HELP = `Usage: node scripts/try-plugins.mjs [OPTIONS]

Installs ${PLUGINS.map(({ client }) => client.title).join(", ")} from npm, checks the plugins with the clients'
own commands, installs each into an empty home and runs the client against a
scripted model: is the server there, does the hook refuse, is the skill offered?

Options:
  --client NAME      only this one: ${PLUGINS.map(({ client }) => client.name).join(", ")}
  --folder FOLDER    where the clients are installed
                     (${join(tmpdir(), "real-clients")})
  -h, --help         show this text
`;

process.exitCode = await main().catch((error) => {
  process.stderr.write(`try-plugins: ${error instanceof Error ? error.message : error}\n`);
  return 1;
});

async function main() {
  const { values } = parseArgs({
    options: {
      client: { type: "string" },
      folder: { type: "string", default: join(tmpdir(), "real-clients") },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const plugins = PLUGINS.filter(({ client }) => values.client === undefined || client.name === values.client);
  if (plugins.length === 0) throw new Error(`there is no client ${values.client}; --help shows what there is`);
  if (!ensureReady(ROOT)) return 1;
  const stop = new AbortController();
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM"]))
    process.on(name, () => stop.abort(new Error(`stopped by ${name}`)));
  const modules = new Map();
  for (const { client } of plugins) modules.set(client, await install(client, values.folder, stop.signal));
  if (process.env[ALONE] === undefined && process.platform === "linux") return runAlone();
  let isWhole = true;
  for (const plugin of plugins) {
    const found = await tryPlugin(plugin, modules.get(plugin.client), stop.signal);
    process.stdout.write(`${plugin.client.title} ${plugin.client.version}\n`);
    for (const [what, said] of Object.entries(found)) process.stdout.write(`  ${what.padEnd(8)} ${said}\n`);
    isWhole &&= Object.values(found).every((said) => said === "yes");
  }
  return isWhole ? 0 : 1;
}

/** Starts this script again where there is no network but loopback. @returns {Promise<number>} its status */
function runAlone() {
  const own = [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const options = process.getuid?.() === 0 ? ["--net"] : ["--net", "--map-root-user"];
  const child = spawn("unshare", [...options, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...own], {
    stdio: "inherit",
    env: { ...process.env, [ALONE]: "1" },
  });
  return new Promise((resolve, reject) => {
    child.once("error", () => reject(new Error("a network with loopback only needs unshare of util-linux")));
    child.once("close", (status) => resolve(status ?? 1));
  });
}

/** @param {(typeof PLUGINS)[number]} plugin @param {string} modules @param {AbortSignal} signal @returns {Promise<Record<string, string>>} */
function tryPlugin({ client, checks, installs }, modules, signal) {
  return onStage({ client, modules, patience: 240_000, signal }, async ({ machine, model, run }) => {
    const program = client.start(modules);
    const env = client.env(model.url, client.models[0] ?? "", "trusting");
    // Where no project is around it, as in an installed package.
    const source = join(dirname(machine.home), "package");
    for (const part of PARTS) cpSync(join(ROOT, part), join(source, part), { recursive: true });
    for (const [what, commands] of Object.entries({ valid: checks, install: installs }))
      for (const command of commands) {
        const { status, out, err } = await machine.run(
          [...program, ...command.map((word) => word.replace(SOURCE, source))],
          env,
        );
        if (status !== 0) return { [what]: `NO: ${command.join(" ")}: ${machine.brief(err || out)}` };
      }
    machine.write("home/.config/toolcrib/config.yaml", {
      mcpServers: { town: { command: process.execPath, args: [TOWN] } },
      permissions: { deny: ["Bash(touch:*)"] },
    });
    // Some clients look at a server's tools once, when it starts.
    await machine.toolcrib("up", "--detach");
    const found = { server: "NO", hook: "NO: the model got no result", skill: "NO" };
    const ended = await run("trusting", {
      marker: MAIN,
      async *talk(first) {
        const turn = yield* findTown(client, first, "echo");
        if (nameInTown(turn, "echo") !== null) found.server = "yes";
        const result = (yield client.shell("touch ran.txt")).results.at(-1) ?? "";
        const isRefused = !machine.has("ran.txt") && /is denied by the rule/.test(result);
        found.hook = isRefused ? "yes" : `NO: ${machine.brief(result)}`;
      },
    });
    if (JSON.stringify(model.seen()).includes(SKILL)) found.skill = "yes";
    if (ended.late) found.hook = `NO: the client had not ended in time; ${found.hook}`;
    return { ...(checks.length === 0 ? {} : { valid: "yes" }), install: "yes", ...found };
  });
}
