// What `guard status` shows where all clients are installed, guarded and used: for the pictures of the guides.
import { createMachine } from "./machine.mjs";
import { startModel } from "./model.mjs";
import { MAIN } from "./stage.mjs";

const RULES = { deny: ["Bash(rm -rf:*)", "Read(**/.env)"], ask: ["Bash(git push:*)"], allow: ["Bash(npm test:*)"] };
const COMMANDS = ["make all", "rm -rf build", "git push", "npm test", "ls -l", "cd build && rm -rf ."];

/**
 * @param {ReadonlyMap<import("./client.d.ts").Client, string>} installed with the folder of its modules
 * @param {{ patience: number, signal: AbortSignal }} limits
 */
export async function showStatus(installed, { patience, signal }) {
  const machine = createMachine(signal);
  const model = await startModel();
  try {
    machine.write("home/.config/toolcrib/config.yaml", { permissions: RULES });
    for (const [client, modules] of installed) {
      machine.provide(client.program, client.start(modules));
      client.prepare(machine, model.url, client.models[0] ?? "");
    }
    await machine.toolcrib("guard", "install", [...installed.keys()].map(({ name }) => name).join(","));
    await machine.toolcrib("up", "--detach");
    let at = 0;
    for (const [client, modules] of installed) {
      const command = COMMANDS[at++ % COMMANDS.length] ?? "";
      /** @type {import("./model.mjs").Thread["talk"]} */
      const talk = async function* () {
        yield client.shell(command);
      };
      model.play([{ marker: MAIN, talk }]);
      const started = [...client.start(modules), ...client.options(MAIN, "free")];
      await machine.run(started, client.env(model.url, client.models[0] ?? "", "free"), patience);
    }
    machine.write("workspace/.qwen/settings.json", { disableAllHooks: true });
    const shown = await machine.run(["toolcrib", "guard", "status"], {
      NO_COLOR: "",
      FORCE_COLOR: "1",
      COLUMNS: "100",
    });
    if (shown.out === "") throw new Error(shown.err);
    return excerpt(shown.out);
  } finally {
    await machine.close();
    await model.close();
  }
}

/** The table, and what stands below it about two of the clients. @param {string} text */
function excerpt(text) {
  const [table = "", ...notes] = text.trimEnd().split("\n\n");
  const kept = notes.filter((note) => /Claude Code|Qwen Code/.test(note.split("\n")[0] ?? ""));
  return `$ toolcrib guard status\n${table}\n\n${kept.join("\n\n")}\n\n…\n`;
}
