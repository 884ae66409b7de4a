import { readdir, readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { imageTypeOf, MOST_IMAGE_BYTES } from "../../../core/call/image-type.ts";
import type { UserPart } from "../../../core/call/message.ts";
import { isJson, type Json, recordOf, recordsOf, textOf } from "../wire/wire-values.ts";

/** What the model reads of a message, and what it sees beside it. */
export interface UserText {
  readonly text: string;
  readonly files: readonly UserPart[];
}

/** A prompt, what changed since the last one and what is attached, in the parts and order that these clients' models know. */
export async function toUserText(
  params: Json,
  prompt: string,
  cwd: string,
  notices: readonly string[],
): Promise<UserText> {
  const attachments = recordsOf(params.attachments);
  const tagged: string[] = [];
  const selections: string[] = [];
  const references: string[] = [];
  const files: UserPart[] = [];
  for (const one of attachments) {
    const { line, seen = [] } = (await toTagged(one, cwd)) ?? {};
    if (line !== undefined) tagged.push(line);
    files.push(...seen);
    if (one.type === "selection") selections.push(toSelection(one));
    if (one.type === "github_reference") references.push(toReference(one));
    if (one.type === "blob") files.push(...toBlob(one));
  }
  const parts = [
    ...selections,
    `<current_datetime>${new Date().toISOString()}</current_datetime>`,
    ...notices,
    prompt,
    "<reminder>\nFollow the user's latest message.\n</reminder>",
    ...block("tagged_files", tagged),
    ...block("github_references", references),
  ];
  return { text: parts.join("\n\n"), files };
}

export function toolsGone(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const text = [
    `Tools no longer available: ${names.join(", ")}`,
    "Important: Do not attempt to call tools that are no longer available unless you've been notified that they're available again.",
  ].join("\n\n");
  return block("tools_changed_notice", [text]);
}

function block(name: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`<${name}>\n${lines.join("\n")}\n</${name}>`];
}

/** What is said of a file or folder, and what of it is seen. */
interface Tagged {
  readonly line: string;
  readonly seen?: readonly UserPart[];
}

async function toTagged(one: Json, cwd: string): Promise<Tagged | null> {
  const path = textOf(one.path);
  if (path === undefined || (one.type !== "file" && one.type !== "directory")) return null;
  try {
    const whole = resolve(cwd, path);
    const found = await stat(whole);
    if (found.isDirectory()) return { line: `* ${path} (${(await readdir(whole)).length} items)` };
    // A pipe or device may never end.
    if (!found.isFile()) return { line: `* ${path}` };
    const bytes = await readFile(whole);
    const mimeType = imageTypeOf(bytes);
    if (mimeType !== null) return toPicture(one, path, bytes, mimeType);
    const count = bytes.toString("utf8").split("\n").length;
    const { start, end } = recordOf(one.lineRange);
    if (typeof start !== "number") return { line: `* ${path} (${count} lines)` };
    const range = end === undefined || start === end ? `line ${start}` : `lines ${start}-${String(end)}`;
    return { line: `* ${path} (${range} of ${count} lines)` };
  } catch {
    return { line: `* ${path}` };
  }
}

/** A picture that is too large for providers is named alone, with the reason. */
function toPicture(one: Json, path: string, bytes: Buffer, mimeType: string): Tagged {
  if (bytes.length > MOST_IMAGE_BYTES)
    return {
      line: `* ${path} (an image of ${bytes.length} bytes; images of up to ${MOST_IMAGE_BYTES} bytes are shown)`,
    };
  const displayName = nameOf(one);
  return { line: `* ${path} (image)`, seen: toBlob({ data: bytes.toString("base64"), mimeType, displayName }) };
}

/** What an attachment is called for people: clients must have a name, and apps need not give one. */
function nameOf(one: Json): string | undefined {
  const path = textOf(one.path) ?? textOf(one.filePath);
  return textOf(one.displayName) ?? (path === undefined ? undefined : basename(path));
}

/** Attachments as events show them: strict clients lose one that has no name. */
export function toNamed(attachments: unknown): unknown {
  if (!Array.isArray(attachments)) return attachments;
  return attachments.map((one: unknown) => {
    if (!isJson(one) || !NAMED.has(one.type)) return one;
    const displayName = nameOf(one);
    return displayName === undefined ? one : { ...one, displayName };
  });
}

const NAMED: ReadonlySet<unknown> = new Set(["file", "directory", "selection"]);

function toSelection(one: Json): string {
  const start = recordOf(recordOf(one.selection).start).line;
  const line = typeof start === "number" ? ` (line ${start + 1})` : "";
  const name = textOf(one.displayName) ?? textOf(one.filePath) ?? "";
  return [
    "<ide_selection>",
    "The user has the following text selected in their IDE. This may or may not be related to their request.",
    `File: ${name}${line}`,
    "```",
    textOf(one.text) ?? "",
    "```",
    "</ide_selection>",
  ].join("\n");
}

function toReference(one: Json): string {
  const kind = textOf(one.referenceType) ?? "issue";
  return `#${String(one.number)} - ${String(one.title)} [${kind}] [${String(one.state)}] (${String(one.url)})`;
}

function toBlob(one: Json): readonly UserPart[] {
  const data = textOf(one.data);
  if (data === undefined) return [];
  const name = textOf(one.displayName) ?? null;
  const mimeType = textOf(one.mimeType) ?? "application/octet-stream";
  const shown: readonly UserPart[] =
    name === null || !mimeType.startsWith("image/") ? [] : [{ type: "text", text: name }];
  return [...shown, { type: "file", mimeType, data, name }];
}
