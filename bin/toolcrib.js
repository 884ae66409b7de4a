#!/usr/bin/env node
// Starts the command line. A checkout without a build is set up first; an installed package ships its build.
import { existsSync } from "node:fs";

const entry = new URL("../dist/command/main.js", import.meta.url);
const setup = new URL("../scripts/setup.mjs", import.meta.url);

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`toolcrib needs Node 20.19 or newer; this is ${process.versions.node}\n`);
  process.exit(2);
}

if (!existsSync(entry) && existsSync(setup)) {
  const { ensureReady } = await import(setup.href);
  if (!ensureReady()) process.exit(3);
}

if (!existsSync(entry)) {
  process.stderr.write(
    "toolcrib was installed without its build: npm ran no `prepare` script, as with ignore-scripts=true; " +
      "install it again with --ignore-scripts=false, or install a packed release\n",
  );
  process.exit(3);
}

const { main } = await import(entry.href);
process.exitCode = await main(process.argv.slice(2));
