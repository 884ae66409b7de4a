// What a client does with Toolcrib as its MCP server, started by `toolcrib connect` as `toolcrib up --write` has written it.
import { setTimeout as pass } from "node:timers/promises";
import { MAIN, onStage } from "./stage.mjs";
import { callTown, findTown, LOOKS, lastResult, nameInTown, offerTown, PAUSE, SERVER } from "./town.mjs";

/**
 * @typedef {import("./model.mjs").Call} Call
 * @typedef {import("./model.mjs").Turn} Turn
 * @typedef {import("./stage.mjs").Stage} Stage
 * @typedef {import("./table.mjs").Cell} Cell
 * @typedef {"listed" | "call" | "resources" | "change" | "restart" | "elicitation"} Row
 */

/** @param {import("./stage.mjs").Installed} installed @returns {Promise<Record<Row, Cell>>} */
export function checkGateway(installed) {
  return onStage(installed, async (stage) => {
    const { machine } = stage;
    await offerTown(stage);
    /** @type {Partial<Record<Row, Cell>>} */
    const cells = {};
    const ended = await stage.run("free", { marker: MAIN, talk: (turn) => visit(stage, turn, cells) });
    const missing = ended.late
      ? "the client had not ended when its time was over"
      : `the client ended before: ${machine.brief(ended.err || ended.out)}`;
    /** @param {Row} row @returns {Cell} */
    const cell = (row) => cells[row] ?? { word: "not seen", note: missing };
    return {
      listed: cell("listed"),
      call: cell("call"),
      change: cell("change"),
      restart: cell("restart"),
      elicitation: cell("elicitation"),
      resources: cell("resources"),
    };
  });
}

/** @param {Stage} stage @param {Turn} turn @param {Partial<Record<Row, Cell>>} cells @returns {import("./model.mjs").Talk} */
async function* visit(stage, turn, cells) {
  const { client, machine } = stage;
  const isDeferred = client.search !== null;
  turn = yield* findTown(client, turn, "echo");
  if (nameInTown(turn, "echo") === null) {
    cells.listed = { word: "NO", note: `it offers ${turn.offered.map(({ name }) => name).join(", ")}` };
    return;
  }
  cells.listed = isDeferred
    ? { word: "yes", note: "the model finds them by the client's own search" }
    : { word: "yes" };
  turn = yield* callTown(client, turn, "echo", "hello");
  cells.call = judge(machine, turn, "the town says hello");
  cells.resources = yield* readResource(stage, turn);
  turn = yield* callTown(client, turn, "grow");
  const grew = judge(machine, turn, "the town has grown");
  turn = yield* findTown(client, turn, "grown");
  cells.change =
    grew.word !== "yes" || nameInTown(turn, "grown") !== null ? grew : { word: "no", note: "not within the session" };
  await endToolcrib(machine);
  turn = yield* callTown(client, turn, "echo", "again");
  cells.restart = judge(machine, turn, "the town says again");
  for (let look = 1; look < LOOKS && cells.restart.word !== "yes"; look += 1) {
    /** @type {string | undefined} */
    const note = cells.restart.note;
    await pass(PAUSE);
    turn = yield* callTown(client, turn, "echo", "again");
    if (judge(machine, turn, "the town says again").word === "yes")
      cells.restart = { word: "yes", note: `${look} failed before: ${note}` };
  }
  turn = yield* callTown(client, turn, "ask");
  const answer = /the person said: ([^"\\]{1,120})/.exec(lastResult(turn))?.[1];
  cells.elicitation = answer === undefined ? { word: "NO", note: machine.brief(lastResult(turn)) } : toElicited(answer);
}

/** @param {string} answer @returns {Cell} */
function toElicited(answer) {
  return /^(?:accept|decline|cancel)\b/.test(answer)
    ? { word: "yes", note: `without a person it answers: ${answer.trim()}` }
    : { word: "no", note: answer.trim() };
}

/** @param {Stage} stage @param {Turn} turn @returns {AsyncGenerator<Call, Cell, Turn>} */
async function* readResource({ client: { resource }, machine }, turn) {
  if (resource === null) return { word: "no", note: "it offers its model no tool for them" };
  turn = yield resource(SERVER, "town://note");
  return judge(machine, turn, "a note of the town");
}

/** @param {Stage["machine"]} machine @param {Turn} turn @param {string} expected @returns {Cell} */
function judge(machine, turn, expected) {
  return lastResult(turn).includes(expected) ? { word: "yes" } : { word: "NO", note: machine.brief(lastResult(turn)) };
}

/** As a crash does. @param {Stage["machine"]} machine */
async function endToolcrib(machine) {
  for (const pid of await machine.running()) process.kill(pid, "SIGKILL");
}
