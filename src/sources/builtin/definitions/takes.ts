type Schema = Readonly<Record<string, unknown>>;

/** The JSON Schema of a tool's arguments. One whose name ends with `?` may be left out. */
export function takes(fields: Readonly<Record<string, Schema>>): Schema {
  const required = Object.keys(fields).filter((name) => !name.endsWith("?"));
  const properties = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

export function textSchema(description?: string, among?: readonly string[]): Schema {
  return stated({ type: "string", enum: among, description });
}

export function texts(description: string): Schema {
  return { type: "array", items: { type: "string" }, description };
}

export function flagSchema(description: string): Schema {
  return { type: "boolean", description };
}

export function count(description: string, minimum: number, maximum?: number): Schema {
  return stated({ type: "integer", minimum, maximum, description });
}

export function seconds(description: string): Schema {
  return { type: "number", minimum: 0, maximum: 600, description };
}

function stated(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
