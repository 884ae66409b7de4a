import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolResult } from "../../src/core/call/tool-result.ts";
import { createFileFamily } from "../../src/sources/builtin/files/file-family.ts";
import { type Disk, NODE_DISK } from "../../src/system/paths/disk.ts";
import { makeHost, makeRun } from "./builtin-host.ts";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.ts";

type CallTool = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

export interface FileTools extends TempWorkspace {
  readonly call: CallTool;
  /** The text of a result that must have this type. */
  readonly ok: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly refused: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly bytes: (path: string) => Buffer;
  /** Every file of the workspace with its content. */
  readonly tree: () => Record<string, string>;
}

/** The file tools on a real folder that is there for one test. */
export function fileTools(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  disk: Disk = NODE_DISK,
): FileTools {
  const workspace = tempWorkspace(files);
  const family = createFileFamily(disk);
  const host = makeHost(workspace.project);
  const call: CallTool = async (tool, args) => {
    const handler = family.handlers.get(tool);
    if (handler === undefined) throw new Error(`no tool ${tool}`);
    return handler(args, makeRun(), host);
  };
  const expectType =
    (type: ToolResult["resultType"]) => async (tool: string, args: Readonly<Record<string, unknown>>) => {
      const result = await call(tool, args);
      if (result.resultType !== type) throw new Error(`${tool} is a ${result.resultType}: ${result.textResultForLlm}`);
      return result.textResultForLlm;
    };
  return {
    ...workspace,
    call,
    ok: expectType("success"),
    refused: expectType("failure"),
    bytes: (path) => readFileSync(join(workspace.project, path)),
    tree: () => treeOf(workspace.project),
  };
}

function treeOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => lstatSync(join(folder, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
