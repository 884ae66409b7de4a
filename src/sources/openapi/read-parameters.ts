import { isRecord } from "../../core/shape/is-record.ts";
import { childOf, DocumentFault, itemsOf, type Located, membersOf, textAt } from "./api-file.ts";
import {
  PARAMETER_PLACES,
  type Parameter,
  type ParameterPlace,
  type ParameterStyle,
  STYLES,
  type Writing,
} from "./operation.ts";
import { type ApiFiles, followReference } from "./references.ts";

interface ReadParameters {
  readonly parameters: readonly Parameter[];
  /** The tool's names for its arguments so far. */
  readonly keys: ReadonlySet<string>;
  /** What can be left out without harm. */
  readonly odd: readonly DocumentFault[];
}

/** Headers of the connection, the body or the login: no argument may set them. */
const RESERVED = new Set([
  ...["accept", "content-type", "authorization", "host", "cookie", "connection", "content-length", "expect", "te"],
  ...["transfer-encoding", "upgrade", "trailer", "keep-alive", "proxy-authorization", "proxy-connection"],
]);

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** The parameters of an operation, its own before those of its path. Throws if it could not be called. */
export function readParameters(
  [shared, own]: readonly Located[],
  path: string,
  operation: Located,
  files: ApiFiles,
): ReadParameters {
  const odd: DocumentFault[] = [];
  const found = new Map<string, Omit<Parameter, "key">>();
  for (const list of [shared, own])
    for (const item of list === undefined ? [] : itemsOf(list)) {
      const parameter = readParameter(followReference(item, files));
      if (parameter.place === "header" && RESERVED.has(parameter.name.toLowerCase())) continue;
      found.set(`${parameter.place} ${parameter.name}`, parameter);
    }
  for (const name of namesIn(path))
    if (!found.has(`path ${name}`)) throw new DocumentFault(operation, `has no parameter for {${name}} of its path`);
  const inPath = new Set(namesIn(path));
  const used = [...found.values()].filter(({ place, name }) => place !== "path" || inPath.has(name));
  if (used.length < found.size) odd.push(new DocumentFault(operation, "has a parameter that its path does not hold"));
  const keys = new Set<string>();
  const parameters = used.map((parameter): Parameter => {
    const key = freeKey(parameter.name, parameter.place, keys);
    keys.add(key);
    return { ...parameter, key };
  });
  return { parameters, keys, odd };
}

function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

/** Its name, with its location if several have that name. */
export function freeKey(name: string, place: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const base = `${name}_${place}`;
  let key = base;
  for (let at = 2; taken.has(key); at += 1) key = `${base}_${at}`;
  return key;
}

function readParameter(at: Located): Omit<Parameter, "key"> {
  const name = textAt(at, "name");
  if (name === null) throw new DocumentFault(at, "is a parameter without a name");
  const place = PARAMETER_PLACES.find((known) => known === childOf(at, "in").value);
  if (place === undefined)
    throw new DocumentFault(childOf(at, "in"), `of parameter "${name}" has to be ${PARAMETER_PLACES.join(", ")}`);
  if (place === "header" && !HEADER_NAME.test(name))
    throw new DocumentFault(childOf(at, "name"), "is not a name that a header can have");
  const [content] = membersOf(childOf(at, "content"));
  const schema = content === undefined ? childOf(at, "schema") : childOf(content[1], "schema");
  return {
    name,
    place,
    required: place === "path" || childOf(at, "required").value === true,
    description: textAt(at, "description"),
    schema: schema.value === undefined ? null : schema,
    mediaType: content?.[0] ?? null,
    ...readWriting(at, USUAL[place]),
  };
}

const USUAL: Readonly<Record<ParameterPlace, ParameterStyle>> = {
  path: "simple",
  query: "form",
  header: "simple",
  cookie: "form",
};

/** How a value is written: as the document says, or as is usual for its location. */
export function readWriting(at: Located, usual: ParameterStyle): Writing {
  const fields = isRecord(at.value) ? at.value : {};
  const style = STYLES.find((known) => known === fields.style) ?? usual;
  return {
    style,
    explode: typeof fields.explode === "boolean" ? fields.explode : style === "form",
    allowReserved: fields.allowReserved === true,
  };
}
