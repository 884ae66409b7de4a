import { isRecord } from "../../core/shape/is-record.ts";
import type { Unwanted } from "../source.ts";
import { type ApiFile, childOf, DocumentFault, describePlace, type Located } from "./api-file.ts";
import type { ApiSpec } from "./api-spec.ts";
import { createChoice } from "./choose-operations.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import { type Base, findBase, isAtBase } from "./find-base.ts";
import { type DocumentPorts, loadFiles } from "./load-files.ts";
import type { Operation } from "./operation.ts";
import { readOperations, toDocumentFault } from "./read-operations.ts";
import { type ApiDefinition, toDefinition } from "./to-definition.ts";

/** A document, ready to be listed and called. */
export interface LoadedApi {
  readonly base: Base;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly definitions: readonly ApiDefinition[];
  /** What `include` and `exclude` filter out. */
  readonly unwanted: ReadonlyMap<string, Unwanted>;
  readonly credentials: Credentials;
  /** What is wrong with parts of it, with locations; null if nothing is. */
  readonly trouble: string | null;
  /** Whether it is a single file. */
  readonly isWhole: boolean;
}

/** Reads a document. Throws a `DocumentFault` if nothing of it can be used. */
export async function loadApi(
  spec: ApiSpec,
  text: string,
  ports: DocumentPorts,
  signal: AbortSignal,
): Promise<LoadedApi> {
  const files = await loadFiles(spec, text, ports, signal);
  checkVersion(files.root);
  const base = findBase(files, spec);
  const { operations, unwanted, odd, ...read } = readOperations(files, createChoice(spec));
  const faults = [...read.faults];
  const usable = new Map<string, Operation>();
  const definitions: ApiDefinition[] = [];
  for (const operation of operations) {
    try {
      if (!isAtBase(operation, base.url)) throw elsewhere(operation);
      definitions.push(toDefinition(operation, base.chosen, files));
      usable.set(operation.name, operation);
    } catch (error) {
      faults.push(toDocumentFault(error, operation.at));
    }
  }
  return {
    base,
    operations: usable,
    definitions,
    unwanted,
    credentials: readCredentials(files, spec, base.url),
    trouble: definitions.length + faults.length === 0 ? NOTHING_TO_CALL : await describeTrouble(faults, odd),
    isWhole: files.others.size === 0,
  };
}

const NOTHING_TO_CALL = "has no tools: the document has no operations, or `include` and `exclude` leave none";

function elsewhere({ servers, at }: Operation): DocumentFault {
  return new DocumentFault(servers ?? at, "is at another address than the API; give it an entry with that `baseUrl`");
}

function checkVersion(file: ApiFile): void {
  const root: Located = { file, pointer: "", value: file.root };
  if (!isRecord(file.root)) throw new DocumentFault(root, "is not an OpenAPI document");
  const { swagger, openapi, paths } = file.root;
  if (swagger !== undefined)
    throw new DocumentFault(
      childOf(root, "swagger"),
      `is Swagger ${String(swagger).slice(0, 10)}, and Toolcrib reads OpenAPI 3.0 and 3.1`,
      `Convert it, such as with: npx swagger2openapi ${file.name} -o openapi.yaml`,
    );
  if (openapi === undefined) throw new DocumentFault(root, "is not an OpenAPI document: it has no `openapi: 3.x`");
  if (!/^3\.\d/.test(String(openapi)))
    throw new DocumentFault(childOf(root, "openapi"), "is a version that Toolcrib does not read; it reads 3.0 and 3.1");
  if (!isRecord(paths)) throw new DocumentFault(childOf(root, "paths"), "has no paths, so there is nothing to call");
}

const MOST_TOLD = 3;

async function describeTrouble(
  unwanted: readonly DocumentFault[],
  odd: readonly DocumentFault[],
): Promise<string | null> {
  if (unwanted.length + odd.length === 0) return null;
  const places = await Promise.all([...unwanted, ...odd].slice(0, MOST_TOLD).map(describeFault));
  const more = unwanted.length + odd.length - places.length;
  const count = unwanted.length === 0 ? "is read with remarks" : `leaves out ${unwanted.length} of its operations`;
  return `${count}: ${places.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** `petstore.yaml:12 (#/paths/~1pets/get) refers to …`. */
export async function describeFault(fault: DocumentFault): Promise<string> {
  return `${await describePlace(fault.at)} ${fault.message}`;
}
