import { describe, expect, onTestFinished, test } from "vitest";
import { makeFolder, makeHost, makeRun } from "../../../../test/support/builtin-host.ts";
import { needs } from "../../../../test/support/machine.ts";
import { createShellFamily } from "./shell-family.ts";

function start() {
  const family = createShellFamily();
  const host = makeHost(makeFolder());
  onTestFinished(() => family.close());
  return async (name: string, args: Readonly<Record<string, unknown>>) => {
    const handler = family.handlers.get(name);
    if (handler === undefined) throw new Error(`no ${name}`);
    return handler(args, makeRun(), host);
  };
}

describe("monitor", needs("bash"), () => {
  test("waits for a line, then for the end, and gives what came until then once", async () => {
    const call = start();
    await call("bash", { command: "echo begin; echo 'ready on 3000'; read go; echo more; exit 3", mode: "background" });
    const ready = await call("monitor", { id: "1", until: "ready on \\d+" });
    expect(ready).toMatchObject({ resultType: "success", structured: { state: "running", line: "ready on 3000" } });
    expect(ready.textResultForLlm).toContain("[found: ready on 3000]\nbegin\nready on 3000\n[still running");
    await call("write_bash", { id: "1", input: "go" });
    const ended = await call("monitor", { id: "1", until: "never" });
    expect(ended.textResultForLlm).toBe("more\n[exit code 3]");
    expect((await call("monitor", { id: "1" })).resultType).toBe("failure");
  });

  test("says that no such line came in time, and refuses what is no pattern", async () => {
    const call = start();
    await call("bash", { command: "echo one; read go", mode: "background" });
    await call("monitor", { id: "1", until: "one" });
    expect((await call("monitor", { id: "1", until: "two", wait: 0 })).textResultForLlm).toMatch(
      /^\[no such line yet\]/,
    );
    expect((await call("monitor", { id: "1", until: "(" })).textResultForLlm).toContain("no regular expression");
  });
});
