import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { makeFolder } from "../../../test/support/builtin-host.ts";
import { toBwrapArgv } from "./bwrap-argv.ts";
import { createSandbox } from "./create-sandbox.ts";
import { detectSandbox } from "./detect-sandbox.ts";
import { findAllGuards, findNested } from "./protected-paths.ts";
import { findReadable } from "./readable-paths.ts";
import { type Guard, SANDBOX_LIMITS, type SandboxSpec } from "./sandbox-spec.ts";
import { buildSeccompFilter } from "./seccomp-filter.ts";

const SPEC: SandboxSpec = {
  tools: {
    bash: "/bin/bash",
    bwrap: "/bin/bwrap",
    env: "/bin/env",
    setpriv: "/bin/setpriv",
    disablesUserns: true,
    processGroups: "/groups",
    filter: null,
  },
  identity: { kind: "own" },
  limits: SANDBOX_LIMITS,
  network: false,
  home: "/home/me",
  links: [{ path: "/bin", target: "usr/bin" }],
  readable: ["/etc/hosts", "/etc/resolv.conf", "/home/me/.nvm", "/usr"],
  copied: ["/etc/hosts", "/etc/resolv.conf"],
  writable: ["/project"],
  guards: [
    { kind: "within", path: "/project/.git" },
    { kind: "present", path: "/project/.git/hooks" },
    { kind: "absent", path: "/project/.mcp.json", text: null },
  ],
};
const LAUNCH = { argv: ["ls", "-l"], cwd: "/project/src", env: { PATH: "/bin", LD_PRELOAD: "/project/evil.so" } };
const argvOf = (spec: Partial<SandboxSpec> = {}, launch = LAUNCH): string =>
  toBwrapArgv(launch, { ...SPEC, ...spec }).argv.join(" ");

describe("the command line of a sandbox", () => {
  test("is the same for the same question, and ends with the command", () => {
    expect(toBwrapArgv(LAUNCH, SPEC)).toEqual(toBwrapArgv(LAUNCH, SPEC));
    expect(argvOf()).toMatch(/ ls -l$/);
    expect(toBwrapArgv(LAUNCH, SPEC).cwd).toBe("/");
  });

  test.each([
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--disable-userns",
    "--cap-drop ALL",
    "--die-with-parent",
    "--new-session",
    "--remount-ro /proc",
    "--chdir /project/src",
    "--bind /project /project --bind /project/.git /project/.git --ro-bind /project/.git/hooks /project/.git/hooks",
  ])("has %s", (part) => {
    expect(argvOf()).toContain(part);
  });

  test("puts tools back on top of the empty home, and the workspace on top of both", () => {
    const argv = argvOf();
    const at = (part: string) => argv.indexOf(part);
    expect(at("--tmpfs /home/me")).toBeLessThan(at("--ro-bind /home/me/.nvm"));
    expect(at("--ro-bind /home/me/.nvm")).toBeLessThan(at("--bind /project /project"));
  });

  test("has small files as copies, and the rest as mounts", () => {
    expect(argvOf()).toContain("--file 20 /etc/hosts --ro-bind /usr /usr");
    expect(argvOf({ network: true })).toContain("--file 21 /etc/resolv.conf");
  });

  test("has a network and its settings only where that is allowed", () => {
    expect(argvOf()).not.toContain("resolv.conf");
    expect(argvOf({ network: true })).toContain("resolv.conf");
    expect(argvOf({ network: true })).not.toContain("--unshare-net");
  });

  test("gives variables that change how programs load to the command alone", () => {
    const { env, argv } = toBwrapArgv(LAUNCH, SPEC);
    expect(env).toEqual({ PATH: "/bin" });
    expect(argv.join(" ")).toContain("--setenv LD_PRELOAD /project/evil.so");
  });

  test("gives root's power up in one of two ways", () => {
    expect(argvOf()).not.toContain("--uid");
    expect(argvOf({ identity: { kind: "mapped" } })).toContain("--uid 65534 --gid 65534");
    expect(argvOf({ identity: { kind: "mapped" } })).toContain("/groups 512");
    expect(argvOf({ identity: { kind: "owner", uid: 5, gid: 6 } })).toContain("--reuid=5 --regid=6 --clear-groups");
  });

  test("shows the folder of a command that runs elsewhere, and never one that holds the home", () => {
    expect(argvOf({}, { ...LAUNCH, cwd: "/skills/lint" })).toContain("--ro-bind /skills/lint /skills/lint");
    expect(argvOf({}, { ...LAUNCH, cwd: "/home" })).not.toContain("--ro-bind /home /home");
  });
});

