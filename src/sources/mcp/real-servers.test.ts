import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { call, openSource, publishedServer, runContext, toolOf } from "../../../test/support/mcp-sources.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { buildChildEnv } from "../../system/process/child-env.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";
import type { Progress } from "../source.ts";

/** Processes start slowly on a busy machine. */
const never = new AbortController().signal;

test("everything over stdio: lists, says how to use it, answers, and maps every kind of content", async () => {
  const source = openSource({ command: process.execPath, args: [publishedServer("everything"), "stdio"] });
  const tools = await source.list(never);
  expect(source.status).toEqual({ state: "connected", reason: null, next: null, stderr: null });
  expect(tools.length).toBeGreaterThan(5);
  expect(tools.every((tool) => tool.source === "mcp" && tool.server === "it")).toBe(true);
  expect(source.instructions).toContain("Everything");
  expect(await call(source, "echo", { message: "hello" })).toEqual({
    textResultForLlm: "Echo: hello",
    resultType: "success",
    wire: { content: [{ type: "text", text: "Echo: hello" }] },
  });
  const image = await call(source, "get-tiny-image");
  expect(image.binaryResultsForLlm).toMatchObject([{ type: "image", mimeType: "image/png" }]);
  const structured = await call(source, "get-structured-content", { location: "Chicago" });
  expect(structured.structured).toMatchObject({ temperature: expect.any(Number) });
  const wrong = await call(source, "echo", {});
  expect(wrong).toMatchObject({ resultType: "failure", error: expect.stringContaining("message") });
});

test("everything over stdio: progress is reported while a call runs", async () => {
  const source = openSource({ command: process.execPath, args: [publishedServer("everything"), "stdio"] });
  const steps: Progress[] = [];
  const context = runContext({ onProgress: (step) => steps.push(step) });
  const args = { duration: 0.3, steps: 3 };
  const result = await call(source, "trigger-long-running-operation", args, context);
  expect(result.resultType).toBe("success");
  expect(steps).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: null })));
});

test("filesystem: works in the folder it was given, and its hints become traits", async () => {
  const { project } = tempWorkspace({ "a.txt": "one\n" });
  const server = { command: process.execPath, args: [publishedServer("filesystem"), project] };
  const source = openSource({ ...server, group: "files", defer: "never", timeout: 5_000 });
  const read = await toolOf(source, "read_text_file");
  expect(read).toMatchObject({ group: "files", defer: "never", timeout: 5_000, traits: { readOnly: true } });
  expect(await toolOf(source, "write_file")).toMatchObject({ traits: { readOnly: false, concurrencySafe: false } });
  const result = await source.run(read, { path: `${project}/a.txt` }, runContext());
  expect(result).toMatchObject({ resultType: "success", textResultForLlm: "one\n" });
  const outside = await source.run(read, { path: "/etc/hostname" }, runContext());
  expect(outside.resultType).toBe("failure");
});

test("everything over stdio: of the environment it gets what is no secret, and the secrets that its entry names", async () => {
  const everything = { command: process.execPath, args: [publishedServer("everything"), "stdio"] };
  const env = { PATH: process.env.PATH, NVM_DIR: "/nvm", A_TOKEN: "secret-a", B_TOKEN: "secret-b" };
  const seenWith = async (inheritEnv?: boolean | readonly string[]) => {
    const source = openSource({ ...everything, ...(inheritEnv === undefined ? {} : { inheritEnv }) }, { env });
    const { textResultForLlm } = await call(source, "get-env");
    return Object.keys(env).filter((name) => textResultForLlm.includes(`"${name}"`));
  };
  expect(await seenWith()).toEqual(["PATH", "NVM_DIR"]);
  expect(await seenWith(["B_TOKEN"])).toEqual(["PATH", "NVM_DIR", "B_TOKEN"]);
  expect(await seenWith(true)).toEqual(Object.keys(env));
  expect(await seenWith(false)).toEqual(["PATH"]);
});

test("memory: keeps what it was told, and gets the environment it was given", async () => {
  const { base } = tempWorkspace();
  const env = { MEMORY_FILE_PATH: `${base}/memory.jsonl` };
  const source = openSource({ command: process.execPath, args: [publishedServer("memory")], env });
  const entities = [{ name: "Toolcrib", entityType: "project", observations: ["issues tools"] }];
  expect((await call(source, "create_entities", { entities })).resultType).toBe("success");
  const graph = await call(source, "read_graph");
  expect(graph.textResultForLlm).toContain("issues tools");
  expect(graph.structured).toMatchObject({ entities: [{ name: "Toolcrib" }] });
});

test.each([
  ["streamableHttp", "http", "/mcp"],
  ["sse", "sse", "/sse"],
] as const)("everything over %s: lists, answers and reports progress", async (mode, type, path) => {
  const port = await serveEverything(mode);
  const source = openSource({ type, url: `http://127.0.0.1:${port}${path}` });
  expect((await source.list(never)).length).toBeGreaterThan(5);
  expect(await call(source, "echo", { message: "far" })).toMatchObject({ textResultForLlm: "Echo: far" });
  const steps: Progress[] = [];
  const context = runContext({ onProgress: (step) => steps.push(step) });
  await call(source, "trigger-long-running-operation", { duration: 0.2, steps: 2 }, context);
  expect(steps.map(({ progress }) => progress)).toEqual([1, 2]);
  expect(source.instructions).toContain("Everything");
});

/** Starts the server as a process of its own, which ends with the test. */
async function serveEverything(mode: "streamableHttp" | "sse"): Promise<number> {
  const port = await freePort();
  const env = { ...buildChildEnv(process.env), PORT: String(port) };
  await new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      if (/listening|running/i.test(chunk.toString())) resolve();
    };
    const argv = [process.execPath, publishedServer("everything"), mode];
    spawnProcess({ argv, cwd: process.cwd(), env, onStdout: listen, onStderr: listen, grace: 100 }).then((handle) => {
      onTestFinished(() => handle.kill());
      void handle.exited.then(() => reject(new Error("the server ended")));
    }, reject);
  });
  return port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
