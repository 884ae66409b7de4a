// What comes of a client's own calls where `toolcrib guard install` has written its hook.
import { MAIN, onStage, SIDE } from "./stage.mjs";

/**
 * @typedef {import("./stage.mjs").Installed} Installed
 * @typedef {import("./stage.mjs").Stage} Stage
 * @typedef {import("./client.d.ts").Manner} Manner
 * @typedef {import("./table.mjs").Cell} Cell
 * @typedef {import("./model.mjs").Thread["talk"]} Talk
 * @typedef {{
 *   rules: object,
 *   manner?: Manner,
 *   isGuarded?: boolean,
 *   fault?: import("./machine.mjs").Fault,
 *   bySubagent?: boolean,
 *   command?: string,
 *   before?: (stage: Stage) => unknown,
 *   after?: (stage: Stage) => Promise<unknown>,
 * }} Case
 */

const COMMAND = "touch ran.txt";
const RULES = { deny: ["Bash(touch ran.txt)"] };

/** @param {Installed} installed @param {Case} asked */
export function callShell(installed, asked) {
  const { rules, manner = "free", isGuarded = true, fault, bySubagent = false, command = COMMAND } = asked;
  return onStage(installed, async (stage) => {
    const { client, machine, run } = stage;
    machine.write("home/.config/toolcrib/config.yaml", { permissions: rules });
    await asked.before?.(stage);
    if (isGuarded) {
      await machine.toolcrib("guard", "install", client.name);
      machine.watchHook(fault);
    }
    let result = "";
    let wasOffered = true;
    const shell = client.shell(command);
    /** @type {Talk} */
    const talk = async function* ({ offered }) {
      wasOffered = offered.some(({ name }) => name === shell.name);
      result = (yield shell).results.at(-1) ?? "";
    };
    /** @type {Talk} */
    const delegate = () => client.delegate(SIDE);
    const threads = bySubagent
      ? [
          { marker: SIDE, talk },
          { marker: MAIN, talk: delegate },
        ]
      : [{ marker: MAIN, talk }];
    const ended = await run(manner, ...threads);
    const said =
      result === ""
        ? `the model got no result; the client said: ${machine.brief(ended.err || ended.out)}`
        : machine.brief(result);
    const after = await asked.after?.(stage);
    return { ran: machine.has("ran.txt"), result, said, wasOffered, asked: machine.events(), ended, after };
  });
}

/** @typedef {Awaited<ReturnType<typeof callShell>>} Seen */

/** @param {Seen} seen @returns {string} */
export function how({ said, ended }) {
  if (ended.late) return "the client had not ended when its time was over";
  return said;
}

const DENIED = /is denied by the rule/;

/** @param {Seen} seen @returns {Cell} */
export function denied(seen) {
  if (seen.ran) return { word: "NO", note: `the call ran: ${how(seen)}` };
  return DENIED.test(seen.result) ? { word: "yes" } : { word: "NO", note: how(seen) };
}

/** @type {Readonly<Record<string, (installed: Installed) => Promise<Cell>>>} */
export const HOOK_CHECKS = {
  deny: async (installed) => denied(await callShell(installed, { rules: RULES })),
  files: checkFiles,
  ask: async (installed) => {
    const seen = await callShell(installed, { rules: { ask: ["Bash(touch:*)"] } });
    return seen.ran ? { word: "NO", note: "the call ran" } : { word: "not run", note: how(seen) };
  },
  allow: async (installed) => {
    const without = await callShell(installed, { rules: {}, manner: "careful", isGuarded: false });
    if (without.ran) return { word: "not seen", note: "without a screen it runs its shell unasked" };
    const seen = await callShell(installed, { rules: { allow: ["Bash(touch:*)"] }, manner: "careful" });
    if (seen.ran) return { word: "yes" };
    if (!seen.wasOffered) return checkInTerminal(installed);
    return { word: "no", note: `as without Toolcrib: ${how(seen)}` };
  },
  pass: async (installed) => {
    const seen = await callShell(installed, { rules: {} });
    if (seen.asked.length === 0) return { word: "NO", note: `the hook was not asked: ${how(seen)}` };
    return seen.ran ? { word: "yes" } : { word: "NO", note: how(seen) };
  },
  subagent: async (installed) => {
    const seen = await callShell(installed, { rules: RULES, bySubagent: true });
    if (seen.ran) return { word: "NO", note: "the call ran" };
    if (DENIED.test(seen.result)) return { word: "yes" };
    return { word: "not seen", note: how(seen) };
  },
  typed: checkTyped,
  answered: async (installed) =>
    denied(await callShell(installed, { rules: RULES, before: startToolcrib, fault: "the program is killed" })),
  held: async (installed) => {
    const before = async (/** @type {Stage} */ stage) => {
      await startToolcrib(stage);
      await stage.machine.hold();
    };
    return denied(await callShell(installed, { rules: RULES, before }));
  },
  killed: (installed) => callFaulty(installed, "the program is killed"),
  slow: (installed) => callFaulty(installed, "the program hangs"),
  lineKilled: (installed) => callFaulty(installed, "the line is killed"),
  lineHangs: (installed) => callFaulty(installed, "the line hangs"),
};

