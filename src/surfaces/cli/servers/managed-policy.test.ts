import { expect, test } from "vitest";
import { AS_RUN, createMachine, runCli } from "../../../../test/support/run-cli.ts";

const POLICY = "policy: { connect: deny, audit: required }\ngateway: { host: 127.0.0.1, port: 9123 }\n";

test.each([
  [["serve", "--stdio"], "forbids clients without a token (policy.yaml:1)"],
  [["serve", "--http", "--no-audit"], "requires the log of calls (policy.yaml:1); leave out --no-audit"],
  [["up", "--no-audit"], "requires the log of calls (policy.yaml:1); leave out --no-audit"],
  [["up", "--host", "0.0.0.0", "--allow-remote"], "sets gateway.host to 127.0.0.1 (policy.yaml:2); leave out --host"],
  [["up", "--port", "9124"], "sets gateway.port to 9123 (policy.yaml:2); leave out --port"],
])("%j is refused where managed policy says otherwise", async (argv, says) => {
  const { cwd, home } = createMachine({ "policy.yaml": POLICY });
  const env = { HOME: home, TOOLCRIB_POLICY: "policy.yaml" };
  const { status, err } = await runCli(argv, { cwd, env });
  expect([status, err]).toEqual([1, expect.stringContaining(`toolcrib: managed policy ${says}`)]);
});

test("doctor finds nothing wrong with a policy that names tools of other machines", async () => {
  const { cwd, home } = createMachine({ "policy.yaml": 'policy: { deniedTools: ["delete_*"] }\n' });
  const { status, out } = await runCli(["doctor"], { cwd, env: { HOME: home, TOOLCRIB_POLICY: "policy.yaml" } });
  expect(out.match(/^(?:error|warning) .*delete_/m)).toBeNull();
  expect([status, out]).toEqual([expect.any(Number), expect.stringMatching(/^info .*delete_\*/m)]);
});

test("servers that policy does not allow are one remark, and nobody is told of variables that they lack", async () => {
  const server = { command: "no-such-program", env: { KEY: "${NOT_SET}" } };
  const { cwd, home } = createMachine({
    "policy.yaml": "policy: { allowedMcpServers: [{ serverName: other }] }\n",
    user: JSON.stringify({ mcpServers: { one: server, two: server } }),
  });
  const here = { cwd, env: { HOME: home, TOOLCRIB_POLICY: "policy.yaml" } };
  const { out, err } = await runCli(["servers"], here);
  expect(err).toBe("");
  expect(out.slice(out.indexOf("\n\n") + 2).replaceAll(/\s+/g, " ")).toBe(
    "one, two: left out: not among the allowed servers of the policy. Ask the policy's owner to allow it (policy.yaml:1). ",
  );
  const doctor = await runCli(["doctor"], here);
  expect(doctor.out.replaceAll(/\s+/g, " ")).toContain(
    'info servers "one", "two": left out: not among the allowed servers of the policy',
  );
});

test.each([
  ["managed policy", { "policy.yaml": 'policy: { deniedTools: ["delete_*"] }\n' }, "policy.yaml"],
  ["one's own file", { user: "excludeTools: [github/delete_issue]\n" }, ""],
])("%s may name tools that are not here without a word at each command", async (_, files, policy) => {
  const { cwd, home } = createMachine({ ...files, "a.txt": "hello\n" });
  const here = { cwd, env: { HOME: home, TOOLCRIB_POLICY: policy } };
  const errors: string[] = [];
  for (const argv of [
    ["list"],
    ["list", "--no-start"],
    ["why", "view"],
    ["call", "view", "--args", '{"path":"a.txt"}'],
  ])
    errors.push((await runCli(argv, here)).err);
  expect(errors).toEqual([AS_RUN, AS_RUN, AS_RUN, ""]);
  expect((await runCli(["list", "--log-level", "debug"], here)).err).toContain("delete_");
});

test("a slip in managed policy still gives a warning", async () => {
  const { cwd, home } = createMachine({ "policy.yaml": "policy: { deniedTools: [bahs] }\n" });
  const { err } = await runCli(["list"], { cwd, env: { HOME: home, TOOLCRIB_POLICY: "policy.yaml" } });
  expect(err).toContain('warning: deniedTools of the policy names "bahs"');
});
