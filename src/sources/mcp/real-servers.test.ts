import { expect, test } from "vitest";
import { call, openSource, packagedServer, runContext, toolOf } from "../../../test/mcp-sources.ts";
import { tempWorkspace } from "../../../test/temp-workspace.ts";
import type { Progress } from "../source.ts";

const never = new AbortController().signal;

test("everything over stdio: lists, says how to use it, answers, and maps every kind of content", async () => {
  const source = openSource({ command: process.execPath, args: [packagedServer("everything"), "stdio"] });
  const tools = await source.list(never);
  expect(source.status).toEqual({ state: "connected", reason: null, next: null, stderr: null });
  expect(tools.length).toBeGreaterThan(5);
  expect(tools.every((tool) => tool.source === "mcp" && tool.server === "it")).toBe(true);
  expect(source.instructions).toContain("Everything");
  expect(await call(source, "echo", { message: "hello" })).toEqual({
    textResultForLlm: "Echo: hello",
    resultType: "success",
  });
  const image = await call(source, "get-tiny-image");
  expect(image.binaryResultsForLlm).toMatchObject([{ type: "image", mimeType: "image/png" }]);
  const structured = await call(source, "get-structured-content", { location: "Chicago" });
  expect(structured.structured).toMatchObject({ temperature: expect.any(Number) });
  const wrong = await call(source, "echo", {});
  expect(wrong).toMatchObject({ resultType: "failure", error: expect.stringContaining("message") });
});

test("everything over stdio: progress is reported while a call runs", async () => {
  const source = openSource({ command: process.execPath, args: [packagedServer("everything"), "stdio"] });
  const steps: Progress[] = [];
  const context = runContext({ onProgress: (step) => steps.push(step) });
  const args = { duration: 0.3, steps: 3 };
  const result = await call(source, "trigger-long-running-operation", args, context);
  expect(result.resultType).toBe("success");
  expect(steps).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: null })));
});

test("filesystem: works in the folder it was given, and its hints become traits", async () => {
  const { project } = tempWorkspace({ "a.txt": "one\n" });
  const server = { command: process.execPath, args: [packagedServer("filesystem"), project] };
  const source = openSource({ ...server, group: "files", defer: "never", timeout: 5_000 });
  const read = await toolOf(source, "read_text_file");
  expect(read).toMatchObject({ group: "files", defer: "never", timeout: 5_000, traits: { readOnly: true } });
  expect(await toolOf(source, "write_file")).toMatchObject({ traits: { readOnly: false, concurrencySafe: false } });
  const result = await source.run(read, { path: `${project}/a.txt` }, runContext());
  expect(result).toMatchObject({ resultType: "success", textResultForLlm: "one\n" });
  const outside = await source.run(read, { path: "/etc/hostname" }, runContext());
  expect(outside.resultType).toBe("failure");
});

test("memory: keeps what it was told, and gets only the environment it was given", async () => {
  const { base } = tempWorkspace();
  const env = { MEMORY_FILE_PATH: `${base}/memory.jsonl` };
  const source = openSource({ command: process.execPath, args: [packagedServer("memory")], env });
  const entities = [{ name: "Toolcrib", entityType: "project", observations: ["issues tools"] }];
  expect((await call(source, "create_entities", { entities })).resultType).toBe("success");
  const graph = await call(source, "read_graph");
  expect(graph.textResultForLlm).toContain("issues tools");
  expect(graph.structured).toMatchObject({ entities: [{ name: "Toolcrib" }] });
});
