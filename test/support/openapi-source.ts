import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ToolResult } from "../../src/core/call/tool-result.ts";
import type { ApiSpec } from "../../src/sources/openapi/api-spec.ts";
import { createOpenApiSource, type OpenApiSourceOptions } from "../../src/sources/openapi/openapi-source.ts";
import type { Source } from "../../src/sources/source.ts";

/** Where the documents of tests lie. */
export const DOCUMENTS = fileURLToPath(new URL("../fixtures/openapi/", import.meta.url));
export const never: AbortSignal = new AbortController().signal;

/** An API as a source, until the test is over. */
export function openApi(
  api: Partial<ApiSpec> & Pick<ApiSpec, "spec">,
  more: Partial<OpenApiSourceOptions> = {},
): Source {
  const spec: ApiSpec = { baseUrl: null, headers: {}, auth: {}, include: null, exclude: [], refs: [], ...api };
  const source = createOpenApiSource({ name: "api", api: spec, workspace: DOCUMENTS, ...more });
  onTestFinished(() => source.close());
  return source;
}

export async function callApi(
  source: Source,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<ToolResult> {
  const tool = (await source.list(never)).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  return source.run(tool, args, { sessionId: "s", toolCallId: "c", signal: never });
}
