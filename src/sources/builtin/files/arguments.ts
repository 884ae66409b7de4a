/** An invalid argument that the schema should have caught; the text goes to the model. */
export class ArgumentProblem extends Error {
  override readonly name = "ArgumentProblem";
}

type Arguments = Readonly<Record<string, unknown>>;

export function textArgument(args: Arguments, key: string): string {
  const value = args[key];
  if (typeof value !== "string") throw new ArgumentProblem(`"${key}" must be text.`);
  return value;
}

export function flagOf(args: Arguments, key: string): boolean {
  const value = args[key] ?? false;
  if (typeof value !== "boolean") throw new ArgumentProblem(`"${key}" must be true or false.`);
  return value;
}
