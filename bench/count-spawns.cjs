// Writes a line for each process that this one starts.
const { appendFileSync } = require("node:fs");
const { ChildProcess } = require("node:child_process");

/** @type {{ spawn(options: { file: string }): unknown }} Node's own way to start one, which its types leave out. */
const prototype = /** @type {any} */ (ChildProcess.prototype);
const { spawn } = prototype;
prototype.spawn = function counted(options) {
  appendFileSync(process.env.SPAWNS ?? "", `${options.file}\n`);
  return spawn.call(this, options);
};
