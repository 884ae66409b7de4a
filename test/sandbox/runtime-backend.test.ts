import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { spawnProcess } from "../../src/system/process/spawn-process.ts";
import { findNested } from "../../src/system/sandbox/protected-paths.ts";
import { findCli, toRuntimeLaunch } from "../../src/system/sandbox/runtime-backend.ts";
import { SANDBOX_LIMITS } from "../../src/system/sandbox/sandbox-spec.ts";
import { needs } from "../support/machine.ts";
import { oneFile } from "../support/one-file.ts";
import { bystanderOf, endBystanders, makeGround, SECRET, WAYS } from "../support/sandbox-harness.ts";
import { ATTEMPTS, type Attempt } from "./attempts.ts";

/** What this backend does not hold, as docs/decisions/sandbox-backends.md says. */
const NOT_HELD: ReadonlySet<string> = new Set([
  "finds another network interface or kind of socket",
  "follows symbolic links out",
  "leaves a program that runs as its owner",
  "gains power from programs that run as root",
  "writes to /sys",
  "uses the kernel's keys",
  "makes namespaces of its own",
  "shares memory with the host",
]);

let folder = "";
let socat = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib-socat-"));
  chmodSync(folder, 0o1777);
  socat = findSocat();
});
afterAll(endBystanders);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing goes through the network here, so what opens the sockets and carries nothing does as well. */
function findSocat(): string {
  const found = spawnSync("sh", ["-c", "command -v socat"], { encoding: "utf8" }).stdout.trim();
  if (found !== "") return found;
  const path = join(folder, "socat");
  const script = `use IO::Socket::UNIX; my ($p) = $ARGV[0] =~ /^UNIX-LISTEN:([^,]+)/; sleep 1 while !$p;
my $s = IO::Socket::UNIX->new(Local => $p, Listen => 5) or die; while (1) { my $c = $s->accept; close $c if $c }`;
  writeFileSync(path, `#!/usr/bin/perl\n${script}\n`, { mode: 0o755 });
  return path;
}

/** The processes whose sockets are still there. */
function socketsLeft(): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return [...new Set(entries.filter((name) => name.endsWith(".sock")).map((name) => dirname(name)))];
}

const way = WAYS.at(-1);

async function attempt({ script, before, options = {} }: Attempt): Promise<string> {
  if (way === undefined) throw new Error("there is always an ordinary user");
  const ground = makeGround(way);
  const user = way.owner === null ? {} : { uid: way.owner, gid: way.owner };
  const env = { PATH: process.env.PATH ?? "", HOME: ground.home };
  if (before !== undefined)
    execFileSync("bash", ["-c", before], { cwd: ground.workspace, env, stdio: "ignore", ...user });
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const place = {
    home: ground.home,
    folders: [{ folder: ground.workspace, ...findNested(ground.workspace) }],
    readable: [],
    limits: { ...SANDBOX_LIMITS, ...options.limits },
    socat,
  };
  const command = {
    argv: ["bash", "--norc", "-c", `${script}\necho TRIED`],
    cwd: ground.workspace,
    env: {
      ...env,
      OUTSIDE: ground.outside,
      WORK: ground.workspace,
      HOST_PID: String(bystanderOf(way).pid),
      PORT: String(typeof address === "object" ? address?.port : 0),
      ABSTRACT: "none",
    },
  };
  const launch = toRuntimeLaunch(command, place, oneFile(findCli() ?? ""), folder);
  const chunks: Buffer[] = [];
  const keep = (chunk: Buffer) => void chunks.push(chunk);
  const argv = [...way.front, ...launch.argv];
  const child = await spawnProcess({ ...launch, argv: options.start?.(argv) ?? argv, onStdout: keep, onStderr: keep });
  await child.exited;
  await child.ended;
  expect(socketsLeft().length, "those of this command, if any, and none of those before it").toBeLessThanOrEqual(1);
  const output = Buffer.concat(chunks).toString("utf8");
  const outside = readdirSync(ground.outside).includes("pwned") ? "ESCAPED: a file outside" : "";
  const isWhole = readFileSync(join(ground.outside, "secret"), "utf8") === SECRET ? "" : "ESCAPED: the secret";
  return `${output}\n${outside}${isWhole}`;
}

/** An ordinary user runs the package, straight from the checkout. */
const CAN_RUN = needs("bwrap", "bash", "a checkout that others may enter");

describe("with the package as the backend, nothing gets out that", CAN_RUN, () => {
  test.each(ATTEMPTS.filter(({ name }) => !NOT_HELD.has(name)))(
    "$name",
    async (given) => {
      const output = await attempt(given);
      expect(output).toContain("TRIED");
      expect(output).not.toContain("ESCAPED");
      expect(output).not.toContain(SECRET);
    },
    120_000,
  );
});
