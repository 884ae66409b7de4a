import { isRecord } from "../shape/is-record.ts";

/**
 * The value with the defaults of members that its schema wants and that are missing. Schemas written from types, such as
 * Zod's, list a member with a default as required: they describe what a handler gets, not what a model has to write.
 */
export function fillDefaults(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => fillDefaults(item, schema.items));
  if (!isRecord(value) || !isRecord(schema.properties)) return value;
  const { properties } = schema;
  const wanted = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = wanted.flatMap((name) => {
    const member = Object.hasOwn(value, name) || !Object.hasOwn(properties, name) ? null : properties[name];
    return isRecord(member) && member.default !== undefined ? [[name, member.default] as const] : [];
  });
  return Object.fromEntries(
    [...Object.entries(value), ...missing].map(([name, member]) => [
      name,
      fillDefaults(member, Object.hasOwn(properties, name) ? properties[name] : null),
    ]),
  );
}