/** One that answers hooks. @param {Stage} stage */
function startToolcrib({ machine }) {
  return machine.toolcrib("up", "--detach");
}

/** Without a screen it offers its shell only where it never asks. @param {Installed} installed @returns {Promise<Cell>} */
async function checkInTerminal(installed) {
  if (installed.client.inTerminal === undefined) return { word: "not seen", note: "it does not offer its shell" };
  const seen = await callShell(installed, { rules: { allow: ["Bash(touch:*)"] }, manner: "watched" });
  if (seen.ran) return { word: "yes", note: "tried in a terminal" };
  if (!seen.wasOffered) return { word: "not seen", note: "it does not offer its shell in a terminal either" };
  const when = seen.asked.length === 0 ? ", before the hook" : "";
  return { word: "no", note: `in a terminal it asks its person all the same${when}` };
}

/** @param {Installed} installed @param {import("./machine.mjs").Fault} fault @returns {Promise<Cell>} */
async function callFaulty(installed, fault) {
  const seen = await callShell(installed, { rules: RULES, fault });
  if (seen.asked.length === 0) return { word: "not seen", note: `the hook was not asked: ${how(seen)}` };
  if (seen.ran) return { word: "RUNS" };
  return seen.result === "" ? { word: "not seen", note: how(seen) } : { word: "not run", note: how(seen) };
}

/** A new file, with the tool that the client offers each kind of model. @param {Installed} installed @returns {Promise<Cell>} */
async function checkFiles(installed) {
  for (const named of installed.client.models) {
    const cell = await onStage({ ...installed, named }, async ({ client, machine, run }) => {
      machine.write("home/.config/toolcrib/config.yaml", { permissions: { deny: ["Write(new.txt)"] } });
      await machine.toolcrib("guard", "install", client.name);
      const { create } = client.own(machine.workspace, named);
      let result = "";
      /** @type {Talk} */
      const talk = async function* () {
        if (create !== undefined) result = (yield create).results.at(-1) ?? "";
      };
      await run("free", { marker: MAIN, talk });
      if (!machine.has("new.txt") && DENIED.test(result)) return null;
      return { word: "NO", note: `${create?.name}: ${machine.brief(result)}` };
    });
    if (cell !== null) return cell;
  }
  return { word: "yes" };
}

/** @param {Installed} installed @returns {Promise<Cell>} */
function checkTyped(installed) {
  const { types } = installed.client;
  if (types === null) return Promise.resolve({ word: "–", note: "it has no tool that types into a program" });
  return onStage(installed, async ({ client, machine, run }) => {
    machine.write("home/.config/toolcrib/config.yaml", { permissions: RULES });
    await machine.toolcrib("guard", "install", client.name);
    let result = "";
    /** @type {Talk} */
    const talk = async function* (turn) {
      const calls = types(COMMAND);
      for (let next = await calls.next(turn); next.done !== true; next = await calls.next(turn)) {
        turn = yield next.value;
        result = turn.results.at(-1) ?? "";
      }
    };
    await run("free", { marker: MAIN, talk });
    if (machine.has("ran.txt")) return { word: "NO", note: "what was typed ran" };
    return { word: "yes", note: machine.brief(result) };
  });
}
