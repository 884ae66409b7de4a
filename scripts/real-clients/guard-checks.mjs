// What becomes of a guard where other hooks, a repository or the machine's files have a say, and what Toolcrib says of it.
import { callShell, denied, how } from "./hook-checks.mjs";
import { MACHINE } from "./machine.mjs";
import { MAIN, onStage } from "./stage.mjs";
import { callTown, offerTown } from "./town.mjs";

/**
 * @typedef {import("./stage.mjs").Installed} Installed
 * @typedef {import("./stage.mjs").Stage} Stage
 * @typedef {import("./table.mjs").Cell} Cell
 * @typedef {{ guards: { state: string, why: string | null }[], version: string | null, last: object | null }} Report
 */

const COMMAND = "touch ran.txt";
const RULES = { deny: ["Bash(touch ran.txt)"] };

/** What `guard status` says of the client. @param {Stage} stage @returns {Promise<Report>} */
async function reportOf({ client, machine }) {
  const { out, err } = await machine.ask("guard", "status", client.name, "--json");
  if (out === "") throw new Error(err);
  return JSON.parse(out).clients[0];
}

/** Of what the client's rows in the log say. @param {Stage} stage @returns {Promise<any[]>} */
async function rowsOf({ client, machine }) {
  const text = await machine.toolcrib("audit", "--client", client.name, "--json");
  const rows = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  return rows.flat();
}

/** @param {Stage} stage */
function turnOff({ client, machine }) {
  for (const [file, content] of Object.entries(client.switches)) machine.write(`workspace/${file}`, content);
}

/** @type {Readonly<Record<string, (installed: Installed) => Promise<Cell>>>} */
export const GUARD_CHECKS = {
  status: async (installed) => {
    const seen = await callShell(installed, { rules: RULES, after: reportOf });
    const { guards, version, last } = /** @type {Report} */ (seen.after);
    const [guard] = guards;
    if (guard?.state !== "holds") return { word: "NO", note: `${guard?.state}: ${guard?.why}` };
    if (version !== installed.client.version) return { word: "NO", note: `it says the version is ${version}` };
    return last === null ? { word: "NO", note: "it shows no last call" } : { word: "yes" };
  },
  log: async (installed) => {
    const seen = await callShell(installed, { rules: RULES, after: rowsOf });
    const session = seen.asked[0]?.session_id ?? seen.asked[0]?.sessionId ?? seen.asked[0]?.sessionID;
    const rows = /** @type {any[]} */ (seen.after);
    const row = rows.find((one) => one.session === session);
    return row?.decision?.decision === "deny"
      ? { word: "yes" }
      : { word: "NO", note: `of the session ${session} it holds ${JSON.stringify(row ?? rows)}` };
  },
  once: checkOnce,
  arguments: async (installed) => {
    const { hooks } = installed.client;
    const seen = await callShell(installed, {
      ...{ rules: {}, manner: "trusting", isGuarded: false },
      before: ({ machine }) => machine.addHook(hooks, "touch changed.txt"),
      after: async ({ machine }) => machine.has("changed.txt"),
    });
    if (seen.after === true) return { word: "yes" };
    return seen.ran ? { word: "no", note: "the model's call runs as it is" } : { word: "not seen", note: how(seen) };
  },
  changed: async (installed) => {
    const { hooks } = installed.client;
    const seen = await callShell(installed, {
      ...{ rules: RULES, manner: "trusting", command: "touch harmless.txt" },
      before: ({ machine }) => machine.addHook(hooks, COMMAND),
      after: async ({ machine }) => machine.has("harmless.txt"),
    });
    if (seen.ran) return { word: "RUNS" };
    return seen.after === true ? { word: "–", note: "the model's call runs as it is" } : denied(seen);
  },
  comments: checkComments,
  off: async (installed) => {
    if (Object.keys(installed.client.switches).length === 0) return { word: "–", note: "it has no such setting" };
    const seen = await callShell(installed, { rules: RULES, before: turnOff, after: reportOf });
    const { guards } = /** @type {Report} */ (seen.after);
    const isKnown = guards.some(({ state }) => state === "off");
    const said = isKnown ? "guard status says that they are off" : "guard status says that it holds";
    return { word: seen.ran ? "RUNS" : "not run", note: said };
  },
  managed: checkManaged,
};

/** A call of the gateway's tool, which the hook sees before. @param {Installed} installed @returns {Promise<Cell>} */
function checkOnce(installed) {
  return onStage(installed, async (stage) => {
    const { client, machine, run } = stage;
    await offerTown(stage);
    await machine.toolcrib("guard", "install", client.name);
    machine.watchHook();
    /** @type {import("./model.mjs").Thread["talk"]} */
    const talk = async function* (turn) {
      yield* callTown(client, turn, "echo", "once");
    };
    await run("free", { marker: MAIN, talk });
    const text = await machine.toolcrib("audit", "--json");
    const rows = text.split("\n").filter((line) => /"tool":"[^"]*town_*echo"/.test(line.replace("/", "__")));
    const asked = machine.events().filter((event) => JSON.stringify(event).includes("once"));
    if (asked.length === 0) return { word: "not seen", note: "the hook was not asked about it" };
    return rows.length === 1 ? { word: "yes" } : { word: "NO", note: `the log has ${rows.length} rows about it` };
  });
}

/** @param {Installed} installed @returns {Promise<Cell>} */
async function checkComments(installed) {
  const { hooks } = installed.client;
  if (!hooks.isShared) return { word: "–", note: "the guard has a file of its own" };
  const seen = await callShell(installed, {
    rules: RULES,
    before({ machine }) {
      const known = machine.read(hooks.path);
      const text = known === "" ? '{ "hooks": {} }\n' : known;
      machine.write(hooks.path, text.replace("{", "{\n  // mine\n"));
    },
    after: reportOf,
  });
  const { guards } = /** @type {Report} */ (seen.after);
  const state = guards[0]?.state;
  if (!seen.ran) return denied(seen);
  return state === "unread"
    ? { word: "RUNS", note: "it reads nothing of such a file, and guard install and guard status say so" }
    : { word: "NO", note: `it runs, and guard status says ${state}` };
}

/** @param {Installed} installed @returns {Promise<Cell>} */
async function checkManaged(installed) {
  if (process.env[MACHINE] === undefined) return { word: "not tried" };
  const { client } = installed;
  return onStage(installed, async (stage) => {
    const { machine, run } = stage;
    machine.writeMachine("/etc/toolcrib/policy.yaml", { permissions: { deny: [`Bash(${COMMAND}:*)`] } });
    await machine.toolcrib("guard", "install", "--managed");
    turnOff(stage);
    let result = "";
    /** @type {import("./model.mjs").Thread["talk"]} */
    const talk = async function* () {
      result = (yield client.shell(COMMAND)).results.at(-1) ?? "";
    };
    try {
      const ended = await run("free", { marker: MAIN, talk });
      const { guards } = await reportOf(stage);
      if (machine.has("ran.txt")) return { word: "RUNS", note: `guard status says ${guards[0]?.state}` };
      if (result === "") return { word: "not seen", note: machine.brief(ended.err || ended.out) };
      return /policy\.yaml/.test(result) ? { word: "yes" } : { word: "not run", note: machine.brief(result) };
    } finally {
      await machine.toolcrib("guard", "remove", "--managed");
      machine.writeMachine("/etc/toolcrib/policy.yaml", {});
    }
  });
}
