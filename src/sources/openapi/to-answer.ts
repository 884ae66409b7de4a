import type { ToolResult } from "../../core/call/tool-result.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { dropControls, dropHiddenParts } from "../../system/text/clean-text.ts";
import { isTooDeep } from "../../system/text/json-depth.ts";
import { decodePage } from "../parts/decode-page.ts";
import type { HttpAnswer } from "../parts/http-client.ts";
import { readBody } from "../parts/read-body.ts";
import { failure } from "../parts/results.ts";
import type { Operation } from "./operation.ts";

/** Bytes of one answer; the session stores what is too long for a model. */
const MOST_BYTES = 10 * 1024 * 1024;
const MOST_ERROR = 4_000;
const MOST_BINARY = 5 * 1024 * 1024;
/** Headers that say how to continue; others are shown if the document names them. */
const SHOWN = ["link", "location", "retry-after"];

/** An answer of the API as a result. `redact` removes the entry's secrets in case the API repeats them. */
export async function toAnswer(
  { status, statusText, headers, body }: HttpAnswer,
  operation: Operation,
  redact: (text: string) => string,
): Promise<ToolResult> {
  const read = await readBody(body, headers.get("content-encoding"), MOST_BYTES);
  if (read === null) return failure(`The API answered (HTTP ${status}) in a way that cannot be unpacked.`);
  const isError = status >= 400 || status < 200;
  const fields = [...new Set([...SHOWN, ...operation.answerHeaders])].flatMap((name) => {
    const value = headers.get(name);
    return value === null || name === "set-cookie" ? [] : [redact(`${name}: ${value}`)];
  });
  const page = decodePage(read.bytes, headers.get("content-type") ?? undefined);
  if (page.kind === "binary" && !isError && read.bytes.length > 0)
    return toBinary(read.bytes, redact(page.contentType), fields);
  const text = redact(dropControls(dropHiddenParts(page.text).text));
  const json = read.cut || isTooDeep(text) ? undefined : parseJson(text);
  const shown = json === undefined ? text.trim() : JSON.stringify(json);
  const notes = [
    ...fields,
    ...(read.cut ? [`The answer is longer than ${MOST_BYTES / 1024 / 1024} MiB; its end was not read.`] : []),
  ];
  if (isError) {
    const statusLine = redact(`HTTP ${status}${statusText === "" ? "" : ` ${statusText}`}`);
    return failure(
      [statusLine, ...notes, shown.slice(0, MOST_ERROR)].filter((part) => part !== "").join("\n"),
      statusLine,
    );
  }
  const empty = shown === "" ? `Done (HTTP ${status}, without content).` : shown;
  return {
    textResultForLlm: [empty, ...(notes.length === 0 ? [] : [`[${notes.join("; ")}]`])].join("\n"),
    resultType: "success",
    ...(json === undefined ? {} : { structured: json }),
  };
}

function toBinary(bytes: Buffer, mimeType: string, fields: readonly string[]): ToolResult {
  const text = [`The answer holds ${mimeType || "bytes"} (${bytes.length} bytes).`, ...fields].join("\n");
  if (bytes.length > MOST_BINARY) return { textResultForLlm: text, resultType: "success" };
  const type = /^(image|audio)\//.exec(mimeType)?.[1] ?? "resource";
  const data = bytes.toString("base64");
  return { textResultForLlm: text, resultType: "success", binaryResultsForLlm: [{ data, mimeType, type }] };
}
