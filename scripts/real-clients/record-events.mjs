// What a client tells its hook about each kind of call, for the tests of what Toolcrib reads of it.
import { MAIN, onStage, SIDE } from "./stage.mjs";
import { callTown, offerTown } from "./town.mjs";

/** What the folders of a machine are called in a record. */
const WORKSPACE = "/workspace";
const HOME = "/home";
const GREETING = "hello, town";
const COMMAND = "make all";
/** By what the other calls are known: they come after those that only look for a tool. */
const SAID = /** @type {const} */ ([
  ["served", GREETING],
  ["agent", SIDE],
  ["bash of a subagent", COMMAND],
]);

/**
 * One event of each kind of call that the client makes.
 * @param {import("./stage.mjs").Installed} installed
 * @returns {Promise<Record<string, object>>}
 */
export async function recordEvents(installed) {
  /** @type {Record<string, object>} */
  const all = {};
  for (const named of installed.client.models) {
    const [first] = installed.client.models;
    for (const [kind, event] of Object.entries(await recordWith({ ...installed, named })))
      if (named === first || kind === "create" || kind === "search")
        all[named === first ? kind : `${kind} of ${named}`] = event;
  }
  return all;
}

/** With a model of one name. @param {import("./stage.mjs").Installed} installed @returns {Promise<Record<string, object>>} */
function recordWith(installed) {
  return onStage(installed, async (stage) => {
    const { client, machine, run } = stage;
    await offerTown(stage);
    machine.write("workspace/notes.txt", "one\n");
    machine.write("workspace/sub/notes.txt", "one\n");
    await machine.toolcrib("guard", "install", client.name);
    machine.watchHook();
    const calls = Object.entries(client.own(machine.workspace, installed.named ?? ""));
    /** @type {Record<string, object>} */
    const recorded = {};
    /** @type {import("./model.mjs").Thread["talk"]} */
    const talk = async function* (turn) {
      for (const [kind, call] of calls) {
        const before = machine.events().length;
        turn = yield call;
        const event = machine.events()[before];
        if (event !== undefined) recorded[kind] = clean(event, machine);
      }
      turn = yield* callTown(client, turn, "echo", GREETING);
      yield* client.delegate(SIDE);
    };
    /** @type {import("./model.mjs").Thread["talk"]} */
    const side = async function* () {
      yield client.shell(COMMAND);
    };
    await run("free", { marker: SIDE, talk: side }, { marker: MAIN, talk });
    for (const [kind, text] of SAID) {
      const event = machine.events().find((one) => JSON.stringify(one).includes(text));
      if (event !== undefined) recorded[kind] = clean(event, machine);
    }
    return recorded;
  });
}

/** @param {object} event @param {import("./machine.mjs").Machine} machine */
function clean(event, { home, workspace }) {
  const text = JSON.stringify(event).replaceAll(workspace, WORKSPACE).replaceAll(home, HOME);
  // Names of chats have the folder in them.
  return JSON.parse(text.replace(/"transcript_path":"[^"]*"/, `"transcript_path":"${HOME}/transcript.jsonl"`));
}
