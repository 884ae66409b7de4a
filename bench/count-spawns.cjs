// Writes a line for each process that this one starts.
const { appendFileSync } = require("node:fs");
const { ChildProcess } = require("node:child_process");

const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function counted(options) {
  appendFileSync(process.env.SPAWNS ?? "", `${options.file}\n`);
  return spawn.call(this, options);
};