const guardsOf = (folder: string): readonly Guard[] => findAllGuards(folder, findNested(folder), "/nobody");

describe("protected paths", () => {
  const kindsOf = (guards: readonly Guard[], folder: string) =>
    new Map(guards.map(({ kind, path }) => [path.slice(folder.length + 1), kind]));

  test("without a repository nothing may make one", () => {
    const folder = makeFolder();
    const kinds = kindsOf(guardsOf(folder), folder);
    expect(kinds.get(".git")).toBe("absent");
    expect(kinds.has(".git/hooks")).toBe(false);
    expect(new Set(kinds.values())).toEqual(new Set(["absent"]));
  });

  test("with one, its parts are protected one by one", () => {
    const folder = makeFolder({ ".git/config": "", ".git/hooks/x": "", ".mcp.json": "{}" });
    const kinds = kindsOf(guardsOf(folder), folder);
    expect(kinds.get(".git")).toBe("within");
    expect(kinds.get(".git/hooks")).toBe("present");
    expect(kinds.get(".git/commondir")).toBe("absent");
    expect(kinds.get(".mcp.json")).toBe("present");
  });

  test("a file that points to a repository elsewhere is protected as it is", () => {
    const folder = makeFolder({ ".git": "gitdir: /elsewhere" });
    const kinds = kindsOf(guardsOf(folder), folder);
    expect(kinds.get(".git")).toBe("present");
    expect(kinds.has(".git/config")).toBe(false);
  });

  test("what a running sandbox put there counts as absent", () => {
    const folder = makeFolder();
    mkdirSync(join(folder, ".claude"));
    utimesSync(join(folder, ".claude"), 1, 1);
    expect(kindsOf(guardsOf(folder), folder).get(".claude")).toBe("absent");
  });

  test("a link in such a place is refused, because it could be replaced", () => {
    const folder = makeFolder();
    symlinkSync("/nowhere", join(folder, ".claude"));
    expect(() => guardsOf(folder)).toThrow(expect.objectContaining({ code: "sandbox.protected-link" }));
  });
});

test("of the machine only programs, libraries and tools are shown", () => {
  const home = makeFolder({ ".nvm/x": "", ".ssh/id": "", ".cargo/credentials.toml": "", ".cargo/bin/cargo": "" });
  const tool = makeFolder({ "bin/tool": "", "lib/x": "", "secret/x": "" });
  const path = [join(tool, "bin"), home, "relative"].join(":");
  const { readable } = findReadable({ home, path, execPath: process.execPath, identity: { kind: "own" } });
  expect(readable).toEqual(
    expect.arrayContaining([join(home, ".nvm"), join(home, ".cargo/bin"), join(tool, "bin"), join(tool, "lib")]),
  );
  const hidden = [home, tool, join(home, ".ssh"), join(home, ".cargo"), join(tool, "secret"), "/etc", "/etc/shadow"];
  expect(readable.filter((place) => hidden.includes(place))).toEqual([]);
});

describe("detection", () => {
  const identity = { kind: "own" } as const;

  test("says why there is none and how to get one", async () => {
    expect(await detectSandbox({ platform: "darwin", identity })).toMatchObject({ found: false });
    const bare = await detectSandbox({ platform: "linux", identity, path: makeFolder() });
    expect(bare).toMatchObject({ found: false, reason: "bubblewrap is not installed" });
    expect(bare.found === false && bare.fix).toContain("apt-get install bubblewrap");
  });

  test("a program that is there and does not work is no sandbox", async () => {
    const folder = makeFolder();
    for (const name of ["bwrap", "bash", "flock", "find"]) {
      writeFileSync(join(folder, name), "#!/bin/sh\necho no namespaces >&2\nexit 1\n", { mode: 0o755 });
    }
    const found = await detectSandbox({ platform: "linux", identity, path: `${folder}:/usr/bin:/bin` });
    expect(found).toMatchObject({ found: false, reason: expect.stringContaining("no namespaces") });
  });

  test("is asked once", () => {
    const input = { platform: "linux", identity, path: makeFolder() };
    expect(detectSandbox(input)).toBe(detectSandbox(input));
  });

  test("a workspace that holds the home folder gets none", async () => {
    const workspace = makeFolder({ "me/x": "" });
    const detect = vi.fn<typeof detectSandbox>();
    for (const home of [workspace, join(workspace, "me")]) {
      const sandbox = await createSandbox({ workspace, home, path: "", detect });
      expect(sandbox).toMatchObject({ active: false, reason: expect.stringContaining("home folder") });
    }
    expect(detect).not.toHaveBeenCalled();
  });
});

