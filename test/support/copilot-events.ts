import { EVENT_FIELDS, type EventField, type EventFields, REQUEST_FIELDS } from "./copilot-event-fields.ts";

type Json = Record<string, unknown>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a strict client would stumble over in an event; nothing where it takes it. */
export function offencesOf(event: Json): readonly string[] {
  const { type, id, parentId, timestamp, data } = event;
  const fields: EventFields | undefined = Object.entries(EVENT_FIELDS).find(([name]) => name === type)?.[1];
  const said = [
    ...(UUID.test(String(id)) ? [] : ["id is no UUID"]),
    ...(parentId === null || UUID.test(String(parentId)) ? [] : ["parentId is no UUID"]),
    ...misfits("timestamp", timestamp, "time"),
    ...(fields === undefined ? ["it has no row in EVENT_FIELDS"] : misfits("data", data, fields)),
    ...(type === "permission.requested" ? requestMisfits((data as Json).permissionRequest as Json) : []),
  ];
  return said.map((what) => `${String(type)}: ${what}`);
}

function requestMisfits(request: Json): readonly string[] {
  const fields = Object.entries(REQUEST_FIELDS).find(([kind]) => kind === request.kind)?.[1];
  return fields === undefined ? [`${String(request.kind)} is no kind`] : misfits("permissionRequest", request, fields);
}

function misfits(path: string, value: unknown, field: EventField): readonly string[] {
  if (typeof field === "string") return fits(value, field) ? [] : [`${path} is ${JSON.stringify(value)}, not ${field}`];
  if (isWords(field)) return field.includes(String(value)) ? [] : [`${path} is ${JSON.stringify(value)}`];
  if ("each" in field && typeof field.each === "object") {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item, at) => misfits(`${path}[${at}]`, item, field.each as EventFields));
  }
  if (typeof value !== "object" || value === null) return [`${path} is ${JSON.stringify(value)}, not an object`];
  return Object.entries(field as EventFields).flatMap(([name, inner]) => {
    const key = name.replace(/\?$/, "");
    const member = (value as Json)[key];
    return member === undefined && name !== key ? [] : misfits(`${path}.${key}`, member, inner);
  });
}

function isWords(field: EventField): field is readonly string[] {
  return Array.isArray(field);
}

function fits(value: unknown, kind: string): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "time":
      return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
    default:
      return Array.isArray(value);
  }
}
