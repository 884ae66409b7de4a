import { expect, test } from "vitest";
import { whyProtected } from "../../core/rules/protected-paths.ts";
import { clientHookFile, type GuardPlaces, type GuardSide, secondFile } from "./guard-places.ts";
import { HOOK_CLIENTS, type HookClientName } from "./hook-clients.ts";

const CLIENTS = Object.keys(HOOK_CLIENTS) as HookClientName[]; // Keys of the table.
const SIDES: readonly GuardSide[] = ["user", "project", "managed"];

test.each(["linux", "darwin"] as const)(
  "agents have to ask before they write any file of a guard on %s",
  (platform) => {
    const places: GuardPlaces = { home: "/home/me", env: {}, platform, workspace: "/home/me/work", root: "/" };
    const world = { workspace: places.workspace, added: [] };
    const files = CLIENTS.flatMap((client) => [
      ...SIDES.flatMap((side) => clientHookFile(client, side, places) ?? []),
      ...[secondFile(client, places)?.path ?? []].flat(),
    ]);
    const own = [
      "/home/me/.local/state/toolcrib/guard/hook.sh",
      "/home/me/.codex/config.toml",
      "/run/user/1000/toolcrib/a.sock",
      "/tmp/toolcrib-1000/a.sock",
      "/var/lib/toolcrib/guard/hook.sh",
    ];
    expect(files).toHaveLength(9 * 3 - 1 + 2);
    expect([...files, ...own].filter((path) => whyProtected(path, world, path) === null)).toEqual([]);
    expect(whyProtected("/home/me/work/src/hooks.json", world, "src/hooks.json")).toBeNull();
  },
);