test("there is a filter of system calls for both common processors", () => {
  for (const arch of ["x64", "arm64"]) {
    const filter = buildSeccompFilter(arch);
    expect((filter?.length ?? 1) % 8).toBe(0);
    // The kernel takes 4,096 steps, and a jump reaches 255 of them.
    expect((filter?.length ?? 0) / 8).toBeLessThan(256);
  }
  expect(buildSeccompFilter("mips")).toBeNull();
});

test("settings of git make nothing read-only that only shares a name with a word of theirs", () => {
  const folder = makeFolder({ ".git/config": "", main: "", "run.sh": "", "clean.sh": "", "tools/x": "", origin: "" });
  const config = `[init]\n defaultBranch = main\n[user]\n name = main # origin
[branch "main"]\n remote = origin\n merge = refs/heads/main
[filter "f"] clean = "sh clean.sh" ; run.sh
[alias]\n y = !tools\\\n/x\n z = "!f() { ./run.sh; }"`;
  writeFileSync(join(folder, ".git/config"), config);
  const names = guardsOf(folder).map(({ path }) => path.slice(folder.length + 1));
  expect(names).toEqual(expect.arrayContaining(["clean.sh", "tools/x", "run.sh"]));
  for (const name of ["main", "origin", "refs/heads"]) expect(names).not.toContain(name);
});

describe("repositories inside the workspace", () => {
  test("are found by their folder or file, not below other products' folders", () => {
    const folder = makeFolder({
      ".git/config": "",
      "a/.git/config": "",
      "b/c/.git": "gitdir: elsewhere",
      "node_modules/x/.git/config": "",
      "a/inner/.git/config": "",
    });
    expect(findNested(folder)).toEqual({ repositories: ["a", "a/inner", "b/c"], complete: true });
  });

  test("every folder above one stays in its place, and nothing covers what was covered before", () => {
    const folder = makeFolder({ "a/.git": "gitdir: x", "a/b/repo/.git/config": "", "a/b/repo/.git/hooks/x": "" });
    const guards = guardsOf(folder).map(({ kind, path }) => [path.slice(folder.length + 1), kind]);
    const paths = guards.map(([path]) => path);
    expect(new Set(paths).size).toBe(paths.length);
    const kinds = new Map(guards.map(([path = "", kind]) => [path, kind]));
    expect([kinds.get("a"), kinds.get("a/b"), kinds.get("a/b/repo")]).toEqual(["within", "within", "within"]);
    expect([kinds.get("a/.git"), kinds.get("a/b/repo/.git/hooks")]).toEqual(["present", "present"]);
    expect(paths.indexOf("a")).toBeLessThan(paths.indexOf("a/.git"));
  });

  test("a look that does not get to the end says so", () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`r${at}/.git/config`, ""]));
    const found = findNested(makeFolder(many));
    expect([found.complete, found.repositories.length]).toEqual([false, 32]);
  });
});

describe("the other backend", () => {
  const none = async () => ({ found: false, reason: "no bubblewrap", fix: "get it" }) as const;
  const place = () => ({
    workspace: makeFolder({ x: "" }),
    home: "/home/nobody-here",
    path: "/usr/bin:/bin",
    detect: none,
  });

  test("is not looked for where bubblewrap was named", async () => {
    expect(await createSandbox({ ...place(), backend: "bubblewrap" })).toMatchObject({
      active: false,
      reason: "no bubblewrap",
    });
  });

  test.skipIf(process.getuid?.() !== 0)("is refused to root, with what to do instead", async () => {
    expect(await createSandbox({ ...place(), backend: "sandbox-runtime" })).toMatchObject({
      active: false,
      reason: expect.stringContaining("root"),
      fix: expect.stringContaining("ordinary user"),
    });
  });
});
