// What somebody gets who installs the packed package: `packCheckout` packs a checkout, `tryTarball` installs the result
// into an empty folder with an empty home and uses it there.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const PATIENCE = 10 * 60_000;
const WORLD = { tools: [{ name: "view", source: "builtin" }], options: {} };
const SAMPLE = "node_modules/toolcrib/dist/surfaces/sample/sample-server.js";
const DATES = '{"from":"2026-01-01","to":"2026-01-08"}';
const PROGRAM = `
import { createSession, defineTool } from "toolcrib";
const echo = defineTool("echo", { description: "Says it back", parameters: { type: "object" }, skipPermission: true, handler: () => "hello" });
const session = await createSession({ workspace: null, tools: [echo] });
const { textResultForLlm } = await session.call("echo", {});
await session.close();
console.log(textResultForLlm);
`;

/**
 * @param {string} checkout
 * @param {string} to the folder that gets the tarball
 * @returns {string} its path
 */
export function packCheckout(checkout, to) {
  mkdirSync(to, { recursive: true });
  run("npm", ["pack", "--pack-destination", to], { cwd: checkout, env: process.env });
  const [tarball] = readdirSync(to).filter((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${to}`);
  return join(to, tarball);
}

/**
 * Installs a tarball, or anything else that npm takes, and tries the command line and the library.
 * @param {string} what
 * @param {string} place an empty folder
 * @param {{ node?: string }} [options] the Node to run it with; this one if not given
 * @returns {{ version: string, listed: string, served: string, judged: string, said: string }}
 */
export function tryTarball(what, place, { node = process.execPath } = {}) {
  const home = join(place, "home");
  const project = join(place, "project");
  for (const folder of [home, project]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  writeFileSync(join(project, "world.json"), JSON.stringify(WORLD));
  writeFileSync(join(project, "program.mjs"), PROGRAM);
  const config = join(home, ".config", "toolcrib");
  mkdirSync(config, { recursive: true });
  const sample = `{ command: ${JSON.stringify(node)}, args: [${JSON.stringify(join(project, SAMPLE))}] }`;
  writeFileSync(join(config, "config.yaml"), `mcpServers:\n  sample: ${sample}\n`);
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:TOOLCRIB_|XDG_|npm_(?!config_(?:registry|cache|cafile))|VITEST|NODE_OPTIONS$)/i.test(name),
  );
  const env = {
    ...Object.fromEntries(kept),
    HOME: home,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`,
  };
  run("npm", ["install", "--no-audit", "--no-fund", what], { cwd: project, env });
  const bin = join(project, "node_modules", "toolcrib", "bin", "toolcrib.js");
  const use = (/** @type {string[]} */ ...argv) => run(node, argv, { cwd: project, env }).trim();
  return {
    version: use(bin, "--version"),
    listed: use(bin, "list", "--world", "world.json"),
    // What is bundled works only if it finds what lies beside it: a client of a server, and the grammar of the shell.
    served: use(bin, "call", "sample/days_between", "--args", DATES, "--yes", "--timeout", "60"),
    judged: use(bin, "check", "bash", "ls | wc -l"),
    said: use("program.mjs"),
  };
}

/**
 * @param {string} command
 * @param {readonly string[]} argv
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 */
function run(command, argv, options) {
  const shell = process.platform === "win32" && command === "npm";
  const { status, stdout, stderr, error } = spawnSync(command, argv, {
    ...options,
    encoding: "utf8",
    shell,
    timeout: PATIENCE,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${argv.join(" ")} failed (${error?.message ?? `status ${status}`}):\n${stdout}${stderr}`);
}
