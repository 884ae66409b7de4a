/** Variables that went into a file of the person's own. */
export interface WrittenKeys {
  /** As the user would write it. */
  readonly file: string;
  readonly names: readonly string[];
}

/** Which variables are in the person's own file now; never what they hold. */
export function describeKeys({ file, names }: WrittenKeys, verb: string): string {
  const refers =
    names.length === 1 ? "the configuration refers to it by its name" : "the configuration refers to them by name";
  return `${verb} ${names.join(", ")} into ${file}, which only you may read; ${refers}.`;
}
