import { isRecord } from "../../core/shape/is-record.ts";
import type { Unwanted } from "../source.ts";
import { childOf, DocumentFault, itemsOf, type Located, membersOf, textAt } from "./api-file.ts";
import type { Choosable } from "./choose-operations.ts";
import { type HttpMethod, METHODS, type Operation, type Requirement } from "./operation.ts";
import { readableName, toOperationName } from "./operation-name.ts";
import { readAnswers } from "./read-answers.ts";
import { readParameters } from "./read-parameters.ts";
import { toRequestBody } from "./read-request-body.ts";
import { type ApiFiles, followReference } from "./references.ts";

export interface ReadOperations {
  readonly operations: readonly Operation[];
  /** What the entry filters out, by the name that it would have. */
  readonly unwanted: ReadonlyMap<string, Unwanted>;
  /** Faults of operations that cannot be used. */
  readonly faults: readonly DocumentFault[];
  /** Oddities of the others. */
  readonly odd: readonly DocumentFault[];
}

/** The operations of a document, in its order. One that is unusable or filtered out does not affect the others. */
export function readOperations(
  files: ApiFiles,
  whyUnwanted: (operation: Choosable) => Unwanted | null,
): ReadOperations {
  const root: Located = { file: files.root, pointer: "", value: files.root.root };
  const unwanted = new Map<string, Unwanted>();
  const faults: DocumentFault[] = [];
  const odd: DocumentFault[] = [];
  const taken = new Set<string>();
  const operations: Operation[] = [];
  for (const [path, item] of membersOf(childOf(root, "paths"))) {
    if (!path.startsWith("/")) continue;
    for (const { method, at, shared } of methodsOf(item, files, faults)) {
      const tags = itemsOf(childOf(at, "tags")).flatMap(({ value }) => (typeof value === "string" ? [value] : []));
      const { name, remark } = chooseName(method, path, at, taken);
      const left = whyUnwanted({ name, method, path, tags });
      if (left !== null) {
        unwanted.set(name, left);
        continue;
      }
      taken.add(name);
      if (remark !== null) odd.push(remark);
      try {
        operations.push(readOperation({ name, method, path, tags, at, shared, root }, files, odd));
      } catch (error) {
        faults.push(toDocumentFault(error, at));
      }
    }
  }
  return { operations, unwanted, faults, odd };
}

export function toDocumentFault(error: unknown, at: Located): DocumentFault {
  if (error instanceof DocumentFault) return error;
  if (error instanceof RangeError) return new DocumentFault(at, "is nested too deep to be read");
  throw error;
}

interface Raw extends Choosable {
  readonly at: Located;
  /** The path item that contains it. */
  readonly shared: Located;
  readonly root: Located;
}

function methodsOf(
  item: Located,
  files: ApiFiles,
  faults: DocumentFault[],
): readonly Pick<Raw, "method" | "at" | "shared">[] {
  try {
    const shared = followReference(item, files);
    return METHODS.flatMap((method) => {
      const at = childOf(shared, method);
      return isRecord(at.value) ? [{ method, at, shared }] : [];
    });
  } catch (error) {
    faults.push(toDocumentFault(error, item));
    return [];
  }
}

function readOperation(
  { name, method, path, tags, at, shared, root }: Raw,
  files: ApiFiles,
  remarks: DocumentFault[],
): Operation {
  const lists = [childOf(shared, "parameters"), childOf(at, "parameters")];
  const { parameters, keys, odd } = readParameters(lists, path, at, files);
  remarks.push(...odd);
  const own = [childOf(at, "servers"), childOf(shared, "servers")];
  return {
    ...{ name, method, path, tags },
    summary: textAt(at, "summary") ?? textAt(shared, "summary"),
    description: textAt(at, "description") ?? textAt(shared, "description"),
    deprecated: childOf(at, "deprecated").value === true,
    parameters,
    body: toRequestBody(childOf(at, "requestBody"), keys, files),
    security: readSecurity(childOf(at, "security"), childOf(root, "security")),
    answers: readAnswers(childOf(at, "responses"), files),
    answerHeaders: readHeaders(childOf(at, "responses"), files),
    servers: own.find(({ value }) => Array.isArray(value) && value.length > 0) ?? null,
    at,
  };
}

/** Its id, unless another operation has the same one: then its method and path, which are unique. */
function chooseName(
  method: HttpMethod,
  path: string,
  at: Located,
  taken: ReadonlySet<string>,
): { readonly name: string; readonly remark: DocumentFault | null } {
  const id = textAt(at, "operationId");
  const name = id === null ? null : toOperationName(id);
  if (name !== null && !taken.has(name)) return { name, remark: null };
  const base = readableName(method, path);
  let readable = base;
  for (let count = 2; taken.has(readable); count += 1) readable = `${base}_${count}`;
  const text = `is used twice; this one is called ${readable}`;
  return { name: readable, remark: name === null ? null : new DocumentFault(childOf(at, "operationId"), text) };
}

function readSecurity(own: Located, general: Located): readonly Requirement[] {
  const required = Array.isArray(own.value) ? own : general;
  return itemsOf(required).flatMap((one) =>
    isRecord(one.value) ? [new Map(membersOf(one).map(([name, { value }]) => [name, toTexts(value)]))] : [],
  );
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function readHeaders(responses: Located, files: ApiFiles): ReadonlySet<string> {
  const names = membersOf(responses).flatMap(([, response]) => {
    try {
      return membersOf(childOf(followReference(response, files), "headers")).map(([name]) => name.toLowerCase());
    } catch {
      // The shape of answers does not matter to callers.
      return [];
    }
  });
  return new Set(names);
}
