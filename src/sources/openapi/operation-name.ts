import type { HttpMethod } from "./operation.ts";

const LONGEST = 100;

/** The `operationId` as a name for rules and models; null if nothing of it is left. */
export function toOperationName(id: string): string | null {
  const name = id
    .trim()
    .replace(/[^\w.-]+/g, "_")
    .replace(/^[_.-]+|[_.-]+$/g, "")
    .slice(0, LONGEST);
  return name === "" ? null : name;
}

/** `GET /pets/{petId}/toys` as `get_pets_by_petId_toys`. */
export function readableName(method: HttpMethod, path: string): string {
  const words = path
    .split("/")
    .flatMap((part) => part.split(/(?=\{)|(?<=\})/))
    .map((part) => part.replace(/^\{(.*)\}$/, "by_$1"))
    .flatMap((part) => toOperationName(part) ?? []);
  return [method, ...(words.length === 0 ? ["root"] : words)].join("_").slice(0, LONGEST);
}
