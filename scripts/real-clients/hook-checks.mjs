// What comes of a call of the client's own shell where `toolcrib hook` is asked before it.
import { MAIN, onStage, SIDE } from "./stage.mjs";

/**
 * @typedef {import("./stage.mjs").Installed} Installed
 * @typedef {import("./stage.mjs").Manner} Manner
 * @typedef {import("./table.mjs").Cell} Cell
 * @typedef {{ rules: object, manner: Manner, isGuarded?: boolean, fault?: import("./machine.mjs").Fault, bySubagent?: boolean }} Case
 */

const COMMAND = "touch ran.txt";
const RULE = "Bash(touch:*)";
/** @param {Installed} installed @param {Case} asked */
function callShell(installed, { rules, manner, isGuarded = true, fault, bySubagent = false }) {
  return onStage(installed, async ({ client, machine, run }) => {
    machine.write("home/.config/toolcrib/config.yaml", { permissions: rules });
    if (isGuarded) {
      await machine.toolcrib("guard", "install", client.name);
      machine.watchHook(fault);
    }
    let result = "";
    let wasOffered = true;
    const shell = client.shell(COMMAND);
    /** @type {import("./model.mjs").Thread["talk"]} */
    const talk = async function* ({ offered }) {
      wasOffered = offered.some(({ name }) => name === shell.name);
      result = (yield shell).results.at(-1) ?? "";
    };
    /** @type {import("./model.mjs").Thread["talk"]} */
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
    return { ran: machine.has("ran.txt"), result, said, wasOffered, asked: machine.events(), ended };
  });
}

/** @typedef {Awaited<ReturnType<typeof callShell>>} Seen */

/** @param {Seen} seen @returns {string} */
function how({ said, ended }) {
  if (ended.late) return "the client had not ended when its time was over";
  return said;
}

const DENIED = /is denied by the rule/;

/** @type {Readonly<Record<string, (installed: Installed) => Promise<Cell>>>} */
export const HOOK_CHECKS = {
  deny: async (installed) => {
    const seen = await callShell(installed, { rules: { deny: [RULE] }, manner: "free" });
    if (seen.ran) return { word: "NO", note: `the call ran: ${how(seen)}` };
    return DENIED.test(seen.result) ? { word: "yes" } : { word: "NO", note: how(seen) };
  },
  ask: async (installed) => {
    const seen = await callShell(installed, { rules: { ask: [RULE] }, manner: "free" });
    return seen.ran ? { word: "NO", note: "the call ran" } : { word: "not run", note: how(seen) };
  },
  allow: async (installed) => {
    const without = await callShell(installed, { rules: {}, manner: "careful", isGuarded: false });
    if (without.ran) return { word: "not seen", note: "without a screen it runs its shell unasked" };
    const seen = await callShell(installed, { rules: { allow: [RULE] }, manner: "careful" });
    if (seen.ran) return { word: "yes" };
    if (!seen.wasOffered)
      return { word: "not seen", note: "without a screen it offers its shell only where it never asks" };
    return { word: "no", note: `as without Toolcrib: ${how(seen)}` };
  },
  pass: async (installed) => {
    const seen = await callShell(installed, { rules: {}, manner: "free" });
    if (seen.asked.length === 0) return { word: "NO", note: `the hook was not asked: ${how(seen)}` };
    return seen.ran ? { word: "yes" } : { word: "NO", note: how(seen) };
  },
  subagent: async (installed) => {
    const seen = await callShell(installed, { rules: { deny: [RULE] }, manner: "free", bySubagent: true });
    if (seen.ran) return { word: "NO", note: "the call ran" };
    if (DENIED.test(seen.result)) return { word: "yes" };
    return { word: "not seen", note: how(seen) };
  },
  killed: (installed) => callFaulty(installed, "the program is killed"),
  slow: (installed) => callFaulty(installed, "the program hangs"),
  lineKilled: (installed) => callFaulty(installed, "the line is killed"),
  lineHangs: (installed) => callFaulty(installed, "the line hangs"),
};

/** @param {Installed} installed @param {import("./machine.mjs").Fault} fault @returns {Promise<Cell>} */
async function callFaulty(installed, fault) {
  const seen = await callShell(installed, { rules: { deny: [RULE] }, manner: "free", fault });
  if (seen.asked.length === 0) return { word: "not seen", note: `the hook was not asked: ${how(seen)}` };
  if (seen.ran) return { word: "RUNS" };
  return seen.result === "" ? { word: "not seen", note: how(seen) } : { word: "not run", note: how(seen) };
}
