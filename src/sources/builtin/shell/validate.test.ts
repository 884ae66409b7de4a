import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunning, makeFolder, makeHost, makeRun } from "../../../../test/support/builtin-host.ts";
import type { Check } from "../../host.ts";
import { validate } from "./validate.ts";

test("all checks run, and those that fail show the end of their output", async () => {
  const { validate } = start([
    check("types", ["true"]),
    check("tests", ["sh", "-c", "i=0; while [ $i -lt 5000 ]; do echo $((i += 1)); done; echo boom >&2; exit 2"]),
    check("lint", ["no-such-linter"]),
  ]);
  const result = await validate({});
  expect(result.resultType).toBe("failure");
  expect(result.structured).toEqual([
    { name: "types", passed: true, exitCode: 0 },
    { name: "tests", passed: false, exitCode: 2 },
    { name: "lint", passed: false, exitCode: null },
  ]);
  const text = result.textResultForLlm.replace(/\d+\.\d s/g, "0.0 s");
  expect(text).toMatch(
    /^2 of 3 checks fail\.\n\ntypes: passed \(exit code 0, 0\.0 s\)\n\ntests: FAILED \(exit code 2, /,
  );
  expect(text).toMatch(/bytes left out\]\n.*4999\n5000\nboom\n\nlint: FAILED \(There is no program "no-such-linter"/s);
  expect(text).not.toContain("\n1\n2\n");
});

test("only the named checks run", async () => {
  const { validate } = start([check("types", ["true"]), check("tests", ["false"])]);
  const result = await validate({ checks: ["types"] });
  expect(result).toMatchObject({
    resultType: "success",
    textResultForLlm: expect.stringMatching(/^All checks pass\./),
  });
});

test("an unknown check, or none at all, is told", async () => {
  expect((await start([check("a", ["true"])]).validate({ checks: ["b"] })).textResultForLlm).toBe(
    'There is no check "b". Checks: a.',
  );
  expect((await start([]).validate({})).textResultForLlm).toMatch(/^No checks are configured/);
});

test("a check that hangs ends with its time-out, and the next one runs", async () => {
  const { validate } = start([check("hang", ["sleep", "1000"], 50), check("next", ["true"])]);
  const result = await validate({});
  expect(result.textResultForLlm).toContain("hang: FAILED (ended after its time-out of 0.05 s");
  expect(result.textResultForLlm).toContain("next: passed");
});

test("a check whose time is up before it has started is reported like any other", async () => {
  const checks = Array.from({ length: 20 }, (_, at) => check(`hang${at}`, ["sleep", "1000"], 1));
  const { textResultForLlm } = await start(checks).validate({});
  expect(textResultForLlm.match(/FAILED \(ended after its time-out of 0\.001 s/g)).toHaveLength(20);
});

test("an abort ends the check that runs", async () => {
  const controller = new AbortController();
  const { validate, workspace } = start([check("hang", ["sh", "-c", "echo $$ > pid; exec sleep 1000"])], controller);
  const call = validate({});
  await expect
    .poll(() => existsSync(join(workspace, "pid")) && readFileSync(join(workspace, "pid"), "utf8"))
    .toMatch(/\n/);
  controller.abort();
  expect((await call).textResultForLlm).toMatch(/^\[stopped before all checks were done\]/);
  expect(isRunning(Number(readFileSync(join(workspace, "pid"), "utf8")))).toBe(false);
});

function check(name: string, command: readonly string[], timeout: number | null = null): Check {
  return { name, command, timeout };
}

function start(checks: readonly Check[], controller = new AbortController()) {
  const workspace = makeFolder();
  const host = makeHost(workspace, { checks });
  return {
    workspace,
    validate: (args: Record<string, unknown>) => validate(args, makeRun(controller.signal), host),
  };
}
