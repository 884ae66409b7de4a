#!/usr/bin/env node
// Starts the command line. A checkout without a build is set up first; an installed package ships its build.
// In CommonJS, as what it loads first: a short question would otherwise wait for Node's loader of modules.
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const entry = join(__dirname, "..", "dist", "command", "main.cjs");
const setup = join(__dirname, "..", "scripts", "setup.mjs");

async function start() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`toolcrib needs Node 20.19 or newer; this is ${process.versions.node}\n`);
    return 2;
  }
  if (!existsSync(entry) && existsSync(setup)) {
    const { ensureReady } = await import(pathToFileURL(setup).href);
    if (!ensureReady()) return 3;
  }
  if (!existsSync(entry)) {
    process.stderr.write(
      "toolcrib was installed without its build: npm ran no `prepare` script, as with ignore-scripts=true; " +
        "install it again with --ignore-scripts=false, or install a packed release\n",
    );
    return 3;
  }
  return require(entry).main(process.argv.slice(2));
}

// With nothing left to wait for and no answer, something was lost; Node says so of modules alone.
const lost = () => {
  process.exitCode = 13;
};
process.once("beforeExit", lost);
void start().then((status) => {
  process.off("beforeExit", lost);
  process.exitCode = status;
});
