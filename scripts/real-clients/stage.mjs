// One run of one client against the model: on a machine of its own, which is gone afterwards.
import { createMachine } from "./machine.mjs";
import { startModel } from "./model.mjs";

/**
 * @typedef {import("./client.d.ts").Client} Client
 * @typedef {import("./client.d.ts").Manner} Manner
 * @typedef {import("./model.mjs").Thread} Thread
 * @typedef {{ client: Client, modules: string, patience: number, signal: AbortSignal, named?: string }} Installed the model has the name `named`
 */

/** What the person types, and what a subagent is told: by these the model knows which conversation it is in. */
export const MAIN = "Please do the main task.";
/** How long a terminal is watched: nobody ends the program there. */
const WATCHED = 40_000;
export const SIDE = "Please do the side task.";

/**
 * @template T
 * @param {Installed} installed
 * @param {(stage: Stage) => Promise<T>} act
 */
export async function onStage({ client, modules, patience, signal, named = client.models[0] ?? "" }, act) {
  const machine = createMachine(signal);
  const model = await startModel();
  try {
    machine.provide(client.program, client.start(modules));
    client.prepare(machine, model.url, named);
    return await act({
      client,
      machine,
      model,
      signal,
      /** @param {Manner} manner @param {readonly Thread[]} threads */
      async run(manner, ...threads) {
        model.play(threads);
        const { inTerminal } = client;
        if (manner === "watched" && inTerminal !== undefined) {
          const line = [...client.start(modules), ...inTerminal(MAIN)].map((word) => `'${word}'`).join(" ");
          const seen = { ...client.env(model.url, named, manner), TERM: "xterm-256color" };
          return machine.run(["script", "-qec", `stty cols 120 rows 50; ${line}`, "/dev/null"], seen, WATCHED);
        }
        const command = [...client.start(modules), ...client.options(MAIN, manner)];
        return machine.run(command, client.env(model.url, named, manner), patience);
      },
    });
  } finally {
    await machine.close();
    await model.close();
  }
}

/**
 * @typedef {{
 *   client: Client,
 *   machine: import("./machine.mjs").Machine,
 *   model: import("./model.mjs").Model,
 *   signal: AbortSignal,
 *   run: (manner: Manner, ...threads: readonly Thread[]) => Promise<import("./start.mjs").Ended>,
 * }} Stage
 */
